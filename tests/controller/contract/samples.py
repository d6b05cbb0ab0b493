"""Everything that small and worked tables say: events and levels of days, scenarios, courses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from controller.cli.replay import book_for
from controller.core.codec import canonical
from controller.core.events import Event
from controller.core.inputs import Arrived, Open
from controller.core.setup import ShufflerSetup
from controller.core.stamp import stamp_of
from controller.core.table import outputs_of
from controller.day import Day
from controller.journal.record import Chain, seal
from controller.messages import Topics, levels_of
from tests.play import Play
from tests.scenarios.reading import begun, play_step, scenarios
from tests.shoe_play import ShoePlay

DAYS = Path(__file__).parents[2] / "scenarios" / "days"
RARE = Path(__file__).parent / "rare.jsonl"
GAMES = ("blackjack", "dj-wild", "fortune-asia-poker", "minibaccarat")
TOPICS = Topics("tables", "t-1")


@cache
def day_events() -> tuple[dict[str, object], ...]:
    """The sealed events of the four worked days."""
    found = []
    for game in GAMES:
        lines = (DAYS / f"{game}.inputs.jsonl").read_bytes().splitlines()
        for line in Day(book_for(game, None)).play_lines(lines):
            told = json.loads(line)
            if "event" in told:
                found.append(told["event"])
    return tuple(found)


@cache
def rare_events() -> tuple[dict[str, object], ...]:
    """The sealed events of an hour in which everything goes wrong."""
    told = [*_told(RARE.read_bytes().splitlines()), *_told(list(_flood()))]
    return tuple(one["event"] for one in told if "event" in one)


def _told(lines: list[bytes]) -> list[dict[str, dict[str, object]]]:
    return [json.loads(line) for line in Day(book_for("dj-wild", None)).play_lines(lines)]


def _flood() -> Iterator[bytes]:
    """One alarm more than ten in ten minutes, each answered, none so often that it chatters."""
    for number in range(1, 12):
        for after_s, kind, who, members in (
            (0, "call_floor", "dealer", {"reason": "a dispute"}),
            (1, "acknowledge", "floorperson", {"alarm": f"A{number}"}),
        ):
            at = stamp_of(1_767_636_000_000 + (31 * number + after_s) * 1000)
            yield canonical({"at": at, "from": who, "by": who[:1], "type": kind, **members})


@cache
def scenario_events() -> tuple[dict[str, object], ...]:
    """The events of every scenario and of three more plays, sealed one by one; of those that have
    the same members with values of the same kinds the first."""
    first: dict[tuple[object, ...], Event] = {}
    for play in (*_scenario_plays(), *_more_plays()):
        for event in play.events:
            first.setdefault((event.type, *map(_kind, sorted(event.data.items()))), event)
    return tuple(_sealed(event) for event in first.values())


def _kind(member: tuple[str, object]) -> tuple[object, ...]:
    name, value = member
    words = name in ("code", "reason", "choices", "method", "outcome", "origin", "to", "where")
    return (name, type(value), str(value) if words else "")


def _scenario_plays() -> Iterator[Play]:
    for _, one, case in scenarios():
        play = begun(case, one.game)
        for step in case.step:
            play_step(play, step)
        yield play


def _more_plays() -> Iterator[Play]:
    shuffler_of_two = Play(shuffler=ShufflerSetup()).ready().bets(1)
    shuffler_of_two.do("shuffler", "loaded", batch="A")
    yield shuffler_of_two
    old = ShoePlay("blackjack", batches=1)
    old.opened()
    old.do("clock", "timer", name="deck.A")
    yield old
    begun_again = Play().ready()
    begun_again.do("system", "started", version="1", digest="d", profile_digest="p", journal="j")
    yield begun_again
    known = Play()
    known.do(
        "system", "started", version="1", digest="d", profile_digest="p", journal="j", build="b"
    )
    known.do("inspector", "show_code", by="i1", nonce="4711")
    yield known


def _sealed(event: Event) -> dict[str, object]:
    arrived = Arrived(1, 1_767_636_000_000, 0, 1, True, "floorperson", "f1", Open())
    (one,) = seal(Chain("j1", "t-1"), arrived, (event,), ()).events
    found: dict[str, object] = json.loads(one.body)
    return found


@cache
def level_payloads() -> tuple[tuple[str, dict[str, object]], ...]:
    """Topic below the table and payload of every level that the worked days show."""
    return tuple(_levels())


def _levels() -> Iterator[tuple[str, dict[str, object]]]:
    shown: set[tuple[str, bytes]] = set()
    files = [(game, DAYS / f"{game}.inputs.jsonl") for game in GAMES]
    for game, file in [*files, ("dj-wild", RARE)]:
        day = Day(book_for(game, None))
        for line in file.read_bytes().splitlines():
            for _ in day.play(json.loads(line)):
                pass
            outputs = outputs_of(day.book, day.state)
            for topic, payload in levels_of(TOPICS, outputs, day.chain.sequence).items():
                if (topic, payload) not in shown:
                    shown.add((topic, payload))
                    yield topic.removeprefix(TOPICS.below("")), json.loads(payload)

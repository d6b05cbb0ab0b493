"""The fined cases as a page: for each the event, the lock with its paragraph, the cards before.

Written again by `python -m tests.scenarios.fined > docs/fined-cases.md`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

from controller.core.events import Event
from controller.core.view import Turn
from hal.facts import CardDrawn, StackDispensed
from tests.scenarios.reading import CODE, Scenario, begun, play_step, scenarios

HEAD = """# Fined cases: what stops them, and before how many cards

Made by playing the files `tests/scenarios/fined-*.toml` (`python -m tests.scenarios.fined`); a
test compares it. "Cards before" are the cards in question that had left the shoe when the event
came: the people who were fined dealt hundreds of hands. "Locked" are the steps refused from then
on, each until its paragraph is met or a named person decides.

| what happened | played as | event | locked | cards before |
|---|---|---|---|---|
"""
TAIL = """
What no count and no lamp can show is not claimed: a card of another back colour in a full deck, or
one card missing and another doubled, is seen by people, by a device that recognises cards, or by
the inspection of the deck (`inspected`, `opening_verified`), not by this table's arithmetic. A
device that does not count shows a missing card only with the rest of the first round, which is
where its row above says so.
"""
# The event that decides, the strongest first: what refuses the cards, then asks, then warns.
DECIDING = (
    "token.refused", "deck.count_mismatch", "stub.count_result", "floor.decision_required",
    "input.refused", "device.fault", "alarm.raised",
)  # fmt: skip
TELLING = ("reason", "code", "expected", "got", "type")


@dataclass(frozen=True)
class Row:
    """One case: `cards` had left the shoe before `event` came, `locks` hold afterwards."""

    what: tuple[str, ...]
    case: str
    event: Event
    locks: dict[str, list[str]]
    cards: int


def rows() -> Iterator[Row]:
    """A row for each case of each file about a fined case."""
    for _, one, case in scenarios():
        if one.fined:
            play = begun(case, one.game)
            before = len(play.turns)
            afterwards = []
            for step in case.step:
                play_step(play, step)
                afterwards.append(play.outputs.locks)
            yield _row(one, case.name, play.turns[before:], afterwards)


def _row(
    one: Scenario, name: str, turns: list[Turn], afterwards: list[dict[str, list[str]]]
) -> Row:
    for kind in DECIDING:
        for at, turn in enumerate(turns):
            for event in turn.events:
                if event.type == kind and event.data.get("ok") is not True:
                    cards = sum(_cards(turn.arrived.item) for turn in turns[:at])
                    return Row(one.fined, name, event, afterwards[at], cards)
    raise AssertionError(f"{name}: nothing stops it")


def _cards(item: object) -> int:
    if isinstance(item, StackDispensed):
        return item.cards
    return int(isinstance(item, CardDrawn))


def page() -> str:
    """The whole page of docs/."""
    return HEAD + "".join(_line(row) for row in rows()) + TAIL


def _line(row: Row) -> str:
    told = " ".join(f"{key}={row.event.data[key]}" for key in TELLING if key in row.event.data)
    rule = (row.event.rule or "").removeprefix(CODE)
    cells = (
        "; ".join(row.what), row.case, f"`{row.event.type}` {told} ({rule})", _locks(row.locks),
        str(row.cards),
    )  # fmt: skip
    return f"| {' | '.join(cells)} |\n"


def _locks(locks: dict[str, list[str]]) -> str:
    by_rule: dict[str, list[str]] = {}
    for step in ("cut", "load", "bets", "deal", "settle", "method"):
        for rule in locks.get(step, []):
            by_rule.setdefault(rule.removeprefix(CODE), []).append(step)
    return "; ".join(f"{', '.join(steps)} ({rule})" for rule, steps in by_rule.items())


if __name__ == "__main__":
    sys.stdout.write(page())

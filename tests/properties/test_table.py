"""Properties of the whole table: any inputs, any order, and the law still holds."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.profiles import profile_document
from controller.core.book import Book
from controller.core.codec import arrived_of_line, build, canonical, plain
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS, Person, Setup
from controller.core.stamp import stamp_of
from controller.core.state import Phase, TableState
from controller.core.table import new_state, outputs_of, run
from controller.core.view import Turn
from controller.core.whereabouts import EVERYWHERE
from controller.games import book_of
from tests.play import BEGIN_MS
from tests.properties.course import Line, next_lines
from tests.properties.inputs import LINES

# What houses may declare beside the usual; a game's own deal is one that its text allows.
TIMED = {"approved_device": "ok", "shuffle_timeout_ms": 9000, "dispense_timeout_ms": 9000}
POKER: tuple[dict[str, Any], ...] = (
    {},
    {"shuffle": "manual", "deal": "manual_shoe", "start": "shaker"},
    {"deal": "hand"},
    {"batches": 2, **TIMED},
)
HOUSES: dict[str, tuple[dict[str, Any], ...]] = {
    "dj-wild": POKER,
    "fortune-asia-poker": POKER,
    "blackjack": ({}, {"shuffle": "manual"}, {"deal": "hand", "batches": 1}, TIMED),
    "minibaccarat": ({}, {"shuffle": "manual"}, {"rounds_after_cover": None}, TIMED),
}
# More steps than the longest way from any state to open bets: void, new deck, a whole round.
WAY_OUT_STEPS_MAX = 60
# Reading a state back costs more than deciding an input.
RESTART_EVERY = 7
FEW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck))


def book(game: str, house: int) -> Book:
    setup: Setup = dataclasses.replace(
        DEFAULTS[game], keys={"key1": Person("f1", "floorperson")}, **HOUSES[game][house]
    )
    return book_of(setup, profile_of(profile_document(game)[0]))


BOOKS = {(game, house): book(game, house) for game in HOUSES for house in range(len(HOUSES[game]))}
TABLES = st.sampled_from(sorted(BOOKS))
# `None` takes the next step of the ordinary course, so that random inputs meet every phase.
DAYS = st.lists(st.one_of(st.none(), st.none(), st.none(), LINES), min_size=10, max_size=70)


class Walk:
    """A table driven line by line; each step is checked against what must always hold."""

    def __init__(self, one: Book) -> None:
        self.book = one
        self.state = new_state(one)
        self.number = 0
        self.turns: list[Turn] = []

    def step(self, line: Line | None) -> Turn:
        steps = [line] if line is not None else next_lines(self.book, self.state)
        turn = self._say(steps[0])
        for other in steps[1:]:
            if turn.refusal is None:
                break
            turn = self._say(other)
        return turn

    def _say(self, line: Line) -> Turn:
        self.number += 1
        at_ms = BEGIN_MS + self.number * 1000
        stated = {"at": stamp_of(at_ms), **line}
        arrived = arrived_of_line(stated, self.number, at_ms - BEGIN_MS, 0)
        before = self.state
        turn = run(self.book, before, arrived)
        self.state = turn.state
        self.turns.append(turn)
        check(self.book, before, turn)
        return turn


def check(one: Book, before: TableState, turn: Turn) -> None:
    """What holds after every input, lawful or not."""
    after, kinds = turn.state, [event.type for event in turn.events]
    if turn.refusal is not None:
        left = dataclasses.replace(after, last_mono_ms=before.last_mono_ms)
        assert left == before, "a refused input moves nothing"
        assert kinds == ["input.refused"]
        assert not turn.effects
    if turn.arrived.number % RESTART_EVERY == 0:
        check_restart(one, before, turn)
    for batch in after.batches:
        assert batch.cards.total == one.setup.batch_cards, "every card is somewhere, once"
        assert all(batch.cards.at(place) >= 0 for place in EVERYWHERE)
    stopped = before.void is not None or (before.holds and turn.arrived.source == "shoe")
    if stopped and after.void is not None:
        assert "round.deal_progress" not in kinds, "nothing is dealt while the round is void"
    if before.void is not None and after.void is not None:
        assert "round.completed" not in kinds
    if "round.deal_progress" in kinds:
        load = after.load or before.load
        assert load is not None, "what is dealt was loaded"
        assert "token.spent" not in kinds
    if "round.completed" in kinds:
        assert before.void is None
        assert not before.holds
    locks = set(before.locked)
    for event in turn.events:
        if event.type == "lock.engaged":
            locks.add(event.data["step"])
        if event.type == "lock.released":
            locks.remove(event.data["step"])
    assert locks == set(outputs_of(one, after).locks), "every change of a lock is an event"
    assert after.in_round or after.void is None, "only an open round is made void"


def check_restart(one: Book, before: TableState, turn: Turn) -> None:
    """State to JSON and back is the same state, and the same input gives the same turn."""
    text = canonical(plain(before))
    restarted = build(TableState, json.loads(text), "state")
    assert restarted == before, "a restart forgets nothing"
    assert run(one, restarted, turn.arrived) == turn, "same state and input, same turn"


def check_rounds(turns: list[Turn]) -> None:
    """At most one start position a round; a void round never completes; one end a round."""
    starts: list[int] = []
    ended: list[int] = []
    shuffles = spent = 0
    for turn in turns:
        for event in turn.events:
            if event.type == "startpos.determined":
                starts.append(event.data["round"])
            if event.type in ("round.completed", "round.voided"):
                ended.append(event.data["round"])
            shuffles += event.type == "token.made"
            spent += event.type == "token.spent"
    assert len(set(starts)) == len(starts), "one start position a round"
    assert len(set(ended)) == len(ended), "a round ends once"
    assert spent <= shuffles, "no token is spent twice"


def way_out(walk: Walk) -> None:
    """From any state lawful inputs lead to open bets or to a closed table."""
    for _ in range(WAY_OUT_STEPS_MAX):
        state = walk.state
        free = not state.holds and state.void is None
        if free and state.phase in (Phase.BETS, Phase.CLOSED) and not state.in_round:
            return
        walk.step(None)
    last = [(turn.arrived.item, turn.refusal) for turn in walk.turns[-4:]]
    state = walk.state
    raise AssertionError(f"no way out of {state.phase} {state.holds} {state.void} {last}")


def walked(key: tuple[str, int], day: list[Line | None]) -> Walk:
    walk = Walk(BOOKS[key])
    for line in day:
        walk.step(line)
    check_rounds(walk.turns)
    way_out(walk)
    check_rounds(walk.turns)
    return walk


@FEW
@given(TABLES, DAYS)
def test_any_inputs_in_any_order_leave_a_lawful_table(
    key: tuple[str, int], day: list[Line | None]
) -> None:
    walked(key, day)


@pytest.mark.heavy
@MANY
@given(TABLES, DAYS)
def test_any_inputs_in_any_order_leave_a_lawful_table_many_times(
    key: tuple[str, int], day: list[Line | None]
) -> None:
    walked(key, day)


@pytest.mark.parametrize("key", sorted(BOOKS))
def test_the_ordinary_course_alone_completes_rounds(key: tuple[str, int]) -> None:
    walk = Walk(BOOKS[key])
    for _ in range(400):
        walk.step(None)
    ends = [event.type for turn in walk.turns for event in turn.events]
    assert ends.count("round.completed") + ends.count("round.voided") >= 5

"""A restart between any two inputs is not noticed: same turns, same record, same end."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.core.codec import build, canonical, plain
from controller.core.state import TableState
from controller.core.view import Turn
from controller.journal.record import Chain, seal
from tests.properties.course import Line
from tests.properties.test_table import BOOKS, DAYS, TABLES, Walk

# More inputs than any drawn day has, tries of a step included.
INPUTS_MAX = 200
PLACES = st.frozensets(st.integers(1, INPUTS_MAX), max_size=20)
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=3000, deadline=None, suppress_health_check=list(HealthCheck))


def read_back(state: TableState) -> TableState:
    """The state as a new process finds it: out to the snapshot's bytes and in again."""
    again: TableState = build(TableState, json.loads(canonical(plain(state))), "state")
    return again


class Restarted(Walk):
    """The same table, stopped and started again before the inputs of these numbers."""

    def __init__(self, key: tuple[str, int], before: frozenset[int]) -> None:
        super().__init__(BOOKS[key])
        self.before = before

    def _say(self, line: Line) -> Turn:
        if self.number + 1 in self.before:
            self.state = read_back(self.state)
        return super()._say(line)


def recorded(walk: Walk) -> str:
    """What the whole day left in the record, as the digest that its chain ends with."""
    chain = Chain("restarts", "t-1")
    for turn in walk.turns:
        chain = seal(chain, turn.arrived, turn.events, turn.effects).chain
    return chain.prevhash + chain.inputdigest


def compared(key: tuple[str, int], day: list[Line | None], before: frozenset[int]) -> None:
    whole, often = Walk(BOOKS[key]), Restarted(key, before)
    for line in day:
        whole.step(line)
        often.step(line)
    assert often.turns == whole.turns
    assert often.state == whole.state
    assert recorded(often) == recorded(whole)


@FEW
@given(TABLES, DAYS, PLACES)
def test_a_restart_between_any_two_inputs_leads_to_the_same_end(
    key: tuple[str, int], day: list[Line | None], before: frozenset[int]
) -> None:
    compared(key, day, before)


@pytest.mark.heavy
@MANY
@given(TABLES, DAYS, PLACES)
def test_a_restart_between_any_two_inputs_leads_to_the_same_end_many_times(
    key: tuple[str, int], day: list[Line | None], before: frozenset[int]
) -> None:
    compared(key, day, before)


@pytest.mark.parametrize("key", sorted(BOOKS))
def test_a_restart_before_every_input_of_whole_rounds_is_not_noticed(key: tuple[str, int]) -> None:
    compared(key, [None] * 60, frozenset(range(1, INPUTS_MAX)))

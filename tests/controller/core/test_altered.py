"""A changed copy is what `dataclasses.replace` would have made, and the old value stays."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core import state
from controller.core.altered import altered
from controller.core.state import Batch, Phase, Round, TableState
from controller.core.whereabouts import Whereabouts

SHAPES = [
    kind
    for kind in vars(state).values()
    if dataclasses.is_dataclass(kind) and getattr(kind, "__module__", "") == state.__name__
]
TABLE = TableState(batches=(Batch("A", Whereabouts(table=53)),), methods=state.Methods())


def test_a_changed_state_is_the_same_as_the_library_makes() -> None:
    changed = altered(TABLE, phase=Phase.BETS, round=Round(number=7))
    assert changed == dataclasses.replace(TABLE, phase=Phase.BETS, round=Round(number=7))
    assert changed.phase is Phase.BETS
    assert TABLE.phase is Phase.CLOSED


def test_without_a_change_it_is_an_equal_value() -> None:
    assert altered(TABLE) == TABLE
    assert altered(TABLE) is not TABLE


def test_a_changed_copy_is_as_frozen_as_its_first() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        altered(TABLE, phase=Phase.BETS).phase = Phase.CLOSED  # type: ignore[misc]  # the point


def test_a_member_that_is_not_there_is_a_mistake_of_the_program() -> None:
    with pytest.raises(KeyError):
        altered(TABLE, phases=1)


@pytest.mark.parametrize("kind", SHAPES, ids=lambda kind: kind.__name__)
def test_every_part_of_the_state_can_be_altered(kind: type) -> None:
    assert hasattr(kind, "__slots__")
    assert len(dataclasses.fields(kind)) > 1
    assert not hasattr(kind, "__post_init__")

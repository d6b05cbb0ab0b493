"""Which turns are written together: `controller.decided` and `controller.sealing`."""

from __future__ import annotations

from collections import deque
from pathlib import Path

import pytest

from controller.core.outputs import Outputs
from controller.decided import Decided, Seal, group_of
from controller.intake import Waiting
from controller.journal.record import GENESIS, Chain, SealedEvent, SealedTurn
from controller.journal.seal import Sealer, checkpoint_is_signed
from controller.journal.store import Entry, Snapshot
from controller.sealing import EVENTS_PER_CHECKPOINT, SEALED_AFTER, Sealing


def a_turn(number: int, seal: Seal | None = None) -> Decided[None]:
    chain = Chain("j", "T-1", inputs=number)
    entry = Entry(SealedTurn(chain, number, b"{}", (), ()))
    waiting = Waiting(0, 0, False, "system", None, None)
    return Decided(waiting, entry, None, Outputs(), (), None, True, seal)


SEAL = Seal(1, b"{}", Snapshot(Chain("j", "T-1"), lambda: b"{}"))


@pytest.mark.parametrize(
    ("turns", "most", "numbers"),
    [
        ([], 4, []),
        ([1, 2, 3], 4, [1, 2, 3]),
        ([1, 2, 3], 2, [1, 2]),
        ([1, -2, 3], 4, [1, 2]),
        ([-1, -2], 4, [1]),
    ],
)
def test_a_group_is_bounded_and_ends_at_a_seal(
    turns: list[int], most: int, numbers: list[int]
) -> None:
    waiting = deque(a_turn(abs(one), SEAL if one < 0 else None) for one in turns)
    assert [one.number for one in group_of(waiting, most)] == numbers
    assert len(waiting) == len(turns)


def chain(sequence: int) -> Chain:
    return Chain("j", "T-1", sequence, GENESIS, sequence)


def an_event(kind: str) -> tuple[SealedEvent, ...]:
    return (SealedEvent(1, kind, 0, GENESIS, b"{}"),)


def test_a_checkpoint_is_due_after_many_events_at_once_after_some_and_never_for_nothing(
    tmp_path: Path,
) -> None:
    sealing = Sealing[None](Sealer.from_file(tmp_path / "key").sealed, lambda state: b"{}", 5)
    assert not sealing.is_new(chain(5))
    assert sealing.is_new(chain(6))
    assert not sealing.is_due(chain(5 + EVENTS_PER_CHECKPOINT - 1), an_event("card"))
    assert sealing.is_due(chain(5 + EVENTS_PER_CHECKPOINT), an_event("card"))
    for kind in SEALED_AFTER:
        assert sealing.is_due(chain(6), an_event(kind))
    sealing.done(chain(6))
    assert not sealing.is_due(chain(6), an_event("table.closed"))


def test_a_table_without_a_key_signs_nothing() -> None:
    sealing = Sealing[None](None, lambda state: b"{}", 0)
    assert not sealing.signs
    assert not sealing.is_due(chain(10 * EVENTS_PER_CHECKPOINT), an_event("table.closed"))


def test_a_statement_is_a_row_and_an_input_that_say_the_same(tmp_path: Path) -> None:
    sealer = Sealer.from_file(tmp_path / "key")
    seal, stated = Sealing[str](sealer.sealed, str.encode, 0).statement(chain(7), "state", 1)
    assert seal.sequence == stated.checkpoint.sequence == 7
    assert checkpoint_is_signed(seal.body, sealer.public_key)
    assert stated.public_key == sealer.public_key.hex()
    assert (seal.snapshot.chain, seal.snapshot.body()) == (chain(7), b"state")

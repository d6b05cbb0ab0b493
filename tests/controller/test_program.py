"""The real rules in the engine's shape: states go to the snapshot and come back."""

from __future__ import annotations

import pytest

from config.profiles import profile_document
from controller.core.codec import Unreadable
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.core.state import TableState
from controller.games import book_of
from controller.journal.program import Program
from controller.program import dump_state, load_state, program_of


def real_program(game: str) -> Program[TableState]:
    document, _ = profile_document(game)
    return program_of(book_of(DEFAULTS[game], profile_of(document)))


@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker"])
def test_a_new_state_comes_back_from_its_snapshot(game: str) -> None:
    program = real_program(game)
    state = program.first()
    assert program.load(program.dump(state)) == state
    assert program.timers(state) == {}
    assert program.pending_draw(state) is None
    assert program.outputs(state).digit == " "


@pytest.mark.parametrize("body", [b"", b"{}", b"[]", b"\xff", b'{"batches":7,"methods":{}}'])
def test_what_is_no_state_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable):
        load_state(body)


def test_a_snapshot_is_canonical() -> None:
    body = dump_state(real_program("dj-wild").first())
    assert body == dump_state(load_state(body))

"""A journal knows by which program and book each stretch was decided; another one takes it over."""

from __future__ import annotations

import dataclasses
import hashlib
import sqlite3
from pathlib import Path

import pytest

from controller.core.inputs import Arrived
from controller.journal.program import Program
from controller.journal.replay import Diverged, Restored, restore
from controller.journal.runs import RunRow, run_of
from controller.journal.schema import Run
from controller.journal.store import Store
from controller.journal.trouble import CorruptJournal
from hal.facts import CardDrawn
from tests.controller.journal.test_replay import other_program
from tests.controller.journal.writing import Writer
from tests.controller.small_table import SmallState, SmallTurn, run, small_program

CARD = ("shoe", CardDrawn(1, "down"))
OLD, NEW = Run("h", "old", b'{"book":1}'), Run("h", "new", b'{"book":2}')


async def write(path: Path, what: Run, cards: int = 5, snapshot_after: int | None = None) -> Writer:
    """A journal that ends without a word, its last turns after the last snapshot."""
    store = await Store.open(path, "T-1", run=what)
    writer = Writer(store.chain)
    for number in range(1, cards + 1):
        entry = writer.entry(*CARD)
        await store.commit([entry], writer.snapshot() if number == snapshot_after else None)
    await store.close()
    return writer


async def restored(
    path: Path, what: Run, program: Program[SmallState]
) -> tuple[Restored[SmallState], Store]:
    store = await Store.open(path, "T-1", run=what)
    try:
        return await restore(store, program, lambda body: small_program()), store
    finally:
        await store.close()


def test_an_input_belongs_to_the_last_run_that_began_before_it() -> None:
    runs = [RunRow(1, 0, "first", "a", "", None), RunRow(2, 5, "clean", "b", "", None)]
    found = [run_of(runs, number) for number in (1, 5, 6)]
    assert [one and one.boot for one in found] == [1, 1, 2]
    assert run_of([], 1) is None


async def test_the_same_decisions_of_other_software_are_followed_in_silence(tmp_path: Path) -> None:
    writer = await write(tmp_path / "j", OLD, snapshot_after=2)
    found, _ = await restored(tmp_path / "j", NEW, small_program())
    assert (found.state, found.chain, found.replayed) == (writer.state, writer.chain, 3)
    assert (found.other, found.differs) == ("old", None)


async def test_a_house_that_changed_its_file_since_is_judged_by_the_file_of_then(
    tmp_path: Path,
) -> None:
    writer = await write(tmp_path / "j", OLD)
    # The new book would decide otherwise; the turns are those of the old one.
    same = dataclasses.replace(NEW, program=OLD.program)
    found, _ = await restored(tmp_path / "j", same, other_program())
    assert (found.state, found.chain, found.differs) == (writer.state, writer.chain, None)


async def test_software_that_decides_otherwise_takes_over_and_says_where(tmp_path: Path) -> None:
    writer = await write(tmp_path / "j", OLD, snapshot_after=2)
    found, _ = await restored(tmp_path / "j", dataclasses.replace(OLD, program="new"),
                              other_program())  # fmt: skip
    # The records stand as they are; the state is what the new program makes of the inputs.
    assert found.chain == writer.chain
    assert found.state.cards == 5
    assert found.other == "old"
    assert found.differs is not None
    assert found.differs.startswith("input 3: input 3, event 2")


async def test_the_same_software_that_decides_otherwise_is_damage(tmp_path: Path) -> None:
    await write(tmp_path / "j", OLD)
    with pytest.raises(Diverged, match="input 1, event 2"):
        await restored(tmp_path / "j", OLD, other_program())


async def test_an_input_that_breaks_the_new_software_moves_nothing(tmp_path: Path) -> None:
    def breaks(state: SmallState, arrived: Arrived) -> SmallTurn:
        if arrived.number == 3:
            raise AssertionError("this version cannot")
        return run(state, arrived)

    writer = await write(tmp_path / "j", OLD)
    program = dataclasses.replace(small_program(), run=breaks)
    found, _ = await restored(tmp_path / "j", dataclasses.replace(OLD, program="new"), program)
    assert (found.chain, found.state.cards) == (writer.chain, 4)
    assert found.differs is not None


async def test_a_book_that_is_missing_is_named(tmp_path: Path) -> None:
    await write(tmp_path / "j", OLD)
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute("UPDATE documents SET body = '{}'")
    connection.commit()
    connection.close()
    with pytest.raises(CorruptJournal, match=r"input 1: its book \w{16} is missing"):
        await restored(tmp_path / "j", NEW, other_program())


async def test_the_state_that_a_run_begins_with_is_kept_for_a_later_judge(tmp_path: Path) -> None:
    await write(tmp_path / "j", OLD)
    store = await Store.open(tmp_path / "j", "T-1", run=NEW)
    digest = await store.keep_state(b'{"cards":5}')
    assert digest == hashlib.sha256(b'{"cards":5}').hexdigest()
    assert await store.document(digest) == b'{"cards":5}'
    assert await store.document("0" * 64) is None
    runs = await store.runs()
    assert [(one.boot, one.inputs, one.program, one.state) for one in runs] == [
        (1, 0, "old", None), (2, 5, "new", digest),
    ]  # fmt: skip
    await store.close()

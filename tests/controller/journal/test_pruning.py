"""What is old, delivered and signed for goes; what is left still verifies and still starts."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import pytest

from controller.core.stamp import stamp_of
from controller.journal.pruning import ROWS_PER_PIECE, base_of
from controller.journal.replay import restore
from controller.journal.seal import Sealer
from controller.journal.store import Store
from controller.journal.trouble import CorruptJournal
from controller.journal.verify import verify
from hal.facts import CardDrawn
from tests.controller.journal.writing import MIX, MOMENT_MS, Writer
from tests.controller.small_table import SmallState, small_program

EVER = stamp_of(MOMENT_MS + 10**12)


async def sealed_journal(path: Path, groups: int, each: int = 6, kept: bool = True) -> Writer:
    """`groups` of turns with a checkpoint and its state after each; two turns more at the end."""
    sealer = Sealer.from_file(path.with_name("key"))
    store = await Store.open(path, "T-1")
    writer = Writer(store.chain)
    for _ in range(groups):
        entries = [writer.entry(*MIX[i % len(MIX)]) for i in range(each)]
        statement = sealer.checkpoint(writer.chain, MOMENT_MS + writer.chain.inputs)
        snapshot = writer.snapshot() if kept else None
        await store.commit(entries, snapshot, (writer.chain.sequence, statement))
    await store.commit([writer.entry("shoe", CardDrawn(1, "down")) for _ in range(2)])
    await store.close()
    return writer


async def pruned(store: Store, delivered: int = 10**9, before: str = EVER) -> int:
    """Prune all that may go; how many pieces it took."""
    pieces = 0
    while await store.prune(delivered, before):
        pieces += 1
        assert pieces < 1000
    return pieces


async def test_what_is_left_begins_after_a_signed_statement_and_starts_as_before(
    tmp_path: Path,
) -> None:
    writer = await sealed_journal(tmp_path / "j", 5)
    store = await Store.open(tmp_path / "j", "T-1")
    await pruned(store)
    base = store.base
    assert base is not None
    # The newest checkpoint of all is never the base.
    assert (base.inputs, store.chain) == (24, writer.chain)
    turns = await store.turns_after(base.inputs, 100)
    assert [turn.number for turn in turns] == [*range(25, 33)]
    assert turns[0].ends is not None
    assert len(turns[0].events) == turns[0].ends[0] - base.sequence
    assert f'"prevhash":"{base.hash}"'.encode() in turns[0].events[0]
    assert [e.sequence for e in await store.events_after(0, 2)] == [
        base.sequence + 1, base.sequence + 2,
    ]  # fmt: skip
    await store.close()
    assert verify(tmp_path / "j").problem is None
    again = await Store.open(tmp_path / "j", "T-1")
    restored = await restore(again, small_program())
    assert (restored.state, restored.chain, again.base) == (writer.state, writer.chain, base)
    await again.close()


@pytest.mark.parametrize(
    ("delivered", "before", "inputs"),
    [
        (0, EVER, None),
        (4, EVER, None),
        (5, EVER, 6),
        (14, EVER, 12),
        (15, EVER, 18),
        (10**9, stamp_of(MOMENT_MS + 6), None),
        (10**9, stamp_of(MOMENT_MS + 7), 6),
        (10**9, stamp_of(MOMENT_MS + 12), 6),
        (10**9, stamp_of(MOMENT_MS + 13), 12),
    ],
)
async def test_only_what_is_delivered_and_old_enough_goes(
    tmp_path: Path, delivered: int, before: str, inputs: int | None
) -> None:
    await sealed_journal(tmp_path / "j", 5)
    store = await Store.open(tmp_path / "j", "T-1")
    await pruned(store, delivered, before)
    assert (None if store.base is None else store.base.inputs) == inputs
    await store.close()


async def test_a_checkpoint_without_its_state_is_no_base(tmp_path: Path) -> None:
    await sealed_journal(tmp_path / "j", 5, kept=False)
    store = await Store.open(tmp_path / "j", "T-1")
    assert await pruned(store) == 0
    await store.close()


async def test_it_goes_in_small_pieces_and_a_start_in_between_goes_on_where_it_was(
    tmp_path: Path,
) -> None:
    writer = await sealed_journal(tmp_path / "j", 3, each=3 * ROWS_PER_PIECE)
    pieces, more = 0, True
    while more:
        store = await Store.open(tmp_path / "j", "T-1")
        (before,) = await count(store)
        more = await store.prune(10**9, EVER)
        (after,) = await count(store)
        assert 0 <= before - after <= ROWS_PER_PIECE
        restored = await restore(store, small_program())
        assert (restored.state, restored.chain) == (writer.state, writer.chain)
        await store.close()
        assert verify(tmp_path / "j").problem is None
        pieces += 1
    assert pieces > 6


async def count(store: Store) -> list[int]:
    return await store._worker.do(
        lambda: list(store._connection.execute("SELECT count(*) FROM inputs").fetchone())
    )


async def test_freed_pages_are_used_again(tmp_path: Path) -> None:
    await sealed_journal(tmp_path / "j", 4, each=500)
    store = await Store.open(tmp_path / "j", "T-1")
    before = await store.size()
    await pruned(store)
    after = await store.size()
    assert after.used < before.used / 2
    assert after.used + after.free <= before.used + before.free + 64 * 1024
    await store.close()


async def test_a_state_that_cannot_be_read_is_no_reason_to_begin_anew(tmp_path: Path) -> None:
    await sealed_journal(tmp_path / "j", 4)
    store = await Store.open(tmp_path / "j", "T-1")
    await pruned(store)

    def load(body: bytes) -> SmallState:
        raise ValueError("another shape")

    with pytest.raises(CorruptJournal, match="none can be read"):
        await restore(store, dataclasses.replace(small_program(), load=load))
    await store.close()


def test_a_base_that_is_none_is_named(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "j", isolation_level=None)
    connection.execute("CREATE TABLE base (inputs INTEGER, body TEXT)")
    assert base_of(connection) is None
    connection.execute("INSERT INTO base VALUES (1, '{}')")
    with pytest.raises(CorruptJournal, match="table base"):
        base_of(connection)
    connection.close()

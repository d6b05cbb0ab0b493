"""What is committed stays, all or none; what is not is not there."""

from __future__ import annotations

import asyncio
import multiprocessing
import resource
import sqlite3
import stat
from pathlib import Path

import pytest

from controller.journal import entries
from controller.journal.entries import AnswerRow, Entry
from controller.journal.store import Store
from controller.journal.trouble import (
    CorruptJournal,
    ForeignJournal,
    JournalInUse,
    JournalTrouble,
    StorageFull,
    StorageGone,
)
from hal.facts import CardDrawn
from tests.controller.journal.writing import Writer, write_journal

CARD = ("shoe", CardDrawn(1, "down"))


async def test_head_events_and_cursors_are_there_after_a_new_start(tmp_path: Path) -> None:
    writer = await write_journal(tmp_path / "j")
    store = await Store.open(tmp_path / "j", "T-1")
    assert store.chain == writer.chain
    assert (store.boot, store.previous_end) == (2, "unclean")
    events = await store.events_after(0, 100)
    assert [event.sequence for event in events] == list(range(1, writer.chain.sequence + 1))
    assert [e.sequence for e in await store.events_after(1, 2)] == [2, 3]
    assert await store.events_after(writer.chain.sequence) == []
    await store.set_cursor("mqtt", 3)
    await store.close()
    again = await Store.open(tmp_path / "j", "T-1")
    assert (again.cursor("mqtt"), again.cursor("other")) == (3, 0)
    await again.close()


async def test_events_just_committed_are_the_same_from_memory_and_from_disk(
    tmp_path: Path,
) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    await store.commit([writer.entry(*CARD) for _ in range(20)])
    from_memory = await store.events_after(5, 10)
    store._tail.clear()
    assert await store.events_after(5, 10) == from_memory
    assert [event.sequence for event in from_memory] == list(range(6, 16))
    await store.close()


async def test_an_end_without_close_is_unclean_and_loses_nothing(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    await store.commit([writer.entry(*CARD)])
    # The process ends: the kernel drops its locks and nothing is folded.
    await store._worker.do(store._connection.close)
    again = await Store.open(tmp_path / "j", "T-1")
    assert (again.previous_end, again.chain) == ("unclean", writer.chain)
    await again.close()


async def test_a_batch_is_whole_or_not_there(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    first = writer.entry(*CARD)
    await store.commit([first])
    with pytest.raises(JournalTrouble):
        await store.commit([writer.entry(*CARD), first])
    assert len(await store.turns_after(0, 10)) == 1
    await store.close()
    again = await Store.open(tmp_path / "j", "T-1")
    assert again.chain.inputs == 1
    await again.close()


async def test_a_journal_of_another_table_is_left_alone(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j")
    with pytest.raises(ForeignJournal, match="belongs to table T-1, not to T-2"):
        await Store.open(tmp_path / "j", "T-2")
    store = await Store.open(tmp_path / "j", "T-1")
    assert store.boot == 2
    await store.close()


async def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute("CREATE TABLE holidays (day TEXT)")
    connection.close()
    before = (tmp_path / "j").read_bytes()
    with pytest.raises(ForeignJournal, match="not a journal"):
        await Store.open(tmp_path / "j", "T-1")
    assert (tmp_path / "j").read_bytes() == before


async def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j")
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute("PRAGMA user_version = 3")
    connection.close()
    with pytest.raises(ForeignJournal, match="schema 3; this program reads 1 to 2"):
        await Store.open(tmp_path / "j", "T-1")


async def test_what_is_no_database_is_corrupt(tmp_path: Path) -> None:
    (tmp_path / "j").write_bytes(b"these are the voyages" * 100)
    with pytest.raises(CorruptJournal):
        await Store.open(tmp_path / "j", "T-1")


async def test_a_missing_folder_is_storage_gone(tmp_path: Path) -> None:
    with pytest.raises(StorageGone):
        await Store.open(tmp_path / "nowhere" / "j", "T-1")


async def test_a_changed_last_event_is_named_at_the_opening(tmp_path: Path) -> None:
    writer = await write_journal(tmp_path / "j")
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute(
        "UPDATE events SET body = replace(body, '\"cards\":2', '\"cards\":3') WHERE sequence = ?",
        (writer.chain.sequence,),
    )
    connection.commit()
    connection.close()
    with pytest.raises(CorruptJournal, match=f"event {writer.chain.sequence}: does not have"):
        await Store.open(tmp_path / "j", "T-1")


@pytest.mark.parametrize(
    "loss", ["DELETE FROM events WHERE sequence > 4", "DELETE FROM effects WHERE number = 1"]
)
async def test_missing_last_records_are_named_at_the_opening(tmp_path: Path, loss: str) -> None:
    await write_journal(tmp_path / "j")
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute(loss)
    connection.commit()
    connection.close()
    with pytest.raises(CorruptJournal, match=r"input 6: left \d events and \d effects"):
        await Store.open(tmp_path / "j", "T-1")


def _open_elsewhere(path: str) -> str:
    async def attempt() -> str:
        try:
            await Store.open(Path(path), "T-1")
        except JournalInUse as trouble:
            return str(trouble)
        return "opened"

    return asyncio.run(attempt())


async def test_two_processes_do_not_share_a_journal(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        waiting = pool.apply_async(_open_elsewhere, (str(tmp_path / "j"),))
        said = await asyncio.to_thread(waiting.get, 30)
    assert "another process has this journal open" in said
    await store.commit([Writer(store.chain).entry(*CARD)])
    await store.close()


async def test_the_file_is_readable_by_its_owner_alone(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    await store.commit([Writer(store.chain).entry(*CARD)])
    for file in tmp_path.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    await store.close()


async def test_every_commit_is_synced_and_there_is_one_log(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    ask = store._connection.execute

    def settings() -> list[object]:
        names = ("synchronous", "journal_mode", "locking_mode", "page_size")
        return [ask(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert await store._worker.do(settings) == [2, "wal", "exclusive", 1024]
    await store.close()
    assert [file.name for file in tmp_path.iterdir()] == ["j"]


async def test_a_disk_that_takes_no_more_is_typed_and_nothing_of_the_batch_is_there(
    tmp_path: Path,
) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    await store.commit([writer.entry(*CARD)])
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    wal = (tmp_path / "j-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (wal + 8192, limits[1]))
    try:
        with pytest.raises((StorageFull, StorageGone)):
            await store.commit([writer.entry(*CARD) for _ in range(200)])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(await store.turns_after(0, 1000)) == 1
    assert store.chain.inputs == 1
    await store.close()
    again = await Store.open(tmp_path / "j", "T-1")
    assert again.chain.inputs == 1
    await again.close()


async def test_a_full_database_is_storage_full(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    await store._worker.do(lambda: store._connection.execute("PRAGMA max_page_count = 20"))
    with pytest.raises(StorageFull):
        await store.commit([writer.entry(*CARD) for _ in range(200)])
    await store.close()


async def test_a_closed_journal_says_so_and_closes_twice(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    await store.close()
    await store.close()
    # The thread has ended: a job would wait for ever.
    assert store._closed


async def test_only_the_newest_answers_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "ANSWERS_MAX", 3)
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    for i in range(5):
        turn = writer.entry(*CARD).turn
        answer = AnswerRow("ann", f"c{i}", b'{"result":"accepted","sequences":[]}')
        await store.commit([Entry(turn, "ok", answer)])
    await store.close()
    again = await Store.open(tmp_path / "j", "T-1")
    assert list(again.answers) == [("ann", "c2"), ("ann", "c3"), ("ann", "c4")]
    await again.close()


async def test_how_far_a_device_was_heard_is_kept_with_its_turn_or_not_at_all(
    tmp_path: Path,
) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    entry = writer.entry("shoe", CardDrawn(1, "down"))
    # The same turn twice breaks the commit, as a full disk would.
    with pytest.raises(StorageGone):
        await store.commit([entry, entry], heard={"heard.shoe": 7})
    assert store.cursor("heard.shoe") == 0
    await store.close()
    store = await Store.open(tmp_path / "j", "T-1")
    assert (store.cursor("heard.shoe"), store.chain.inputs) == (0, 0)
    await store.commit([entry], heard={"heard.shoe": 7})
    assert store.cursor("heard.shoe") == 7
    await store.close()
    store = await Store.open(tmp_path / "j", "T-1")
    assert (store.cursor("heard.shoe"), store.chain.inputs) == (7, 1)
    await store.close()

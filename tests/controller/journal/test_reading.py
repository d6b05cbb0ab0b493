"""What the writer reads back is what it wrote, and a changed snapshot is passed over."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from controller.journal.reading import events_in, head_of, newest_snapshots
from controller.journal.record import GENESIS, Chain
from controller.journal.schema import open_file
from controller.journal.seal import Sealer
from controller.journal.trouble import CorruptJournal
from tests.controller.journal.forging import write_sealed
from tests.controller.journal.writing import write_journal


async def test_the_head_is_where_the_writer_stopped(tmp_path: Path) -> None:
    writer = await write_journal(tmp_path / "j")
    opened = open_file(tmp_path / "j", "T-1")
    assert head_of(opened.connection, opened.journal, "T-1") == writer.chain
    events = events_in(opened.connection, 3, 100)
    assert [event.sequence for event in events] == [4, 5]
    assert events[-1].hash == writer.chain.prevhash
    opened.connection.close()


def test_an_empty_journal_stands_at_its_beginning(tmp_path: Path) -> None:
    opened = open_file(tmp_path / "j", "T-1")
    head = head_of(opened.connection, "id", "T-1")
    assert head == Chain("id", "T-1", 0, GENESIS, 0, 0, GENESIS)
    opened.connection.close()


async def test_a_changed_snapshot_is_passed_over(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j")
    connection = sqlite3.connect(tmp_path / "j")
    assert len(newest_snapshots(connection)) == 1
    connection.execute("UPDATE snapshots SET chain = replace(chain, 'T-1', 'T-2')")
    assert newest_snapshots(connection) == []
    connection.close()


def forget(path: Path, last: int) -> sqlite3.Connection:
    """The file as a sound record that ends after input `last`."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DELETE FROM inputs WHERE n > ?", (last,))
    connection.execute("DELETE FROM events WHERE input > ?", (last,))
    connection.execute("DELETE FROM effects WHERE input > ?", (last,))
    return connection


def test_an_older_record_is_known_by_what_was_signed_later(tmp_path: Path) -> None:
    write_sealed(tmp_path / "j", 12, Sealer.from_file(tmp_path / "key"))
    connection = forget(tmp_path / "j", 9)
    with pytest.raises(CorruptJournal, match="event 8: is missing: input 12 and event 10 were"):
        head_of(connection, "j", "T-1")
    connection.execute("DELETE FROM checkpoints WHERE sequence > 5")
    assert head_of(connection, "j", "T-1").inputs == 9
    connection.close()


@pytest.mark.parametrize("reader", ["broker", "store"])
def test_an_older_record_is_known_by_what_was_delivered_later(tmp_path: Path, reader: str) -> None:
    write_sealed(tmp_path / "j", 9, Sealer.from_file(tmp_path / "key"))
    connection = forget(tmp_path / "j", 9)
    connection.execute("INSERT OR REPLACE INTO cursors VALUES (?, 7)", (reader,))
    assert head_of(connection, "j", "T-1").sequence == 7
    connection.execute("UPDATE cursors SET sequence = 8")
    with pytest.raises(CorruptJournal, match=f"event 8: is missing: the {reader} has had event 8"):
        head_of(connection, "j", "T-1")
    connection.execute("UPDATE cursors SET name = 'heard.shoe'")
    assert head_of(connection, "j", "T-1").sequence == 7
    connection.close()


def test_a_last_event_that_was_not_the_one_signed_for_is_refused(tmp_path: Path) -> None:
    write_sealed(tmp_path / "j", 6, Sealer.from_file(tmp_path / "key"))
    connection = sqlite3.connect(tmp_path / "j", isolation_level=None)
    connection.execute('UPDATE checkpoints SET body = replace(body, \'"hash":"\', \'"hash":"0\')')
    with pytest.raises(CorruptJournal, match="event 5: has another hash than was signed for"):
        head_of(connection, "j", "T-1")
    connection.execute("UPDATE checkpoints SET body = '[]'")
    with pytest.raises(CorruptJournal, match="its last statement cannot be read"):
        head_of(connection, "j", "T-1")
    connection.close()

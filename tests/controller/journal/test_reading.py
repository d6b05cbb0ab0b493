"""What the writer reads back is what it wrote, and a changed snapshot is passed over."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from controller.journal.reading import events_in, head_of, newest_snapshots
from controller.journal.record import GENESIS, Chain
from controller.journal.schema import open_file
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

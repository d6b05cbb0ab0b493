"""SQLite's own codes become types, and the message names the place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from controller.journal.trouble import (
    CorruptJournal,
    JournalInUse,
    JournalTrouble,
    StorageFull,
    StorageGone,
    trouble_of,
)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, StorageFull),
        (sqlite3.SQLITE_IOERR_WRITE, StorageGone),
        (sqlite3.SQLITE_READONLY, StorageGone),
        (sqlite3.SQLITE_CANTOPEN, StorageGone),
        (sqlite3.SQLITE_CORRUPT_SEQUENCE, CorruptJournal),
        (sqlite3.SQLITE_NOTADB, CorruptJournal),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, JournalInUse),
    ],
)
def test_a_code_has_its_type(code: int, kind: type[JournalTrouble]) -> None:
    error = sqlite3.OperationalError("said so")
    error.sqlite_errorcode = code
    trouble = trouble_of(error, "the place")
    assert type(trouble) is kind
    assert trouble.place == "the place"
    assert str(trouble).startswith("the place: ")


def test_a_real_error_of_a_read_only_file_is_storage_gone(tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "j").execute("CREATE TABLE t (n)").connection.close()
    connection = sqlite3.connect(f"file:{tmp_path / 'j'}?mode=ro", uri=True)
    with pytest.raises(sqlite3.Error) as raised:
        connection.execute("INSERT INTO t VALUES (1)")
    assert type(trouble_of(raised.value, "j")) is StorageGone
    connection.close()

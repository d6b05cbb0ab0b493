"""A journal of an earlier version is taken over, none of its records lost."""

from __future__ import annotations

from pathlib import Path

from controller.journal.schema import close_file, open_file
from controller.journal.tables import BROKER, SCHEMA_VERSION


def test_a_journal_of_version_1_is_taken_over(tmp_path: Path) -> None:
    opened = open_file(tmp_path / "j", "T-1")
    opened.connection.execute("DROP INDEX draws")
    for table in ("runs", "documents", "base"):
        opened.connection.execute(f"DROP TABLE {table}")
    opened.connection.execute("INSERT INTO meta VALUES ('end', 'clean')")
    opened.connection.execute("INSERT INTO cursors VALUES ('mqtt', 7)")
    opened.connection.execute("INSERT INTO inputs VALUES (1, 'ok', '', 0, 0, '{}')")
    opened.connection.execute("PRAGMA user_version = 1")
    close_file(opened.connection)
    again = open_file(tmp_path / "j", "T-1")
    assert (again.boot, again.previous_end, again.journal) == (2, "unclean", opened.journal)
    assert again.connection.execute("SELECT * FROM cursors").fetchall() == [(BROKER, 7)]
    assert again.connection.execute("PRAGMA user_version").fetchone() == (SCHEMA_VERSION,)
    close_file(again.connection)

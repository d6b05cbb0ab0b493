"""The room's database as one SQLite file: write-ahead log, every commit synced to the disk."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from controller.recorder.archive import ArchiveTrouble, ForeignArchive, Row

APPLICATION_ID = 0x54424C52  # "TBLR"
# An event of 1 KB lies whole in a page; with pages of 4 KiB a third would spill over.
PAGE_OCTETS = 8_192
LOCK_WAIT_S = 5


class SqliteDatabase:
    """Implements `controller.recorder.archive.Database`."""

    def __init__(self, path: Path) -> None:
        """Open or create the file, for its owner alone. Raises ArchiveTrouble."""
        self._place = str(path)
        with self._troubles():
            with contextlib.suppress(FileExistsError):
                os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            self._connection = sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None)
            try:
                self._configure()
            except BaseException:  # whatever it is, the file must not stay open
                self._connection.close()
                raise

    def rows(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        """All rows of a query."""
        with self._troubles():
            return self._connection.execute(statement, values).fetchall()

    def write(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """The statement once for each row."""
        with self._troubles():
            self._connection.executemany(statement, rows) if "?" in statement else (
                self._connection.execute(statement)
            )

    def has_tables(self) -> bool:
        """Whether anything is there."""
        return bool(self.rows("SELECT name FROM sqlite_master LIMIT 1"))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, synced to the disk at its end."""
        with self._troubles():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Fold the log into the file and let go of it."""
        with self._troubles():
            self._connection.close()

    def _configure(self) -> None:
        execute = self._connection.execute
        (identity,) = execute("PRAGMA application_id").fetchone()
        if execute("SELECT name FROM sqlite_master LIMIT 1").fetchone() is None:
            execute(f"PRAGMA page_size = {PAGE_OCTETS}")
            execute("PRAGMA journal_mode = WAL")
            execute(f"PRAGMA application_id = {APPLICATION_ID}")
        elif identity != APPLICATION_ID:
            raise ForeignArchive(f"{self._place}: holds something else than a room's copy")
        execute("PRAGMA synchronous = FULL")
        execute("PRAGMA trusted_schema = OFF")

    @contextlib.contextmanager
    def _troubles(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise ArchiveTrouble(f"{self._place}: {error}") from error
        except OSError as error:
            raise ArchiveTrouble(f"{self._place}: {error.strerror}") from error

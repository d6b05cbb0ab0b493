"""The room's database as one SQLite file: write-ahead log, every commit synced to the disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from controller.journal.log_file import log_of
from controller.recorder.database import ArchiveTrouble, ForeignArchive, Row

APPLICATION_ID = 0x54424C52  # "TBLR"
# An event of 1 KB lies whole in a page; with pages of 4 KiB a third would spill over.
PAGE_OCTETS = 8_192
LOCK_WAIT_S = 5

# Device and number of a file.
Identity = tuple[int, int]


class SqliteDatabase:
    """Implements `controller.recorder.database.Database`."""

    def __init__(self, path: Path, alone: bool = True) -> None:
        """Open or create the file, for its owner alone. Raises ArchiveTrouble.

        Not `alone`: one that is there is opened beside its recorder, by another process.
        """
        self._place = str(path)
        self._path = path
        self._log: Identity | None = None
        with self._troubles(), contextlib.ExitStack() as stack:
            # Open as long as the connection: a close would drop the locks of SQLite.
            create = os.O_CREAT if alone else 0
            self._file = os.open(path, create | os.O_RDWR | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, self._file)
            if alone:
                self._lock()
            self._connection = sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None)
            stack.callback(self._connection.close)
            self._configure()
            stack.pop_all()

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
        """All or nothing, synced to the disk at its end.

        What is no longer under its name would be gone with this process.
        """
        with self._troubles():
            self._refuse_lost()
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._connection.execute("COMMIT")
                self._log = self._log or self._identity_of_log()
            finally:
                if self._connection.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        self._connection.execute("ROLLBACK")

    def close(self) -> None:
        """Fold the log into the file and let go of it."""
        with self._troubles():
            try:
                self._connection.close()
            finally:
                file, self._file = self._file, -1
                if file >= 0:
                    os.close(file)

    def _lock(self) -> None:
        """Two recorders in one database would count the journals twice."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ArchiveTrouble(f"{self._place}: another recorder writes there") from None

    def _refuse_lost(self) -> None:
        held, log = os.fstat(self._file), self._log
        lost = _identity_at(self._path) != (held.st_dev, held.st_ino)
        if lost or (log is not None and self._identity_of_log() != log):
            raise ArchiveTrouble(f"{self._place}: the file or its log was removed or replaced")

    def _identity_of_log(self) -> Identity | None:
        return _identity_at(log_of(self._path))

    def _configure(self) -> None:
        execute = self._connection.execute
        (identity,) = execute("PRAGMA application_id").fetchone()
        if execute("SELECT name FROM sqlite_master LIMIT 1").fetchone() is None:
            execute(f"PRAGMA page_size = {PAGE_OCTETS}")
            # Before the log: who reads the file beside a running recorder looks at its head.
            execute(f"PRAGMA application_id = {APPLICATION_ID}")
            execute("PRAGMA journal_mode = WAL")
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


def _identity_at(path: Path) -> Identity | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino

"""Opens a journal for reading without touching it: no lock is taken, nothing is written.

A journal that is in use is copied first. The copy is whole if the log was not begun anew in the
meantime: its pages are either in the file already or still in the log. Needs Python alone.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from controller.journal.turns import NoTurn, StoredTurn, turns_in, turns_of_lines

SQLITE_MAGIC = b"SQLite format 3\x00"
# Salts of the log's header (SQLite file format 4.1): new ones when the log is begun anew.
WAL_SALTS = slice(16, 24)
COPY_TRIES_MAX = 8
TURNS_PER_READ = 512


class NoJournal(Exception):
    """What was named is no journal and no export, or cannot be read; the message says which."""


@dataclass(frozen=True, slots=True)
class Source:
    """An opened journal or export. `connection` is None for an export."""

    path: Path
    journal: str
    table_id: str
    connection: sqlite3.Connection | None = None
    # Size and time of change when it was opened, None for a copy, which cannot change.
    seen: tuple[int, int] | None = None

    def changed(self) -> bool:
        """Whether somebody wrote to the file since, so that what was read may be torn."""
        return self.seen is not None and self.seen != _look(self.path)

    def turns(self) -> Iterator[StoredTurn]:
        """Every turn from the first. Raises NoTurn or sqlite3.Error where it is damaged."""
        if self.connection is None:
            with self.path.open("rb") as lines:
                next(lines, None)
                yield from turns_of_lines(lines)
            return
        after = 0
        while turns := turns_in(self.connection, after, TURNS_PER_READ):
            yield from turns
            after = turns[-1].number

    def checkpoints(self) -> list[bytes]:
        """The signed statements of a database; those of an export stand in its turns."""
        if self.connection is None:
            return []
        rows = self.connection.execute(
            "SELECT CAST(body AS BLOB) FROM checkpoints ORDER BY sequence"
        )
        return [body for (body,) in rows]


@contextlib.contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """A database, in use or not, or an export in JSON Lines. Raises NoJournal."""
    try:
        with path.open("rb") as file:
            magic = file.read(len(SQLITE_MAGIC))
            first = magic + file.readline(65536)
    except OSError as error:
        raise NoJournal(f"{path}: {error.strerror}") from None
    if magic != SQLITE_MAGIC:
        yield _export(path, first)
        return
    with contextlib.ExitStack() as stack:
        seen = None
        wal = path.with_name(path.name + "-wal")
        if wal.exists() and wal.stat().st_size:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="journal-")))
            where = _copy(path, wal, folder / "journal").as_uri()
        else:
            # Immutable: SQLite takes no lock, so that a controller that starts now is not kept out.
            seen = _look(path)
            where = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        connection = sqlite3.connect(where, uri=True, isolation_level=None)
        stack.callback(connection.close)
        try:
            meta = dict(connection.execute("SELECT key, value FROM meta"))
            source = Source(path, str(meta["journal"]), str(meta["table_id"]), connection, seen)
        except (sqlite3.Error, KeyError, ValueError) as error:
            raise NoJournal(f"{path}: not a journal, or damaged at its head: {error}") from None
        yield source


def _look(path: Path) -> tuple[int, int]:
    now = path.stat()
    return now.st_size, now.st_mtime_ns


def _export(path: Path, first: bytes) -> Source:
    try:
        head = json.loads(first)["journal"]
        return Source(path, str(head["id"]), str(head["table"]))
    except (ValueError, KeyError, TypeError):
        raise NoJournal(f"{path}: neither a journal nor its export") from None


def _copy(path: Path, wal: Path, to: Path) -> Path:
    for _ in range(COPY_TRIES_MAX):
        try:
            before = _salts(wal)
            shutil.copyfile(path, to)
            shutil.copyfile(wal, to.with_name(to.name + "-wal"))
        except OSError as error:
            raise NoJournal(f"{path}: cannot be copied: {error.strerror}") from None
        if _salts(wal) == before:
            return to
    raise NoJournal(f"{path}: changes faster than it can be copied")


def _salts(wal: Path) -> bytes:
    with wal.open("rb") as file:
        return file.read(32)[WAL_SALTS]


__all__ = ["NoJournal", "NoTurn", "Source", "open_source"]

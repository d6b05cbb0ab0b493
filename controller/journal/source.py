"""Opens a journal or an export for reading without touching it: no lock, nothing written.

A journal that is in use, or was not closed, is copied first. The copy is whole if the log was not
begun anew in the meantime: its pages are either in the file already or still in the log. Needs
Python alone.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sqlite3
import stat
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from controller.journal.log_file import log_of
from controller.journal.proof.lines import LINE_OCTETS_MAX, Loose, NoTurn, lines_in, parts_of_lines
from controller.journal.proof.report import GENESIS, Wrong
from controller.journal.proof.rows import (
    NoDatabase,
    RowsOfTurn,
    base_of,
    guard,
    has_table,
    rows_of_turns,
    standing_of,
)
from controller.journal.proof.statement import KEYS_MAX, key_of_text
from controller.journal.proof.strict import JsonObject
from controller.journal.proof.walk import Standing
from controller.journal.runs import RunRow, run_of, runs_in
from controller.journal.turns import StoredTurn, turns_in

SQLITE_MAGIC = b"SQLite format 3\x00"
# Salts of the log's header (SQLite file format 4.1): new ones when the log is begun anew.
WAL_SALTS = slice(16, 24)
COPY_TRIES_MAX = 8
TURNS_PER_READ = 512
# A journal keeps four, and the one at its base.
SNAPSHOTS_READ_MAX = 16
# One a change of profile, of the table's file, or of the software after an unclean end.
DOCUMENTS_READ_MAX = 1000

Part = RowsOfTurn | Loose


class NoJournal(Exception):
    """What was named is no journal and no export, or cannot be read; the message says which."""


@dataclass(frozen=True, slots=True)
class SavedState:
    """The state after input `number`, canonical, and the chain there."""

    number: int
    chain: bytes
    body: bytes

    def record(self) -> bytes:
        """The form of an export: both under one roof, canonical as they are."""
        return b'{"chain":' + self.chain + b',"state":' + self.body + b"}"


@dataclass(slots=True)
class Source:
    """An opened journal or export. `connection` is None for an export.

    `base` is where the record begins, `statement` the signed word for it in a pruned database;
    `head` are the members of an export's first line. `part` says that the record was left out
    before and after. `read` and `size` tell how far `parts` has come: inputs, or octets.
    """

    path: Path
    journal: str
    table_id: str
    connection: sqlite3.Connection | None = None
    # Size and time of change when it was opened, None for a copy, which cannot change.
    seen: tuple[int, int] | None = None
    base: Standing = field(default_factory=Standing)
    statement: bytes | None = None
    head: JsonObject = field(default_factory=dict)
    part: bool = False
    keys: tuple[bytes, ...] = ()
    read: int = 0
    size: int = 0

    def changed(self) -> bool:
        """Whether somebody wrote to the file since, so that what was read may be torn."""
        return self.seen is not None and self.seen != _look(self.path)

    def parts(self) -> Iterator[Part]:
        """All that it holds, in order. Raises NoTurn, Wrong or sqlite3.Error where damaged."""
        if self.connection is not None:
            for rows in rows_of_turns(self.connection, self.base):
                self.read = rows.turn.number
                yield rows
            return
        with self.path.open("rb") as file:
            file.readline(LINE_OCTETS_MAX)
            for part in parts_of_lines(lines_in(file), self.base.inputs + 1):
                self.read = file.tell()
                yield part if isinstance(part, Loose) else RowsOfTurn(part, ())

    def turns(self) -> Iterator[StoredTurn]:
        """Every turn from the first. Raises NoTurn or sqlite3.Error where it is damaged."""
        if self.connection is None:
            for part in self.parts():
                if isinstance(part, RowsOfTurn):
                    yield part.turn
            return
        after = self.base.inputs
        while turns := turns_in(self.connection, after, TURNS_PER_READ):
            yield from turns
            after = self.read = turns[-1].number

    def checkpoints(self) -> list[bytes]:
        """The signed statements of a database; those of an export stand in its turns."""
        if self.connection is None:
            return []
        rows = self.connection.execute(
            "SELECT CAST(body AS BLOB) FROM checkpoints ORDER BY sequence"
        )
        return [body for (body,) in rows]

    def snapshots(self) -> list[SavedState]:
        """The saved states of a database that are whole, oldest first; an export has its own line
        for one. Raises sqlite3.Error."""
        if self.connection is None:
            return []
        rows = self.connection.execute(
            "SELECT input, digest, CAST(chain AS BLOB), CAST(body AS BLOB) FROM snapshots"
            " WHERE input >= ? ORDER BY input LIMIT ?",
            (self.base.inputs, SNAPSHOTS_READ_MAX),
        )
        return [
            SavedState(number, chain, body)
            for number, digest, chain, body in rows
            if digest == hashlib.sha256(chain + b"\n" + body).hexdigest()
        ]

    def stations(self) -> dict[int, bytes]:
        """States that a replay may begin with, by the last input before them: the one at the base,
        and those with which other software took over. Raises sqlite3.Error."""
        if self.connection is None:
            return {}
        stations = {one.number: one.body for one in self.snapshots()
                    if one.number == self.base.inputs and one.number}  # fmt: skip
        documents = self.documents()
        for run in self._runs():
            if run.state is not None and run.inputs >= self.base.inputs:
                stations[run.inputs] = documents.get(run.state, b"")
        return stations

    def book(self) -> str:
        """The digest of the book that the first turn was decided by; empty where it is not told."""
        software = self.head.get("software")
        if isinstance(software, dict):
            return str(software.get("book", ""))
        run = run_of(self._runs(), self.base.inputs + 1)
        return "" if run is None else run.book

    def _runs(self) -> list[RunRow]:
        if self.connection is None or not has_table(self.connection, "runs"):
            return []
        return runs_in(self.connection)

    def documents(self) -> dict[str, bytes]:
        """What decisions rest on beside the inputs, by digest. Raises sqlite3.Error."""
        if self.connection is None or not has_table(self.connection, "documents"):
            return {}
        rows = self.connection.execute(
            "SELECT digest, CAST(body AS BLOB) FROM documents LIMIT ?", (DOCUMENTS_READ_MAX,)
        )
        return dict(rows)


@contextlib.contextmanager
def open_source(path: Path) -> Iterator[Source]:
    """A database, in use or not, or an export in JSON Lines. Raises NoJournal."""
    try:
        # A pipe would be waited for, and cannot be read twice.
        if not stat.S_ISREG(path.stat().st_mode):
            raise NoJournal(f"{path}: is no file; name a journal or an export")
        with path.open("rb") as file:
            first = file.readline(LINE_OCTETS_MAX)
    except OSError as error:
        raise NoJournal(f"{path}: {error.strerror}") from None
    if not first.startswith(SQLITE_MAGIC):
        yield _export(path, first)
        return
    with contextlib.ExitStack() as stack:
        connection, seen = connected(path, stack)
        try:
            yield _database(path, connection, seen)
        except NoDatabase as error:
            raise NoJournal(f"{path}: {error}") from None


@contextlib.contextmanager
def open_copy(path: Path) -> Iterator[Source]:
    """A copy of a journal with its log, which is the reader's own to write to. Raises NoJournal."""
    connection = sqlite3.connect(path, isolation_level=None)
    with contextlib.closing(connection):
        try:
            yield _database(path, connection, None)
        except NoDatabase as error:
            raise NoJournal(f"{path}: {error}") from None


def connected(
    path: Path, stack: contextlib.ExitStack
) -> tuple[sqlite3.Connection, tuple[int, int] | None]:
    """A connection that leaves the database as it is, and what the file looked like; None for a
    copy, which is taken where there is a log beside it. Raises NoJournal."""
    wal = log_of(path)
    seen = None
    if wal.exists() and wal.stat().st_size:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="journal-")))
        copy_of(path, wal, folder / "journal")
        where = (folder / "journal").as_uri()
    else:
        # Immutable: SQLite takes no lock, so that a controller that starts now is not kept out.
        seen = _look(path)
        where = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(where, uri=True, isolation_level=None)
    stack.callback(connection.close)
    return connection, seen


def _database(path: Path, connection: sqlite3.Connection, seen: tuple[int, int] | None) -> Source:
    try:
        guard(connection)
        meta = dict(connection.execute("SELECT key, value FROM meta LIMIT 64"))
        base, statement = base_of(connection)
        (last,) = connection.execute("SELECT max(n) FROM inputs").fetchone()
        head: JsonObject = {name: meta[name] for name in ("game",) if meta.get(name)}
        return Source(
            path, str(meta["journal"]), str(meta["table_id"]), connection, seen, base, statement,
            head, size=last or 0,
        )  # fmt: skip
    except Wrong as error:
        raise NoJournal(f"{path}: {error.problem}") from None
    except (sqlite3.Error, KeyError, ValueError) as error:
        raise NoJournal(f"{path}: not a journal, or damaged at its head: {error}") from None


def _look(path: Path) -> tuple[int, int]:
    now = path.stat()
    return now.st_size, now.st_mtime_ns


def _export(path: Path, first: bytes) -> Source:
    try:
        head = json.loads(first)["journal"]
        source = Source(path, str(head["id"]), str(head["table"]), size=path.stat().st_size)
        if "base" in head:
            source.base = standing_of("the head", dict(head["base"]))
        source.part = "part" in head
        keys = head.get("keys", [])[:KEYS_MAX]
        source.keys = tuple(key_of_text(str(key).encode()) for key in keys)
        source.head = head
    except Wrong as error:
        raise NoJournal(f"{path}: {error.problem}") from None
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NoJournal(f"{path}: neither a journal nor its export") from None
    return source


def copy_of(path: Path, wal: Path, to: Path) -> bytes:
    """Copy a journal in use with its log; the salts of that log. Raises NoJournal."""
    for _ in range(COPY_TRIES_MAX):
        try:
            before = salts_of(wal)
            shutil.copyfile(path, to)
            shutil.copyfile(wal, to.with_name(to.name + "-wal"))
            if salts_of(wal) == before:
                return before
        except OSError as error:
            raise NoJournal(f"{path}: cannot be copied: {error.strerror}") from None
    raise NoJournal(f"{path}: changes faster than it can be copied")


def salts_of(wal: Path) -> bytes:
    """What a log is told apart by from the one that stood in its place before. Raises OSError."""
    with wal.open("rb") as file:
        return file.read(32)[WAL_SALTS]


__all__ = ["GENESIS", "NoJournal", "NoTurn", "Source", "open_source"]

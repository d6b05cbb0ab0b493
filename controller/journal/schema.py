"""The journal's file: its tables, the settings of its connection and the checks at its opening.

    meta        what the file is: journal id, table id, boot counter, whether it was closed cleanly
    inputs      one row an input; `digest`, `sequence` and `effects` say where the whole turn left
                the running digest and the counts of events and effects; outcome `ok`, or `fault`
                where the program broke on it (a replay passes over it)
    effects     numbered from 1 through the journal; `input` is the turn that decided it
    events      the chain of envelopes, `body` being the very bytes that are published
    snapshots   the state and the chain after an input, so that a start need not replay it all
    answers     what each command was told, so that the same id again is told the same
    cursors     how far each reader of the events has come
    checkpoints signed statements about the chain
Every body is canonical JSON as text, so that an inspector may look with any SQLite tool.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from controller.journal.trouble import CorruptJournal, ForeignJournal, StorageGone, trouble_of

APPLICATION_ID = 0x54424C43  # "TBLC"
SCHEMA_VERSION = 1
# A commit writes whole pages: 9.6 KB an event with pages of 1 KiB, 15 KB with the usual 4 KiB,
# against 8.5 KB of a bare append (measured, one event a commit).
PAGE_OCTETS = 1024
# 4 MiB of log before it is folded into the file: one such pause in some 400 lone commits.
WAL_PAGES_MAX = 4096
# A restart may overlap the last moments of the process before it.
LOCK_WAIT_S = 2

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE inputs (n INTEGER PRIMARY KEY, outcome TEXT NOT NULL, digest TEXT NOT NULL,
  sequence INTEGER NOT NULL, effects INTEGER NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE effects (number INTEGER PRIMARY KEY, input INTEGER NOT NULL, id TEXT NOT NULL,
  body TEXT NOT NULL) STRICT;
CREATE TABLE events (sequence INTEGER PRIMARY KEY, input INTEGER NOT NULL, type TEXT NOT NULL,
  severity INTEGER NOT NULL, hash TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE snapshots (input INTEGER PRIMARY KEY, digest TEXT NOT NULL,
  chain TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE answers (number INTEGER PRIMARY KEY, input INTEGER NOT NULL, principal TEXT NOT NULL,
  command TEXT NOT NULL, body TEXT NOT NULL) STRICT;
CREATE TABLE cursors (name TEXT PRIMARY KEY, sequence INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE checkpoints (sequence INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT
"""


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection that passed its checks. `previous_end` is `first`, `clean` or `unclean`."""

    connection: sqlite3.Connection
    journal: str
    boot: int
    previous_end: str


def open_file(path: Path, table_id: str, game: str = "") -> Opened:
    """Open or create the journal of one table and count this start in it, durably.

    A journal holds one `game`, because its inputs are decided again by that game's rules.

    Raises JournalTrouble: StorageGone, StorageFull, ForeignJournal, CorruptJournal, JournalInUse.
    """
    place = str(path)
    _create_private(path)
    with _closed_on_failure(place) as stack:
        connection = sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None)
        stack.callback(connection.close)
        # Exclusive: one connection in one process (SQLite before 3.51.3 has a race with two), and
        # no shared memory file beside the journal.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _refuse_foreign(connection, place)
        _configure(connection)
        connection.execute("BEGIN IMMEDIATE")
        if not _table_names(connection):
            _create(connection, table_id, game)
        meta = _checked_meta(connection, place, table_id, game)
        boot = int(meta["boot"]) + 1
        previous_end = "first" if boot == 1 else meta["end"]
        connection.execute("UPDATE meta SET value = ? WHERE key = 'boot'", (str(boot),))
        connection.execute("UPDATE meta SET value = 'unclean' WHERE key = 'end'")
        connection.execute("COMMIT")
        stack.pop_all()
    return Opened(connection, meta["journal"], boot, previous_end)


def close_file(connection: sqlite3.Connection) -> None:
    """Note the clean end, fold the log into the file and let go of it. Raises sqlite3.Error."""
    connection.execute("UPDATE meta SET value = 'clean' WHERE key = 'end'")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, place: str) -> Iterator[None]:
    """All or nothing, synced to the disk at its end. Raises JournalTrouble."""
    try:
        connection.execute("BEGIN")
        yield
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise trouble_of(error, place) from error
    finally:
        # Whatever broke it. After some failures SQLite has rolled back by itself already.
        if connection.in_transaction:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")


def _create_private(path: Path) -> None:
    """A new journal is readable by its owner alone, and its name survives a power cut.

    Only a file that is not there yet is opened here: closing a descriptor of one that is in use
    would drop the locks that this process holds on it.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    except FileExistsError:
        return
    except OSError as error:
        raise StorageGone(str(path), error.strerror or "cannot be created") from error


@contextlib.contextmanager
def _closed_on_failure(place: str) -> Iterator[contextlib.ExitStack]:
    with contextlib.ExitStack() as stack:
        try:
            yield stack
        except sqlite3.Error as error:
            raise trouble_of(error, place) from error


def _refuse_foreign(connection: sqlite3.Connection, place: str) -> None:
    """Before any setting is written: another program's file is left as it is."""
    (application_id,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if not _table_names(connection):
        return
    if application_id != APPLICATION_ID:
        raise ForeignJournal(place, "not a journal of a table controller")
    if version != SCHEMA_VERSION:
        raise ForeignJournal(place, f"schema {version}; this program reads {SCHEMA_VERSION}")


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE_OCTETS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES_MAX}")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def _table_names(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}


def _create(connection: sqlite3.Connection, table_id: str, game: str) -> None:
    for statement in TABLES.split(";"):
        connection.execute(statement)
    # 128 random bits: two journals never share an id, so no event of one passes for the other's.
    rows = [
        ("journal", secrets.token_hex(16)), ("table_id", table_id), ("boot", "0"), ("end", "clean"),
        ("game", game),
    ]  # fmt: skip
    connection.executemany("INSERT INTO meta VALUES (?, ?)", rows)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _checked_meta(
    connection: sqlite3.Connection, place: str, table_id: str, game: str
) -> dict[str, str]:
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    missing = {"journal", "table_id", "boot", "end"} - meta.keys()
    if missing or not meta["boot"].isdecimal():
        what = ", ".join(sorted(missing)) or "a boot counter"
        raise CorruptJournal(f"{place}: table meta", f"lacks {what}")
    if meta["table_id"] != table_id:
        raise ForeignJournal(place, f"belongs to table {meta['table_id']}, not to {table_id}")
    kept = meta.get("game")
    if game and kept and kept != game:
        mend = "give each game a journal of its own: [journal] path"
        raise ForeignJournal(place, f"holds the record of {kept}, not of {game}; {mend}")
    return meta

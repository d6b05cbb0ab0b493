"""The journal's file: the settings of its connection and the checks at its opening."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from controller.journal.tables import APPLICATION_ID, SCHEMA_VERSION, create, table_names, upgrade
from controller.journal.trouble import CorruptJournal, ForeignJournal, StorageGone, trouble_of

# A commit writes whole pages: 9.6 KB an event with pages of 1 KiB, 15 KB with the usual 4 KiB,
# against 8.5 KB of a bare append (measured, one event a commit).
PAGE_OCTETS = 1024
# 4 MiB of log before it is folded into the file: one such pause in some 400 lone commits.
WAL_PAGES_MAX = 4096
# A restart may overlap the last moments of the process before it.
LOCK_WAIT_S = 2
# What a journal is called until it is one.
BEGINNING = ".begun"


@dataclass(frozen=True, slots=True)
class Run:
    """What a start says of itself: the boot id of the host's kernel, the program's digest, and
    the canonical document of profile and house setup. Empty where there is none."""

    host: str = ""
    program: str = ""
    book: bytes = b""


NO_RUN = Run()


@dataclass(frozen=True, slots=True)
class Opened:
    """A connection that passed its checks.

    `previous_end` is how the run before ended: `first` (there was none), `clean` (`stopped` is its
    last input), `fault` (the program broke), `crash` (the host has run on), `power` (the host
    itself began anew) or `unclean` (one of the two, it cannot be told which).
    """

    connection: sqlite3.Connection
    journal: str
    boot: int
    previous_end: str


def open_file(path: Path, table_id: str, game: str = "", run: Run | None = NO_RUN) -> Opened:
    """Open or create the journal of one table and note this start in it, durably.

    Without a `run` it is only tried whether the disk takes a write: the boot counts, and no start
    is noted.

    A journal holds one `game`, because its inputs are decided again by that game's rules.

    Raises JournalTrouble: StorageGone, StorageFull, ForeignJournal, CorruptJournal, JournalInUse.
    """
    place = str(path)
    with _closed_on_failure(place) as stack:
        _begin(path, table_id, game)
        connection = sqlite3.connect(path, timeout=LOCK_WAIT_S, isolation_level=None)
        stack.callback(connection.close)
        # Exclusive: one connection in one process (SQLite before 3.51.3 has a race with two), and
        # no shared memory file beside the journal.
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        _refuse_foreign(connection, place)
        _configure(connection)
        connection.execute("BEGIN IMMEDIATE")
        upgrade(connection)
        meta = _checked_meta(connection, place, table_id, game)
        boot = int(meta["boot"]) + 1
        previous_end = _previous_end(connection, "" if run is None else run.host)
        connection.execute("UPDATE meta SET value = ? WHERE key = 'boot'", (str(boot),))
        if run is not None:
            _note_run(connection, boot, previous_end, run)
        connection.execute("COMMIT")
        stack.pop_all()
    return Opened(connection, meta["journal"], boot, previous_end)


def close_file(connection: sqlite3.Connection) -> None:
    """Fold the log into the file and let go of it. Raises sqlite3.Error."""
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


def _begin(path: Path, table_id: str, game: str) -> None:
    """A new journal where there is none: readable by its owner alone, there as a whole or not at
    all, its name safe from a power cut.

    So a file without a record is never one of ours that was about to begin: it was emptied.
    Raises StorageGone, sqlite3.Error.
    """
    if path.exists():
        return
    beginning = path.with_name(f"{path.name}{BEGINNING}")
    try:
        for leftover in (beginning, path.with_name(f"{beginning.name}-journal")):
            leftover.unlink(missing_ok=True)
        os.close(os.open(beginning, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        with contextlib.closing(sqlite3.connect(beginning, isolation_level=None)) as connection:
            connection.execute(f"PRAGMA page_size = {PAGE_OCTETS}")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("BEGIN IMMEDIATE")
            create(connection, table_id, game)
            connection.execute("COMMIT")
        # A link takes no place that somebody else has taken meanwhile, as a rename would.
        with contextlib.suppress(FileExistsError):
            path.hardlink_to(beginning)
        beginning.unlink()
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
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
    if not table_names(connection) and not application_id:
        raise CorruptJournal(place, "holds no record: it was emptied, or is no journal")
    if application_id != APPLICATION_ID:
        raise ForeignJournal(place, "not a journal of a table controller")
    if not 1 <= version <= SCHEMA_VERSION:
        raise ForeignJournal(place, f"schema {version}; this program reads 1 to {SCHEMA_VERSION}")
    added = connection.execute(
        "SELECT type, name FROM sqlite_master WHERE type IN ('trigger', 'view') LIMIT 1"
    ).fetchone()
    if added is not None:
        # A trigger may swallow a record while its commit succeeds.
        raise CorruptJournal(place, f"has a {added[0]} {added[1]!a:.80}, which no journal has")


def _configure(connection: sqlite3.Connection) -> None:
    connection.execute(f"PRAGMA page_size = {PAGE_OCTETS}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute(f"PRAGMA wal_autocheckpoint = {WAL_PAGES_MAX}")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")


def _previous_end(connection: sqlite3.Connection, host: str) -> str:
    """The record itself says whether it ended in order, so that no mark can contradict it."""
    last_input = connection.execute(
        "SELECT outcome, body FROM inputs ORDER BY n DESC LIMIT 1"
    ).fetchone()
    run = connection.execute("SELECT host FROM runs ORDER BY boot DESC LIMIT 1").fetchone()
    if last_input is None and run is None:
        return "first"
    outcome, body = last_input or ("ok", "{}")
    if outcome == "fault":
        return "fault"
    with contextlib.suppress(ValueError, KeyError, TypeError):
        last = json.loads(body)
        if (last["from"], last["type"]) == ("system", "stopped"):
            return "clean"
    (before,) = run or ("",)
    if not before or not host:
        return "unclean"
    return "crash" if before == host else "power"


def _note_run(connection: sqlite3.Connection, boot: int, previous_end: str, run: Run) -> None:
    (inputs,) = connection.execute("SELECT coalesce(max(n), 0) FROM inputs").fetchone()
    digest = ""
    if run.book:
        digest = hashlib.sha256(run.book).hexdigest()
        connection.execute(
            "INSERT OR IGNORE INTO documents VALUES (?, 'book', ?)", (digest, run.book.decode())
        )
    connection.execute(
        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, NULL)",
        (boot, inputs, run.host, previous_end, run.program, digest),
    )


def _checked_meta(
    connection: sqlite3.Connection, place: str, table_id: str, game: str
) -> dict[str, str]:
    meta = dict(connection.execute("SELECT key, value FROM meta"))
    missing = {"journal", "table_id", "boot"} - meta.keys()
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

"""The surveillance room's own copy, as an auditor reads it: the events of many tables' journals.

It holds no inputs, so what can be checked is the chain of events with its signatures.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from controller.journal.proof.report import GENESIS, Problem, Report, Wrong, members_at, wrong
from controller.journal.proof.rows import NoDatabase, guard_tables, trouble_in_trees
from controller.journal.proof.statement import Keys
from controller.journal.proof.walk import Columns, Standing, Walk
from controller.journal.proof.witness import Witness
from controller.journal.source import SQLITE_MAGIC, NoJournal, connected

# What the room's program writes into its file (docs/recorder.md).
APPLICATION_ID = b"TBLR"
ID_OCTETS = slice(68, 72)
TABLES = ("journals", "events")
# A casino's tables over some years; a file with more is no room's.
JOURNALS_MAX = 100_000


@dataclass(frozen=True, slots=True)
class RoomJournal:
    """One table's journal in the room's copy; `number` is its key there."""

    number: int
    journal: str
    table: str


@dataclass(frozen=True, slots=True)
class Room:
    """An opened copy. Everything raises sqlite3.Error where the file is damaged."""

    path: Path
    connection: sqlite3.Connection

    def journals(self) -> list[RoomJournal]:
        """In the order in which they came to be known."""
        rows = self.connection.execute(
            "SELECT number, journal, table_id FROM journals ORDER BY number LIMIT ?",
            (JOURNALS_MAX,),
        )
        return [RoomJournal(number, str(journal), str(table)) for number, journal, table in rows]

    def events(self, journal: RoomJournal) -> Iterator[tuple[bytes, Columns]]:
        """Its events in order: body, and what the row says beside it. Raises Wrong."""
        rows = self.connection.execute(
            "SELECT sequence, type, severity, hash, CAST(body AS BLOB) FROM events"
            " WHERE journal = ? ORDER BY sequence",
            (journal.number,),
        )
        for sequence, kind, severity, digest, body in rows:
            if not isinstance(body, bytes):
                wrong(f"event {sequence}", "column", "its row has no text")
            yield body, (kind, severity, digest)


def is_room(path: Path) -> bool:
    """Whether the file says of itself that it is a room's copy."""
    with contextlib.suppress(OSError):
        if path.is_file():
            with path.open("rb") as file:
                head = file.read(ID_OCTETS.stop)
            return head.startswith(SQLITE_MAGIC) and head[ID_OCTETS] == APPLICATION_ID
    return False


@contextlib.contextmanager
def open_room(path: Path) -> Iterator[Room]:
    """The copy, in use or not, without touching it. Raises NoJournal."""
    with contextlib.ExitStack() as stack:
        connection, _ = connected(path, stack)
        try:
            guard_tables(connection, TABLES)
        except (NoDatabase, sqlite3.Error) as error:
            raise NoJournal(f"{path}: not a room's copy, or damaged at its head: {error}") from None
        yield Room(path, connection)


def verify_room(
    path: Path,
    keys: Sequence[bytes] = (),
    witness: Witness | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Report]:
    """A report for each journal that the copy holds. Raises NoJournal."""
    with open_room(path) as room:
        try:
            journals = room.journals()
        except sqlite3.Error as error:
            raise NoJournal(f"{path}: damaged: {error}") from None
        reports = []
        for count, journal in enumerate(journals, start=1):
            report = Report(journal.journal, journal.table)
            reports.append(report)
            try:
                _check(room, journal, report, Keys(keys), witness)
            except Wrong as found:
                report.problem = found.problem
            except sqlite3.Error as error:
                trouble = trouble_in_trees(room.connection) or str(error)
                report.problem = Problem(f"after event {report.last}", "damaged", trouble)
            if progress is not None:
                progress(count, len(journals))
        return reports


def _check(
    room: Room, journal: RoomJournal, report: Report, keys: Keys, witness: Witness | None
) -> None:
    walk: Walk | None = None
    testimony = None
    for body, columns in room.events(journal):
        if walk is None:
            standing = _before(body)
            if witness is not None:
                testimony = witness.about(journal.journal, journal.table, standing.events + 1)
            walk = Walk(report, standing, keys, testimony, part=True)
        walk.link(body, columns)
    if walk is not None:
        walk.end()
        report.witnessed = testimony.agreed if testimony is not None else None
        if keys.pinned and report.sealed == 0:
            wrong("the record", "signature", "no checkpoint covers any of its events")


def _before(body: bytes) -> Standing:
    """Where the copy of a journal begins: at its first event, or at the first that the room had."""
    members = members_at("the first event", body)
    told, before = members.get("sequence"), members.get("prevhash")
    if not isinstance(told, str) or not told.isdecimal() or len(told) > 20:
        wrong("the first event", "identity", "has no sequence")
    if not isinstance(before, str) or int(told) == 1:
        before = GENESIS
    return Standing(events=int(told) - 1, head=before)

"""A person closes a finding that does not end by itself: named, with a reason, in the room's store.

Written beside the recorder, which may run meanwhile: it sees the row and ends its alarm. What was
found stays as it was found, and so does the dispute of its journal.
"""

from __future__ import annotations

from dataclasses import dataclass

from controller.recorder.database import ArchiveTrouble, Database, int_of, is_prepared
from controller.recorder.findings import PASSING, Finding

PERSON_CHARACTERS_MAX = 64
REASON_CHARACTERS_MAX = 200
# Copies of before begin without it.
CLOSINGS = """CREATE TABLE IF NOT EXISTS closings (number BIGINT PRIMARY KEY, at TEXT NOT NULL,
  person TEXT NOT NULL, reason TEXT NOT NULL)"""


@dataclass(frozen=True, slots=True)
class Closing:
    """`person` closed finding `number` at `at`, UTC."""

    number: int
    at: str
    person: str
    reason: str


class NotToClose(Exception):
    """The finding cannot be closed by a person; the message says why."""


def findings_of(database: Database) -> list[Finding]:
    """Those that are open and that nobody has closed yet. Raises ArchiveTrouble."""
    _refuse_strange(database)
    with database.transaction():
        database.write(CLOSINGS, [()])
    return open_findings(database)


def close(database: Database, number: int, at: str, person: str, reason: str) -> Finding:
    """Close finding `number` durably; gives it as it was. `at` is UTC, RFC 3339.

    Raises NotToClose and ArchiveTrouble.
    """
    for name, text, most in (
        ("--by", person, PERSON_CHARACTERS_MAX), ("--reason", reason, REASON_CHARACTERS_MAX),
    ):  # fmt: skip
        if not text.strip() or len(text) > most or not text.isprintable():
            raise NotToClose(f"{name}: expected 1 to {most} printable characters")
    _refuse_strange(database)
    with database.transaction():
        database.write(CLOSINGS, [()])
        found = next((one for one in open_findings(database) if one.number == number), None)
        if found is None:
            raise NotToClose(f"--close {number}: no finding of this number is open")
        if found.kind in PASSING:
            raise NotToClose(f"--close {number}: {found.kind} ends by itself once it is over")
        database.write("INSERT INTO closings VALUES (?, ?, ?, ?)", [(number, at, person, reason)])
    return found


def _refuse_strange(database: Database) -> None:
    """Nothing is created where there is no copy yet. Raises ArchiveTrouble."""
    if not is_prepared(database):
        raise ArchiveTrouble("there is no room's copy yet")


def closings_in(database: Database) -> list[Closing]:
    """What people have closed and the recorder has not noted yet. Raises ArchiveTrouble."""
    rows = database.rows(
        "SELECT closings.number, closings.at, person, reason FROM closings JOIN findings"
        " ON findings.number = closings.number WHERE closed_at = '' ORDER BY closings.number"
    )
    return [
        Closing(int_of(number), str(at), str(person), str(reason))
        for number, at, person, reason in rows
    ]


def open_findings(database: Database, closed: bool = False) -> list[Finding]:
    """Those that are open; with `closed` also what a person closed and no recorder has noted yet,
    which needs the table of closings otherwise. Raises ArchiveTrouble."""
    done = set() if closed else {one.number for one in closings_in(database)}
    return [
        Finding(
            int_of(number), str(at), str(table), str(journal), str(kind), int_of(sequence),
            str(text), int_of(count),
        )
        for number, at, table, journal, kind, sequence, text, count in database.rows(
            "SELECT number, at, table_id, journal, kind, sequence, text, count FROM findings"
            " WHERE closed_at = '' ORDER BY number"
        )
        if number not in done
    ]  # fmt: skip

"""Takes off the device what is old, delivered and signed for: in small pieces, behind a base.

The base is a checkpoint: first it is noted, then the records up to it are waste that goes piece by
piece. Whoever reads begins after the base, so a record is either pruned or whole at any moment.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

from controller.journal.trouble import CorruptJournal

# One piece is a transaction of its own, of some milliseconds: a commit that waits behind it hardly
# notices.
ROWS_PER_PIECE = 256


@dataclass(frozen=True, slots=True)
class Base:
    """Where a pruned journal begins: the counts and digests of its signed statement."""

    inputs: int
    sequence: int
    effects: int
    hash: str
    inputdigest: str
    at: str


@dataclass(frozen=True, slots=True)
class Size:
    """Octets of the journal's database: those in use, and those free inside of the file."""

    used: int
    free: int


def base_of(connection: sqlite3.Connection) -> Base | None:
    """None where nothing was pruned. Raises CorruptJournal."""
    row = connection.execute("SELECT body FROM base ORDER BY inputs DESC LIMIT 1").fetchone()
    return None if row is None else _base(row[0])


def advance(connection: sqlite3.Connection, delivered: int, before: str) -> Base | None:
    """Move the base to the newest checkpoint that was made before `before` (RFC 3339) and whose
    last event is at most `delivered`; the new base, None where there is none such.

    The newest checkpoint of all never becomes the base, so that something always follows it, and
    none without the state that was saved with it, or its records could not be decided again.
    In the caller's transaction.
    """
    row = connection.execute(
        "SELECT body, json_extract(body, '$.inputs') AS inputs FROM checkpoints"
        " WHERE sequence <= ? AND json_extract(body, '$.at') < ?"
        " AND sequence < (SELECT max(sequence) FROM checkpoints)"
        " AND inputs > (SELECT coalesce(max(inputs), 0) FROM base)"
        " AND inputs IN (SELECT input FROM snapshots)"
        " ORDER BY sequence DESC LIMIT 1",
        (delivered, before),
    ).fetchone()
    if row is None:
        return None
    base = _base(row[0])
    connection.execute("INSERT INTO base VALUES (?, ?)", (base.inputs, row[0]))
    connection.execute("DELETE FROM base WHERE inputs < ?", (base.inputs,))
    return base


def sweep(connection: sqlite3.Connection, base: Base) -> bool:
    """Remove one piece of what lies at or before the base; whether more of it is there.

    In the caller's transaction.
    """
    more = False
    for table, key, last in (
        ("inputs", "n", base.inputs),
        ("effects", "number", base.effects),
        ("events", "sequence", base.sequence),
        ("snapshots", "input", base.inputs - 1),
        ("checkpoints", "sequence", base.sequence - 1),
    ):
        (first,) = connection.execute(
            f"SELECT min({key}) FROM {table}"  # noqa: S608 - the names are the five above
        ).fetchone()
        if first is None or first > last:
            continue
        until = min(last, first + ROWS_PER_PIECE - 1)
        connection.execute(
            f"DELETE FROM {table} WHERE {key} <= ?",  # noqa: S608 - the names are the five above
            (until,),
        )
        more = more or until < last
    return more


def size_of(connection: sqlite3.Connection) -> Size:
    """What the database takes, without its log."""
    (octets,) = connection.execute("PRAGMA page_size").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    return Size((pages - free) * octets, free * octets)


def _base(body: str) -> Base:
    try:
        said = json.loads(body)
        return Base(
            int(said["inputs"]), int(said["sequence"]), int(said["effects"]), str(said["hash"]),
            str(said["inputdigest"]), str(said["at"]),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError):
        raise CorruptJournal("table base", "is not a checkpoint") from None

"""Turns as they stand in a journal; needs nothing but Python's own library."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass

EFFECTS_OF_TURN = (
    "SELECT CAST(body AS BLOB) FROM effects WHERE number > ? AND number <= ? ORDER BY number"
)
EVENTS_OF_TURN = (
    "SELECT CAST(body AS BLOB) FROM events WHERE sequence > ? AND sequence <= ? ORDER BY sequence"
)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """One input and what it brought, canonical bytes each.

    `digest` is the running digest after the turn where the source names it, else empty; `ends` the
    counts of events and effects after it, else None; checkpoints are signed statements about it.
    """

    number: int
    outcome: str
    digest: str
    body: bytes
    effects: tuple[bytes, ...]
    events: tuple[bytes, ...]
    ends: tuple[int, int] | None = None
    checkpoints: tuple[bytes, ...] = ()


def turns_in(connection: sqlite3.Connection, after: int, limit: int) -> list[StoredTurn]:
    """At most `limit` turns after input `after`, without checkpoints. Raises sqlite3.Error."""
    sequence, effects = connection.execute(
        "SELECT sequence, effects FROM inputs WHERE n = ?", (after,)
    ).fetchone() or _counts_at_base(connection, after)
    rows = connection.execute(
        "SELECT n, outcome, digest, sequence, effects, CAST(body AS BLOB) FROM inputs WHERE n > ?"
        " ORDER BY n LIMIT ?",
        (after, limit),
    ).fetchall()
    turns = []
    for number, outcome, digest, events_end, effects_end, body in rows:
        turns.append(
            StoredTurn(
                number,
                outcome,
                digest,
                body,
                _bodies(connection, EFFECTS_OF_TURN, effects, effects_end),
                _bodies(connection, EVENTS_OF_TURN, sequence, events_end),
                (events_end, effects_end),
            )
        )
        sequence, effects = events_end, effects_end
    return turns


def _counts_at_base(connection: sqlite3.Connection, after: int) -> tuple[int, int]:
    """Of events and effects where a pruned journal begins."""
    row = None
    if after:
        row = connection.execute("SELECT body FROM base WHERE inputs = ?", (after,)).fetchone()
    if row is None:
        return 0, 0
    said = json.loads(row[0])
    return int(said["sequence"]), int(said["effects"])


def _bodies(connection: sqlite3.Connection, query: str, after: int, last: int) -> tuple[bytes, ...]:
    if after == last:
        return ()
    return tuple(body for (body,) in connection.execute(query, (after, last)))

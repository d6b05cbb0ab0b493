"""Turns as they stand in a journal or its export; needs nothing but Python's own library."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

EFFECTS_OF_TURN = (
    "SELECT CAST(body AS BLOB) FROM effects WHERE number > ? AND number <= ? ORDER BY number"
)
EVENTS_OF_TURN = (
    "SELECT CAST(body AS BLOB) FROM events WHERE sequence > ? AND sequence <= ? ORDER BY sequence"
)
KINDS = ("input", "effect", "event", "checkpoint")


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


class NoTurn(ValueError):
    """A line of an export that is none; `line` counts from 1."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


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


def turns_of_lines(lines: Iterable[bytes]) -> Iterator[StoredTurn]:
    """The turns of an export, its first line left out. Raises NoTurn.

    Bodies are cut out of the lines, not written anew: what is verified is what stands there.
    """
    turn: dict[str, list[bytes]] = {}
    outcome = "ok"
    number = 0
    for at, line in enumerate(lines, start=2):
        kind, body, said = _line(at, line.rstrip(b"\r\n"))
        if kind == "input":
            if turn:
                yield _turn(number, outcome, turn)
            turn = {"input": [body], "effect": [], "event": [], "checkpoint": []}
            number, outcome = number + 1, said
        elif not turn:
            raise NoTurn(at, f"an {kind} before any input")
        else:
            turn[kind].append(body)
    if turn:
        yield _turn(number, outcome, turn)


def line_of(kind: str, body: bytes, outcome: str = "ok") -> bytes:
    """One line of an export: the body's own bytes under its kind."""
    mark = b"" if outcome == "ok" else b',"outcome":' + json.dumps(outcome).encode()
    return b'{"' + kind.encode() + b'":' + body + mark + b"}\n"


def _turn(number: int, outcome: str, parts: dict[str, list[bytes]]) -> StoredTurn:
    effects, events = tuple(parts["effect"]), tuple(parts["event"])
    checkpoints = tuple(parts["checkpoint"])
    return StoredTurn(number, outcome, "", parts["input"][0], effects, events, None, checkpoints)


def _line(at: int, line: bytes) -> tuple[str, bytes, str]:
    for kind in KINDS:
        head = b'{"' + kind.encode() + b'":'
        if line.startswith(head) and line.endswith(b"}"):
            fault = b',"outcome":"fault"}'
            if kind == "input" and line.endswith(fault):
                return kind, line[len(head) : -len(fault)], "fault"
            return kind, line[len(head) : -1], "ok"
    raise NoTurn(at, "neither an input nor an effect, an event or a checkpoint")

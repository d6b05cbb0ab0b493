"""What the writer itself reads back from its connection: head, states, turns, events, answers."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass

from controller.journal.pruning import base_of
from controller.journal.record import GENESIS, Chain, SealedEvent, hash_of
from controller.journal.tables import BROKER, STORE
from controller.journal.trouble import CorruptJournal

# Of 10 to 20 KB each; where none of these can be read no older one can either.
SNAPSHOTS_TRIED_MAX = 8


@dataclass(frozen=True, slots=True)
class Saved:
    """A snapshot as it stands: `number` of the input after which it holds."""

    number: int
    chain: bytes
    body: bytes


def head_of(connection: sqlite3.Connection, journal: str, table_id: str) -> Chain:
    """Where the journal stands. Raises CorruptJournal where its last records do not fit."""
    number, digest, sequence, effects = connection.execute(
        "SELECT n, digest, sequence, effects FROM inputs ORDER BY n DESC LIMIT 1"
    ).fetchone() or (0, GENESIS, 0, 0)
    last, digest_of_event, body = connection.execute(
        "SELECT sequence, hash, body FROM events ORDER BY sequence DESC LIMIT 1"
    ).fetchone() or (0, GENESIS, None)
    if body is not None:
        _check_event(last, digest_of_event, body)
    (last_effect,) = connection.execute("SELECT max(number) FROM effects").fetchone()
    if last_effect is None:
        base = base_of(connection)
        last_effect = 0 if base is None else base.effects
    if (last, last_effect) != (sequence, effects):
        raise CorruptJournal(
            f"input {number}",
            f"left {sequence} events and {effects} effects; {last} and {last_effect} are there",
        )
    chain = Chain(journal, table_id, sequence, digest_of_event, number, effects, digest)
    _not_shortened(connection, chain)
    return chain


def _not_shortened(connection: sqlite3.Connection, chain: Chain) -> None:
    """An older record is sound in itself: what was signed or delivered of a newer one shows it."""
    for name, at in connection.execute("SELECT name, sequence FROM cursors"):
        if name in (BROKER, STORE) and at > chain.sequence:
            raise CorruptJournal(
                f"event {chain.sequence + 1}", f"is missing: the {name} has had event {at}"
            )
    row = connection.execute(
        "SELECT body FROM checkpoints ORDER BY sequence DESC LIMIT 1"
    ).fetchone()
    if row is None:
        return
    try:
        said = json.loads(row[0])
        inputs, sequence = int(said["inputs"]), int(said["sequence"])
    except (ValueError, KeyError, TypeError):
        raise CorruptJournal("table checkpoints", "its last statement cannot be read") from None
    if inputs > chain.inputs or sequence > chain.sequence:
        raise CorruptJournal(
            f"event {chain.sequence + 1}",
            f"is missing: input {inputs} and event {sequence} were signed for",
        )
    if sequence == chain.sequence and said.get("hash") != chain.prevhash:
        raise CorruptJournal(f"event {sequence}", "has another hash than was signed for")


def _check_event(sequence: int, digest: str, body: str) -> None:
    place = f"event {sequence}"
    try:
        envelope = json.loads(body)
        told = envelope["hash"]
    except (ValueError, KeyError, TypeError):
        raise CorruptJournal(place, "is not the envelope of an event") from None
    if told != digest or hash_of(envelope) != digest:
        raise CorruptJournal(place, "does not have the hash that it names")


def newest_snapshots(connection: sqlite3.Connection) -> list[Saved]:
    """Newest first, as many as a start may try."""
    rows = connection.execute(
        "SELECT input, digest, CAST(chain AS BLOB), CAST(body AS BLOB) FROM snapshots"
        " ORDER BY input DESC LIMIT ?",
        (SNAPSHOTS_TRIED_MAX,),
    )
    return [
        Saved(number, chain, body)
        for number, digest, chain, body in rows
        if digest == snapshot_digest(chain, body)
    ]


def snapshot_digest(chain: bytes, body: bytes) -> str:
    """What a snapshot's row says of itself: a changed one is passed over for an older one."""
    return hashlib.sha256(chain + b"\n" + body).hexdigest()


def events_in(connection: sqlite3.Connection, after: int, limit: int) -> list[SealedEvent]:
    """At most `limit` events after sequence `after`."""
    rows = connection.execute(
        "SELECT sequence, type, severity, hash, body FROM events"
        " WHERE sequence > ? ORDER BY sequence LIMIT ?",
        (after, limit),
    )
    return [SealedEvent(s, kind, severity, h, body.encode()) for s, kind, severity, h, body in rows]


def draws_in(connection: sqlite3.Connection, before: int, limit: int) -> list[SealedEvent]:
    """At most `limit` events of the number generator before sequence `before`, newest first."""
    rows = connection.execute(
        # The types as the index has them, or all would be read.
        "SELECT sequence, type, severity, hash, body FROM events"
        " WHERE sequence < ? AND type IN ('startpos.determined', 'rng.failed')"
        " ORDER BY sequence DESC LIMIT ?",
        (before, limit),
    )
    return [SealedEvent(s, kind, severity, h, body.encode()) for s, kind, severity, h, body in rows]


def answers_in(connection: sqlite3.Connection) -> tuple[dict[tuple[str, str], bytes], int]:
    """Answers by (principal, command id), oldest first, and the number of the last one."""
    rows = connection.execute(
        "SELECT principal, command, body, number FROM answers ORDER BY number"
    ).fetchall()
    answers = {(principal, command): body.encode() for principal, command, body, _ in rows}
    return answers, rows[-1][3] if rows else 0


def cursors_in(connection: sqlite3.Connection) -> dict[str, int]:
    """Sequence by reader's name."""
    rows: list[tuple[str, int]] = connection.execute(
        "SELECT name, sequence FROM cursors"
    ).fetchall()
    return dict(rows)

"""One message of a table read as a record: its bytes must be what they say they are. Pure."""

from __future__ import annotations

import json
from dataclasses import dataclass

from controller.core.codec import canonical
from controller.journal.record import hash_of

# An event is some 1 KB; a forged one must not fill the memory.
EVENT_OCTETS_MAX = 256 * 1024
SEQUENCE_MAX = 0x1FFFFFFFFFFFFF
WORD_CHARACTERS_MAX = 64
SEVERITY_MAX = 5
REASON_CHARACTERS_MAX = 200


class Unfit(Exception):
    """Not a record of this table; the message says what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Record:
    """One event whose own hash is right; `body` the very octets that arrived."""

    table: str
    journal: str
    sequence: int
    type: str
    severity: int
    time: str
    prevhash: str
    hash: str
    body: bytes
    data: dict[str, object]


def read_record(table: str, payload: bytes) -> Record:
    """The record in a message of `table`. Raises Unfit."""
    if len(payload) > EVENT_OCTETS_MAX:
        raise Unfit(f"{len(payload)} octets; no event has more than {EVENT_OCTETS_MAX}")
    try:
        envelope = json.loads(payload)
        if not isinstance(envelope, dict):
            raise Unfit("is no JSON object")
        record = _record(table, envelope, payload)
        if canonical(envelope) != payload:
            raise Unfit(f"event {record.sequence}: its octets are not canonical")
        if hash_of(envelope) != record.hash:
            raise Unfit(f"event {record.sequence}: its hash is wrong")
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        reason = f"is no event: {type(error).__name__} {error}"[:REASON_CHARACTERS_MAX]
        raise Unfit(reason) from None
    if envelope.get("source") != f"/tables/{table}":
        raise Unfit(f"event {record.sequence}: belongs to {str(envelope.get('source'))[:80]!r}")
    return record


def _record(table: str, envelope: dict[str, object], payload: bytes) -> Record:
    sequence, severity, data = (
        _word(envelope, "sequence"), envelope["severity"], envelope["data"],
    )  # fmt: skip
    if not sequence.isascii() or not sequence.isdecimal():
        raise Unfit("its sequence is no number")
    if not 0 < int(sequence) <= SEQUENCE_MAX:
        raise Unfit("its sequence is out of range")
    if type(severity) is not int or not isinstance(data, dict):
        raise Unfit("severity or data is of another kind")
    if not 0 <= severity <= SEVERITY_MAX:
        raise Unfit("its severity is out of range")
    return Record(
        table, _word(envelope, "journal"), int(sequence), _word(envelope, "type"), severity,
        _word(envelope, "time"), _word(envelope, "prevhash"), _word(envelope, "hash"), payload,
        data,
    )  # fmt: skip


def _word(envelope: dict[str, object], name: str) -> str:
    value = envelope[name]
    if not isinstance(value, str) or not 0 < len(value) <= WORD_CHARACTERS_MAX:
        raise Unfit(f"{name}: expected 1 to {WORD_CHARACTERS_MAX} characters")
    # A database takes neither NUL nor half a surrogate pair: one table must not stop the room.
    if not value.isprintable():
        raise Unfit(f"{name}: has characters that cannot be printed")
    return value

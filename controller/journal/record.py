"""Canonical bytes of one turn: the input, its effects and its sealed events. Pure.

Events form the chain that a subscriber verifies (`sequence`, `prevhash`, `hash`); inputs and
effects are numbered apart and tied to it by `inputdigest`, a chain of SHA-256 of its own:
digest(n) = SHA-256(digest(n-1) as 32 bytes + canonical bytes of the input or effect).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from controller.core.altered import altered
from controller.core.codec import canonical, input_record, plain
from controller.core.effects import Effect
from controller.core.events import Event
from controller.core.inputs import Arrived
from controller.core.stamp import stamp_of

GENESIS = "0" * 64
# Text that sorts like the number, as the CloudEvents sequence extension asks.
SEQUENCE_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Chain:
    """Where the journal stands: counters and both digests, all that sealing needs."""

    journal: str
    table_id: str
    sequence: int = 0
    prevhash: str = GENESIS
    inputs: int = 0
    effects: int = 0
    inputdigest: str = GENESIS


@dataclass(frozen=True, slots=True)
class SealedEvent:
    """One event as it stands in the journal, on MQTT and in an export: the same bytes."""

    sequence: int
    type: str
    severity: int
    hash: str
    body: bytes


@dataclass(frozen=True, slots=True)
class SealedTurn:
    """All that one input brings into the journal, in one transaction."""

    chain: Chain
    input_number: int
    input_body: bytes
    effects: tuple[tuple[str, bytes], ...]
    events: tuple[SealedEvent, ...]


def sequence_text(sequence: int) -> str:
    """`000000000042`: sorts like the number."""
    return f"{sequence:0{SEQUENCE_DIGITS}d}"


def effect_record(effect: Effect) -> dict[str, Any]:
    """The journal's form of an effect."""
    return {"type": effect.TYPE, **plain(effect)}


def hash_of(envelope: dict[str, Any]) -> str:
    """SHA-256 over the canonical bytes of the envelope without its `hash`."""
    bare = {key: value for key, value in envelope.items() if key != "hash"}
    return hashlib.sha256(canonical(bare)).hexdigest()


def seal(
    chain: Chain, arrived: Arrived, events: tuple[Event, ...], effects: tuple[Effect, ...]
) -> SealedTurn:
    """Number, stamp and chain one turn. The input's number must follow the chain's."""
    assert arrived.number == chain.inputs + 1, "inputs are numbered without a gap"
    input_body = canonical(input_record(arrived))
    digest = _next_digest(chain.inputdigest, input_body)
    effect_bodies = []
    for effect in effects:
        body = canonical(effect_record(effect))
        digest = _next_digest(digest, body)
        effect_bodies.append((effect.id, body))
    chain = altered(
        chain, inputs=arrived.number, effects=chain.effects + len(effects), inputdigest=digest
    )
    sealed = []
    for event in events:
        one = _seal_event(chain, arrived, event)
        chain = altered(chain, sequence=one.sequence, prevhash=one.hash)
        sealed.append(one)
    return SealedTurn(chain, arrived.number, input_body, tuple(effect_bodies), tuple(sealed))


def _next_digest(digest: str, body: bytes) -> str:
    return hashlib.sha256(bytes.fromhex(digest) + body).hexdigest()


def _seal_event(chain: Chain, arrived: Arrived, event: Event) -> SealedEvent:
    sequence = chain.sequence + 1
    role, person = event.actor or (arrived.source, arrived.by)
    actor = {"role": role, "id": person}
    envelope: dict[str, Any] = {
        "specversion": "1.0",
        "id": f"{chain.journal}/{sequence_text(sequence)}",
        "source": f"/tables/{chain.table_id}",
        "type": event.type,
        "time": stamp_of(arrived.at_ms),
        "subject": event.subject or "table",
        "sequence": sequence_text(sequence),
        "datacontenttype": "application/json",
        "dataschema": f"urn:table-controller:event:1:{event.type}",
        "journal": chain.journal,
        "boot": arrived.boot,
        "monotonicms": arrived.mono_ms,
        "clocksync": arrived.clock_synchronised,
        "severity": event.severity,
        "inputdigest": chain.inputdigest,
        "prevhash": chain.prevhash,
        "data": {**event.data, "actor": actor, "cause": arrived.number},
    }
    if event.rule is not None:
        envelope["rule"] = event.rule
    envelope["hash"] = hash_of(envelope)
    return SealedEvent(sequence, event.type, event.severity, envelope["hash"], canonical(envelope))

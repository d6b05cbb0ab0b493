"""TDP/1 types and their fields: which fact each one states, and what is dropped unread. Pure.

Bounds come from `hal.facts`, so that wire, file and journal can never disagree about them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hal import facts
from hal.member_types import Range, Text
from hal.protocols.members import (
    IDENTITY_KEYS,
    NotUnderstood,
    integer_reader,
    readers_of,
    text_reader,
)
from hal.protocols.message import Beat, Event, Hello, Message

# More is a flood: the longest lawful frame has room for some fifty of the shortest fields.
METERS_MAX: Final = 24
METER_MOST: Final = 0x7FFFFFFF
FAULT_MASK_MOST: Final = 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Kind:
    """One type: its fact, wire key -> member, and keys that are lawful but carry nothing for us."""

    fact: type
    keys: Mapping[str, str]
    ignored: frozenset[str] = frozenset()


def _kind(fact: type, ignored: str = "", **keys: str) -> Kind:
    return Kind(fact, keys, frozenset(ignored.split()))


_COMMON: dict[str, Kind] = {
    "FAULT_ON": _kind(facts.Fault, "instance", code="code", severity="severity"),
    "FAULT_OFF": _kind(facts.FaultCleared, "instance", code="code"),
    "MODE": _kind(facts.Mode, mode="mode"),
    "POWER": _kind(facts.Power, state="state"),
    "JAM": _kind(facts.Jam, zone="zone", cards="cards_in_path"),
    "JAM_CLR": _kind(facts.JamCleared),
    "STOP": _kind(facts.Stopped, "reason"),
}
KINDS: Final[Mapping[str, Mapping[str, Kind]]] = {
    "shuffler": {
        **_COMMON,
        "DOOR": _kind(facts.Door, open="open"),
        "LOAD": _kind(facts.ShufflerLoaded, "est", batch="batch", cards="cards"),
        "SHUF_START": _kind(facts.CycleStarted, cycle="cycle", mode="mode"),
        "SHUF_END": _kind(
            facts.CycleEnded, "expected verdict ms",
            cycle="cycle", mode="mode", result="result", count="cards", batch="batch",
        ),
        "EJECT": _kind(facts.Ejected, "chamber_empty", batch="batch", cards="cards"),
        "RESIDUE": _kind(facts.Residue, cards="cards"),
        "LAMP": _kind(facts.Lamp, colour="colour"),
    },
    "shoe": {
        **_COMMON,
        # A shoe's door is its lid (interfaces, section 2 has no other word for it).
        "DOOR": _kind(facts.Lid, open="open"),
        "LID": _kind(facts.Lid, open="open"),
        "LOADED": _kind(facts.ShoeLoaded, cards="cards", batch="batch"),
        "DRAW": _kind(facts.CardDrawn, "target", idx="index", face="face", rank="rank",
                      suit="suit"),
        "STACK": _kind(facts.StackDispensed, n="number", cards="cards"),
        "STACK_TAKEN": _kind(facts.StackTaken, n="number"),
        "CUTCARD": _kind(facts.CoverCardSeen, "depth"),
        "REMOVED": _kind(facts.RemainderRemoved, cards="cards"),
        "EMPTY": _kind(facts.Emptied),
        "NOT_ALL": _kind(facts.Incomplete, stacks="stacks"),
    },
}  # fmt: skip
_HELLO = _kind(
    facts.Identity, "class proto caps",
    make="make", model="model", serial="serial", fw="firmware", fw_sha256="digest",
)  # fmt: skip


def message_of(device: str, boot: int, seq: int, kind: str, wire: Mapping[str, str]) -> Message:
    """The message of one frame. Raises NotUnderstood; never anything else."""
    if kind == "HB":
        return _beat(boot, seq, wire)
    if kind == "HELLO":
        identity = _fact(_HELLO, _safe(kind, wire))
        assert isinstance(identity, facts.Identity), "HELLO states an identity"
        return Hello(boot, seq, identity)
    if kind == "METERS":
        return Event(boot, seq, _meters(_safe(kind, wire)))
    entry = KINDS.get(device, {}).get(kind)
    if entry is None:
        raise NotUnderstood("unknown_type")
    return Event(boot, seq, _fact(entry, _safe(kind, wire)))


def _safe(kind: str, wire: Mapping[str, str]) -> dict[str, str]:
    """The fields without those that could tell an undealt card; empty ones count as absent."""
    exposed = kind == "DRAW" and wire.get("face") == "up"
    allowed = ("rank", "suit") if exposed else ()
    return {
        key: value
        for key, value in wire.items()
        if value and (key not in IDENTITY_KEYS or key in allowed)
    }


def _beat(boot: int, seq: int, wire: Mapping[str, str]) -> Beat:
    """HB is a snapshot that makers may widen: here alone unknown members are passed over."""
    last = wire.get("last", "")
    if last and last != f"{(seq - 1) % 0x10000:04X}":
        raise NotUnderstood("bad_last")
    lock = wire.get("lock", "")
    if lock not in ("", "0", "1"):
        raise NotUnderstood("bad_field")
    faults = integer_reader(Range(0, FAULT_MASK_MOST))(wire.get("faults") or "0")
    state = text_reader(Text(32))(wire.get("state", ""))
    return Beat(boot, seq, state, faults, lock == "1" if lock else None)


def _meters(wire: Mapping[str, str]) -> facts.Meters:
    if len(wire) > METERS_MAX:
        raise NotUnderstood("bad_field")
    read = integer_reader(Range(0, METER_MOST))
    return facts.Meters({key: read(value) for key, value in wire.items()})


def _fact(entry: Kind, wire: Mapping[str, str]) -> object:
    if wire.keys() - entry.keys.keys() - entry.ignored:
        raise NotUnderstood("unknown_field")
    values: dict[str, object] = {}
    readers = readers_of(entry.fact)
    for key, member in entry.keys.items():
        read, required = readers[member]
        if key in wire:
            values[member] = read(wire[key])
        elif required:
            raise NotUnderstood("missing_field")
    return entry.fact(**values)

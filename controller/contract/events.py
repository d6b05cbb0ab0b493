"""JSON Schema of every event: the CloudEvents envelope with our extensions, and the data. Pure."""

from __future__ import annotations

from typing import Annotated

from controller.contract.event_members import Whole, members_of_event
from controller.contract.levels import STAMP
from controller.contract.shapes import Schema, object_of
from controller.core.events import CATALOGUE
from controller.journal.record import SEQUENCE_DIGITS
from hal.member_types import Name, Range, Word

HASH: Schema = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
SEQUENCE: Schema = {"type": "string", "pattern": f"^[0-9]{{{SEQUENCE_DIGITS}}}$"}
# The envelope as the journal seals it; `rule` is there where a paragraph was read.
REQUIRED = (
    "specversion", "id", "source", "type", "time", "subject", "sequence", "datacontenttype",
    "dataschema", "journal", "boot", "monotonicms", "clocksync", "severity", "inputdigest",
    "prevhash", "hash", "data",
)  # fmt: skip


def data_of(kind: str) -> Schema:
    """The data of one type of event, with the four members that all have. Raises KeyError."""
    members, required = members_of_event(kind)
    actor = object_of({"role": Name, "id": Name | None}, ["role", "id"])
    return object_of({**members, "actor": actor, "cause": Whole}, [*required, "actor", "cause"])


def envelope() -> Schema:
    """What all events have; `type`, `dataschema` and `data` are each type's own."""
    members: dict[str, object] = {
        "specversion": {"const": "1.0"},
        "id": {"type": "string", "pattern": f"^[^/]{{1,64}}/[0-9]{{{SEQUENCE_DIGITS}}}$"},
        "source": {"type": "string", "pattern": "^/tables/[A-Za-z0-9-]{1,32}$"},
        "type": Word,
        "time": STAMP,
        "subject": str,
        "sequence": SEQUENCE,
        "datacontenttype": {"const": "application/json"},
        "dataschema": str,
        "journal": Name,
        "boot": Whole,
        "monotonicms": int,
        "clocksync": bool,
        "severity": Annotated[int, Range(0, 5)],
        "rule": str,
        "inputdigest": HASH,
        "prevhash": HASH,
        "hash": HASH,
        "data": {"type": "object"},
    }
    return object_of(members, REQUIRED)


def own_of(kind: str) -> Schema:
    """What one type of event has beside the envelope. Raises KeyError."""
    members: dict[str, object] = {
        "type": {"const": kind},
        "dataschema": {"const": f"urn:table-controller:event:1:{kind}"},
        "data": data_of(kind),
    }
    return object_of(members, list(members))


def all_events() -> dict[str, Schema]:
    """Type -> its own part, in the order of the catalogue."""
    return {kind: own_of(kind) for kind in CATALOGUE}

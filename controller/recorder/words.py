"""What a table says of itself, as far as the recorder needs it. Pure; strangers are passed over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

NAME_CHARACTERS_MAX = 64
OCTETS_MAX = 256 * 1024


@dataclass(frozen=True, slots=True)
class Status:
    """`reason` is running, stopped or lost."""

    journal: str
    reason: str


@dataclass(frozen=True, slots=True)
class Health:
    """The journal's last sequence, how far the table knows the room to hold it, and by whose word:
    the principal whom it expects, None where it takes anybody's."""

    journal: str
    journaled: int
    store: int
    expected: str | None = None


def status_of(value: Mapping[str, object]) -> Status | None:
    """A status that has what it must have."""
    journal, reason = value.get("journal"), value.get("reason")
    if not _is_name(journal) or reason not in ("running", "stopped", "lost"):
        return None
    return Status(str(journal), str(reason))


def health_of(payload: bytes) -> Health | None:
    """The delivery in a table's health; None where it tells none."""
    members = members_of(payload).get("delivery")
    if not isinstance(members, dict):
        return None
    journal, journaled, store = (
        members.get("journal"), members.get("journaled"), members.get("store"),
    )  # fmt: skip
    if not _is_name(journal) or not isinstance(journaled, int) or not isinstance(store, int):
        return None
    expected = members.get("store_expected")
    return Health(str(journal), journaled, store, expected if isinstance(expected, str) else None)


def members_of(payload: bytes) -> dict[str, object]:
    """The members of a JSON object; none where it is something else."""
    if len(payload) > OCTETS_MAX:
        return {}
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_name(value: object) -> bool:
    # What cannot be printed may not be kept either: half a surrogate pair, NUL.
    return isinstance(value, str) and 0 < len(value) <= NAME_CHARACTERS_MAX and value.isprintable()

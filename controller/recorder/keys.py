"""Whose signature counts for a table: a pinned key, or the first one that was seen, noted so."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

from controller.core.codec import canonical
from controller.journal.seal import checkpoint_is_signed

Trust = Literal["pinned", "first use"]
CHECKPOINT = "journal.checkpoint"
PUBLIC_OCTETS = 32
# A table has one key and seldom a new one; this bounds what a forger can fill.
KEYS_MAX = 4_096


@dataclass(frozen=True, slots=True)
class Key:
    """A table's key: `name` as checkpoints give it, `public` its 32 octets in hexadecimal."""

    table: str
    name: str
    public: str
    trust: Trust


@dataclass(frozen=True, slots=True)
class Statement:
    """The place in the chain that a checkpoint speaks of."""

    journal: str
    sequence: int
    hash: str


class Unsigned(Exception):
    """A checkpoint that does not count; `kind` is the finding, the message says why."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind


class KeyRing:
    """The key of each table."""

    def __init__(self, pinned: dict[str, bytes]) -> None:
        """`pinned`: table -> public key, 32 octets each; they overrule what was seen first."""
        self._keys = {
            table: Key(table, key_name(public), public.hex(), "pinned")
            for table, public in pinned.items()
        }
        self._fresh = list(self._keys.values())

    def restore(self, keys: list[Key]) -> None:
        """Take up the keys that an earlier life has noted; a pin given now is stronger."""
        for key in keys:
            self._keys.setdefault(key.table, key)

    def take_fresh(self) -> list[Key]:
        """Keys that are to be kept since the last call."""
        fresh, self._fresh = self._fresh, []
        return fresh

    def check(self, table: str, data: dict[str, object]) -> Statement:
        """What the checkpoint event with `data` states. Raises Unsigned."""
        checkpoint, told = data.get("checkpoint"), _public(data.get("public_key"))
        if not isinstance(checkpoint, dict):
            raise Unsigned("bad_signature", "a checkpoint without a statement")
        known = self._keys.get(table)
        if known is None:
            known = self._first(table, told)
        elif told is not None and told.hex() != known.public:
            raise Unsigned(
                "unknown_key",
                f"signed with key {key_name(told)}, not with {known.name} ({known.trust})",
            )
        if not checkpoint_is_signed(canonical(checkpoint), bytes.fromhex(known.public)):
            raise Unsigned("bad_signature", f"a signature does not verify with key {known.name}")
        if table not in self._keys and len(self._keys) < KEYS_MAX:
            self._keys[table] = known
            self._fresh.append(known)
        return _statement(table, checkpoint)

    def _first(self, table: str, public: bytes | None) -> Key:
        if public is None:
            raise Unsigned("bad_signature", "a checkpoint without a key, and none is pinned")
        return Key(table, key_name(public), public.hex(), "first use")


def key_name(public: bytes) -> str:
    """The short name of a public key in checkpoints."""
    return hashlib.sha256(public).hexdigest()[:16]


def _statement(table: str, checkpoint: dict[str, object]) -> Statement:
    journal, sequence, digest = (
        checkpoint.get("journal"), checkpoint.get("sequence"), checkpoint.get("hash"),
    )  # fmt: skip
    if (
        not isinstance(journal, str)
        or not isinstance(sequence, int)
        or not isinstance(digest, str)
        or checkpoint.get("table") != table
    ):
        raise Unsigned("bad_signature", "a checkpoint states something else than a place")
    return Statement(journal, sequence, digest)


def _public(told: object) -> bytes | None:
    if not isinstance(told, str):
        return None
    try:
        public = bytes.fromhex(told)
    except ValueError:
        return None
    return public if len(public) == PUBLIC_OCTETS else None

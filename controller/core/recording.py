"""What the appliance says of its own record: sealed, not written in time, taken over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hal.member_types import Name, Range, Text, Word

Digest = Annotated[str, Text(64)]
Number = Annotated[int, Range(0, 0x1FFFFFFFFFFFFF)]
# `slow`: it was written, and late. The others name why it could not be written at all.
TroubleCode = Literal["slow", "full", "gone", "in_use", "foreign", "corrupt"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A signed statement: after input `inputs` the chain stood here. `at` is UTC, RFC 3339; `key`
    the first half of the SHA-256 of the public key; `signature` Ed25519, hexadecimal."""

    journal: Name
    table: Name
    sequence: Number
    hash: Digest
    inputs: Number
    effects: Number
    inputdigest: Digest
    at: Word
    key: Word
    signature: Annotated[str, Text(128)]


@dataclass(frozen=True, slots=True)
class Sealed:
    """A checkpoint of all that stands before this input; its event makes it known outside."""

    TYPE: ClassVar[str] = "checkpoint"
    checkpoint: Checkpoint
    public_key: Digest


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """The record could not be written when it was due."""

    TYPE: ClassVar[str] = "unrecorded"
    code: TroubleCode
    reason: Annotated[str, Text(200)]
    lasted_ms: Number | None = None


@dataclass(frozen=True, slots=True)
class RecordFilling:
    """So much of the record's room is used, in percent; None: less than is worth a word."""

    TYPE: ClassVar[str] = "record_filling"
    percent: Annotated[int, Range(0, 100)] | None = None


@dataclass(frozen=True, slots=True)
class TakenOver:
    """This program decides otherwise than `program` did, or cannot read its state: from here on
    another state is gone by, the one that the journal keeps under the digest `state`."""

    TYPE: ClassVar[str] = "taken_over"
    program: Digest
    state: Digest
    reason: Annotated[str, Text(400)]

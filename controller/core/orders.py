"""What a floorperson or above asks, and what the surveillance room writes beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from controller.core.statements import Choice, Method, Position, Reason
from hal.member_types import Batch, DeviceName, Name, Range, Word


@dataclass(frozen=True, slots=True)
class Open:
    TYPE: ClassVar[str] = "open"
    preshuffled: bool = False


@dataclass(frozen=True, slots=True)
class OpeningVerified:
    TYPE: ClassVar[str] = "opening_verified"


@dataclass(frozen=True, slots=True)
class Preshuffled:
    TYPE: ClassVar[str] = "preshuffled"
    seal: Name
    receipt: Name


@dataclass(frozen=True, slots=True)
class Close:
    TYPE: ClassVar[str] = "close"


@dataclass(frozen=True, slots=True)
class OrderShuffle:
    TYPE: ClassVar[str] = "order_shuffle"
    reason: Reason


@dataclass(frozen=True, slots=True)
class OrderRecut:
    TYPE: ClassVar[str] = "order_recut"
    reason: Reason
    cutter: Position | None = None


@dataclass(frozen=True, slots=True)
class Feathered:
    TYPE: ClassVar[str] = "feathered"
    even: bool


@dataclass(frozen=True, slots=True)
class ConfirmVoid:
    TYPE: ClassVar[str] = "confirm_void"


@dataclass(frozen=True, slots=True)
class Withdraw:
    TYPE: ClassVar[str] = "withdraw"
    irregularity: Word
    reason: Reason


@dataclass(frozen=True, slots=True)
class DeclareUnusable:
    TYPE: ClassVar[str] = "declare_unusable"
    device: DeviceName
    reason: Reason


@dataclass(frozen=True, slots=True)
class ReturnToService:
    TYPE: ClassVar[str] = "return_to_service"
    device: DeviceName
    chamber_empty: bool | None = None


@dataclass(frozen=True, slots=True)
class SetMethod:
    TYPE: ClassVar[str] = "set_method"
    step: Literal["shuffle", "deal", "start"]
    method: Method
    reason: Reason


@dataclass(frozen=True, slots=True)
class Decide:
    TYPE: ClassVar[str] = "decide"
    hold: Word
    choice: Choice
    reason: Reason


@dataclass(frozen=True, slots=True)
class Resume:
    TYPE: ClassVar[str] = "resume"
    reason: Reason


@dataclass(frozen=True, slots=True)
class VoidRound:
    TYPE: ClassVar[str] = "void"
    reason: Reason


@dataclass(frozen=True, slots=True)
class NewDeck:
    TYPE: ClassVar[str] = "new_deck"
    batch: Batch
    ids: Annotated[tuple[Name, ...], Range(1, 16)]


@dataclass(frozen=True, slots=True)
class Acknowledge:
    TYPE: ClassVar[str] = "acknowledge"
    alarm: Word
    note: Reason | None = None


# ---- the surveillance room ---------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Annotate:
    TYPE: ClassVar[str] = "annotate"
    event: Name
    text: Reason


@dataclass(frozen=True, slots=True)
class Replay:
    TYPE: ClassVar[str] = "replay"
    first: Annotated[int, Range(1, 0x1FFFFFFFFFFFFF)]
    last: Annotated[int, Range(1, 0x1FFFFFFFFFFFFF)] | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """The room's recorder holds the record of `journal` up to `sequence`, which has this `hash`."""

    TYPE: ClassVar[str] = "recorded"
    journal: Name
    sequence: Annotated[int, Range(1, 0x1FFFFFFFFFFFFF)]
    hash: Name

"""Everything that the rules ever see: facts of hardware, commands of people, clock and system.

One class an input; `TYPE` is its name in files, journal and MQTT. `BY_SOURCE` says who may state
what; a floorperson may state what a dealer states (rules that need two people look at `by`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from controller.core.orders import (
    Acknowledge,
    Annotate,
    Close,
    ConfirmVoid,
    Decide,
    DeclareUnusable,
    Feathered,
    NewDeck,
    Open,
    OpeningVerified,
    OrderRecut,
    OrderShuffle,
    Preshuffled,
    Recorded,
    Replay,
    Resume,
    ReturnToService,
    SetMethod,
    VoidRound,
    Withdraw,
)
from controller.core.recording import RecordFilling, Sealed, TakenOver, Unrecorded
from controller.core.software import ShowCode, SoftwareChanged
from controller.core.statements import (
    AskedFaceUp,
    AskedSpread,
    BonusesSettled,
    Burned,
    CallFloor,
    CardsLoaded,
    CoverCardOut,
    Covered,
    CoverInserted,
    CutMade,
    CutRefused,
    DeckCounted,
    Delivered,
    Dice,
    Done,
    DrawnInError,
    ExtraCard,
    FaceUpCard,
    FirstCard,
    Idle,
    Inspected,
    Misdeal,
    NoMoreBets,
    PlayerArrived,
    PlayerLeft,
    RaisesClosed,
    Reason,
    Revealed,
    RoundDone,
    Shaken,
    ShakerReset,
    Shuffled,
    ShuffleStarted,
    SignIn,
    Spread,
    Stacked,
    StartMarked,
    Stub,
    WagersReturned,
    Washed,
    WrongCount,
)
from hal import facts
from hal.member_types import Name, Range, Text, Word


# ---- clock and system --------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class TimerFired:
    TYPE: ClassVar[str] = "timer"
    name: Name


@dataclass(frozen=True, slots=True)
class Synchronised:
    TYPE: ClassVar[str] = "synchronised"
    offset_ms: Annotated[int, Range(-0x7FFFFFFF, 0x7FFFFFFF)]
    # The kernel's own bound of the whole error.
    error_ms_max: Annotated[int, Range(0, 0x7FFFFFFF)] | None = None


@dataclass(frozen=True, slots=True)
class Unsynchronised:
    TYPE: ClassVar[str] = "unsynchronised"


@dataclass(frozen=True, slots=True)
class ClockStepped:
    TYPE: ClassVar[str] = "stepped"
    by_ms: Annotated[int, Range(-0x1FFFFFFFFFFFFF, 0x1FFFFFFFFFFFFF)]


@dataclass(frozen=True, slots=True)
class Started:
    TYPE: ClassVar[str] = "started"
    version: Name
    digest: Name
    profile_digest: Name
    journal: Name
    # How the run before ended, and what this one goes by (`controller.journal.tables`).
    previous_end: Name | None = None
    book: Name | None = None
    # Digest of the whole build: files of the program and the libraries beside it.
    build: Name | None = None


@dataclass(frozen=True, slots=True)
class DaemonStopped:
    TYPE: ClassVar[str] = "stopped"


@dataclass(frozen=True, slots=True)
class PowerLost:
    TYPE: ClassVar[str] = "power_lost"


@dataclass(frozen=True, slots=True)
class Broker:
    TYPE: ClassVar[str] = "broker"
    up: bool


@dataclass(frozen=True, slots=True)
class Storage:
    TYPE: ClassVar[str] = "storage"
    free_bytes: Annotated[int, Range(0, 0x1FFFFFFFFFFFFF)]
    writable: bool


@dataclass(frozen=True, slots=True)
class Overrun:
    """The intake was full and inputs were lost before they had a number."""

    TYPE: ClassVar[str] = "overrun"
    lost: Annotated[int, Range(1, 0x7FFFFFFF)]


@dataclass(frozen=True, slots=True)
class PublishRefused:
    """The broker refused an event for good or for now: it stays in the outbox."""

    TYPE: ClassVar[str] = "publish_refused"
    sequence: Annotated[int, Range(0, 0x1FFFFFFFFFFFFF)]
    reason: Reason


@dataclass(frozen=True, slots=True)
class Recorder:
    """The surveillance room confirms the record in time, or does not."""

    TYPE: ClassVar[str] = "recorder"
    up: bool


@dataclass(frozen=True, slots=True)
class RecordDisputed:
    """The room's copy and the journal differ at `sequence`."""

    TYPE: ClassVar[str] = "record_disputed"
    sequence: Annotated[int, Range(0, 0x1FFFFFFFFFFFFF)]
    reason: Reason


@dataclass(frozen=True, slots=True)
class CredentialsDue:
    """Someone has to look after what the broker knows this table by; nothing is due: no reason."""

    TYPE: ClassVar[str] = "credentials"
    reason: Reason | None = None


@dataclass(frozen=True, slots=True)
class Flooded:
    """So many commands of one principal, or of all strangers, were answered and not recorded."""

    TYPE: ClassVar[str] = "flooded"
    principal: Name
    commands: Annotated[int, Range(1, 0x7FFFFFFF)]


@dataclass(frozen=True, slots=True)
class LevelCorrected:
    """What the broker showed of this table was not its own word, so many times, and was put right.

    `topic` is below the table's root, `several` where it was more than one.
    """

    TYPE: ClassVar[str] = "level_corrected"
    topic: Name
    cause: Literal["forged", "stale", "left_over"]
    times: Annotated[int, Range(1, 0x7FFFFFFF)]


@dataclass(frozen=True, slots=True)
class Malformed:
    """What could not be read as an input: kept as far as it is safe, and refused."""

    TYPE: ClassVar[str] = "malformed"
    claimed: Word
    reason: Annotated[str, Text(400)]


Item = object  # one of the classes of this file or of hal.facts; `BY_SOURCE` is the closed list

DEALER = (
    SignIn, Inspected, Spread, Washed, Stacked, ShuffleStarted, Shuffled, PlayerArrived, PlayerLeft,
    CutRefused, CutMade, CoverInserted, CardsLoaded, FirstCard, Burned, NoMoreBets, Shaken, Dice,
    ShakerReset, StartMarked, Delivered, ExtraCard, RaisesClosed, CoverCardOut, FaceUpCard,
    DrawnInError, WrongCount, Revealed, Stub, DeckCounted, Misdeal, WagersReturned, BonusesSettled,
    RoundDone, Idle, AskedFaceUp, AskedSpread, Covered, CallFloor, Done,
)  # fmt: skip
FLOORPERSON = (
    Open, OpeningVerified, Preshuffled, Close, OrderShuffle, OrderRecut, Feathered, ConfirmVoid,
    Withdraw, DeclareUnusable, ReturnToService, SetMethod, Decide, Resume, VoidRound,
    NewDeck, Acknowledge,
)  # fmt: skip
SURVEILLANCE = (Annotate, Replay)
CLOCK = (TimerFired, Synchronised, Unsynchronised, ClockStepped)
SYSTEM = (
    Started, DaemonStopped, PowerLost, Broker, Storage, Overrun, PublishRefused,
    Recorder, RecordDisputed, CredentialsDue, Flooded, LevelCorrected, Sealed, Unrecorded,
    RecordFilling, TakenOver, SoftwareChanged,
)  # fmt: skip

# From least to most authority; "floorperson or above" is a comparison on this line.
LINE = ("dealer", "floorperson", "pit_manager", "shift_manager")
ROLES = (*LINE, "surveillance", "technician", "inspector")

BY_SOURCE: dict[str, tuple[type, ...]] = {
    **facts.BY_SOURCE,
    "dealer": DEALER,
    "floorperson": FLOORPERSON + DEALER,
    "pit_manager": FLOORPERSON + DEALER,
    "shift_manager": FLOORPERSON + DEALER,
    # Only the room itself can say what its recorder holds.
    "surveillance": (*SURVEILLANCE, Recorded),
    # Looking and asking for a record again changes nothing at the table.
    "technician": (*SURVEILLANCE, ShowCode),
    "inspector": (*SURVEILLANCE, ShowCode),
    "clock": CLOCK,
    "system": SYSTEM,
}
FACT_SOURCES = frozenset((*facts.BY_SOURCE, "clock", "system"))


@dataclass(frozen=True, slots=True)
class Arrived:
    """One input with its stamps: the unit that is journaled, decided and replayed.

    `number` counts inputs of the journal from 1; `at_ms` is UTC in ms since the epoch; `mono_ms`
    is monotonic ms of boot `boot`; `source` is a key of `BY_SOURCE`; `by` the person, if one.
    """

    number: int
    at_ms: int
    mono_ms: int
    boot: int
    clock_synchronised: bool
    source: str
    by: str | None
    item: Item
    command: str | None = None


__all__ = [  # the closed list of inputs, whichever file their class stands in
    "BY_SOURCE",
    "DEALER",
    "FACT_SOURCES",
    "FLOORPERSON",
    "LINE",
    "ROLES",
    "Acknowledge",
    "Annotate",
    "Arrived",
    "AskedFaceUp",
    "AskedSpread",
    "BonusesSettled",
    "Broker",
    "Burned",
    "CallFloor",
    "CardsLoaded",
    "ClockStepped",
    "Close",
    "ConfirmVoid",
    "CoverCardOut",
    "CoverInserted",
    "Covered",
    "CredentialsDue",
    "CutMade",
    "CutRefused",
    "DaemonStopped",
    "Decide",
    "DeckCounted",
    "DeclareUnusable",
    "Delivered",
    "Dice",
    "Done",
    "DrawnInError",
    "ExtraCard",
    "FaceUpCard",
    "Feathered",
    "FirstCard",
    "Flooded",
    "Idle",
    "Inspected",
    "Item",
    "LevelCorrected",
    "Malformed",
    "Misdeal",
    "NewDeck",
    "NoMoreBets",
    "Open",
    "OpeningVerified",
    "OrderRecut",
    "OrderShuffle",
    "Overrun",
    "PlayerArrived",
    "PlayerLeft",
    "PowerLost",
    "Preshuffled",
    "PublishRefused",
    "RaisesClosed",
    "RecordDisputed",
    "RecordFilling",
    "Recorded",
    "Recorder",
    "Replay",
    "Resume",
    "ReturnToService",
    "Revealed",
    "RoundDone",
    "Sealed",
    "SetMethod",
    "Shaken",
    "ShakerReset",
    "ShowCode",
    "ShuffleStarted",
    "Shuffled",
    "SignIn",
    "SoftwareChanged",
    "Spread",
    "Stacked",
    "StartMarked",
    "Started",
    "Storage",
    "Stub",
    "Synchronised",
    "TakenOver",
    "TimerFired",
    "Unrecorded",
    "Unsynchronised",
    "VoidRound",
    "WagersReturned",
    "Washed",
    "Withdraw",
    "WrongCount",
]  # fmt: skip

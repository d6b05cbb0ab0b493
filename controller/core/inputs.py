"""Everything that the rules ever see: facts of hardware, commands of people, clock and system.

One class an input; `TYPE` is its name in files, journal and MQTT. `BY_SOURCE` says who may state
what; a floorperson may state what a dealer states (rules that need two people look at `by`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hal import facts
from hal.facts import Batch, Count, DeviceName, Face, Name, Range, Rank, Text, Word

Seat = Annotated[int, Range(1, 99)]
Position = Seat | Literal["dealer"]
Reason = Annotated[str, Text(200)]
Method = Literal["device", "manual", "auto_shoe", "manual_shoe", "hand", "rng", "shaker"]
Choice = Literal[
    "continue", "discard", "use_next", "void", "reshuffle", "remove_deck", "resume",
    "return_to_service",
]  # fmt: skip
# Room for every seat of the widest lawful layout, and a bound for a hostile list.
Seats = Annotated[tuple[Seat, ...], Range(0, 16)]


# ---- a dealer states ---------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class SignIn:
    TYPE: ClassVar[str] = "sign_in"
    dealer: Name


@dataclass(frozen=True, slots=True)
class Inspected:
    TYPE: ClassVar[str] = "inspected"


@dataclass(frozen=True, slots=True)
class Spread:
    TYPE: ClassVar[str] = "spread"
    face: Face


@dataclass(frozen=True, slots=True)
class Washed:
    TYPE: ClassVar[str] = "washed"


@dataclass(frozen=True, slots=True)
class Stacked:
    TYPE: ClassVar[str] = "stacked"


@dataclass(frozen=True, slots=True)
class ShuffleStarted:
    TYPE: ClassVar[str] = "shuffle_started"


@dataclass(frozen=True, slots=True)
class Shuffled:
    TYPE: ClassVar[str] = "shuffled"


@dataclass(frozen=True, slots=True)
class PlayerArrived:
    TYPE: ClassVar[str] = "player_arrived"
    seat: Seat


@dataclass(frozen=True, slots=True)
class PlayerLeft:
    TYPE: ClassVar[str] = "player_left"
    seat: Seat


@dataclass(frozen=True, slots=True)
class CutRefused:
    TYPE: ClassVar[str] = "cut_refused"
    seat: Seat


@dataclass(frozen=True, slots=True)
class CutMade:
    TYPE: ClassVar[str] = "cut_made"
    cutter: Position
    from_top: Count | None = None


@dataclass(frozen=True, slots=True)
class CoverInserted:
    TYPE: ClassVar[str] = "cover_inserted"
    from_bottom: Count | None = None


@dataclass(frozen=True, slots=True)
class CardsLoaded:
    TYPE: ClassVar[str] = "loaded"
    into: Literal["shoe", "hand"]
    batch: Batch | None = None
    cards: Count | None = None


@dataclass(frozen=True, slots=True)
class FirstCard:
    TYPE: ClassVar[str] = "first_card"
    rank: Rank


@dataclass(frozen=True, slots=True)
class Burned:
    TYPE: ClassVar[str] = "burned"
    cards: Count


@dataclass(frozen=True, slots=True)
class NoMoreBets:
    TYPE: ClassVar[str] = "no_more_bets"
    seats: Seats
    progressive: Seats | None = None
    trips: Seats | None = None
    wagers: dict[str, tuple[int, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Shaken:
    TYPE: ClassVar[str] = "shaken"
    times: Annotated[int, Range(0, 99)]


@dataclass(frozen=True, slots=True)
class Dice:
    TYPE: ClassVar[str] = "dice"
    values: Annotated[tuple[Annotated[int, Range(1, 6)], ...], Range(3, 3)] | None = None
    total: Annotated[int, Range(3, 18)] | None = None


@dataclass(frozen=True, slots=True)
class ShakerReset:
    TYPE: ClassVar[str] = "shaker_reset"


@dataclass(frozen=True, slots=True)
class StartMarked:
    TYPE: ClassVar[str] = "start_marked"


@dataclass(frozen=True, slots=True)
class Delivered:
    TYPE: ClassVar[str] = "delivered"
    to: Position
    cards: Count


@dataclass(frozen=True, slots=True)
class ExtraCard:
    TYPE: ClassVar[str] = "extra_card"


@dataclass(frozen=True, slots=True)
class RaisesClosed:
    TYPE: ClassVar[str] = "raises_closed"


@dataclass(frozen=True, slots=True)
class CoverCardOut:
    TYPE: ClassVar[str] = "cover_card_out"
    where: Position


@dataclass(frozen=True, slots=True)
class FaceUpCard:
    TYPE: ClassVar[str] = "face_up_card"


@dataclass(frozen=True, slots=True)
class DrawnInError:
    TYPE: ClassVar[str] = "drawn_in_error"
    exposed: bool


@dataclass(frozen=True, slots=True)
class WrongCount:
    TYPE: ClassVar[str] = "wrong_count"
    to: Position
    cards: Count


@dataclass(frozen=True, slots=True)
class Revealed:
    TYPE: ClassVar[str] = "revealed"
    whose: Position


@dataclass(frozen=True, slots=True)
class Stub:
    TYPE: ClassVar[str] = "stub"
    cards: Count


@dataclass(frozen=True, slots=True)
class DeckCounted:
    TYPE: ClassVar[str] = "deck_counted"
    cards: Count


@dataclass(frozen=True, slots=True)
class Misdeal:
    TYPE: ClassVar[str] = "misdeal"
    misdealt: bool
    total: Count


@dataclass(frozen=True, slots=True)
class WagersReturned:
    TYPE: ClassVar[str] = "wagers_returned"


@dataclass(frozen=True, slots=True)
class BonusesSettled:
    TYPE: ClassVar[str] = "bonuses_settled"


@dataclass(frozen=True, slots=True)
class RoundDone:
    TYPE: ClassVar[str] = "round_done"


@dataclass(frozen=True, slots=True)
class Idle:
    TYPE: ClassVar[str] = "idle"


@dataclass(frozen=True, slots=True)
class AskedFaceUp:
    TYPE: ClassVar[str] = "asked_face_up"


@dataclass(frozen=True, slots=True)
class AskedSpread:
    TYPE: ClassVar[str] = "asked_spread"


@dataclass(frozen=True, slots=True)
class Covered:
    TYPE: ClassVar[str] = "covered"
    device: DeviceName
    how: Literal["cover", "sign"]


@dataclass(frozen=True, slots=True)
class CallFloor:
    TYPE: ClassVar[str] = "call_floor"
    reason: Reason = ""


@dataclass(frozen=True, slots=True)
class Done:
    TYPE: ClassVar[str] = "done"


# ---- a floorperson or above asks ---------------------------------------------------------------
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


# ---- clock and system --------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class TimerFired:
    TYPE: ClassVar[str] = "timer"
    name: Name


@dataclass(frozen=True, slots=True)
class Synchronised:
    TYPE: ClassVar[str] = "synchronised"
    offset_ms: Annotated[int, Range(-0x7FFFFFFF, 0x7FFFFFFF)]


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
SYSTEM = (Started, DaemonStopped, PowerLost, Broker, Storage, Overrun, PublishRefused)

# From least to most authority; "floorperson or above" is a comparison on this line.
LINE = ("dealer", "floorperson", "pit_manager", "shift_manager")
ROLES = (*LINE, "surveillance", "technician", "inspector")

BY_SOURCE: dict[str, tuple[type, ...]] = {
    **facts.BY_SOURCE,
    "dealer": DEALER,
    "floorperson": FLOORPERSON + DEALER,
    "pit_manager": FLOORPERSON + DEALER,
    "shift_manager": FLOORPERSON + DEALER,
    "surveillance": SURVEILLANCE,
    # Looking and asking for a record again changes nothing at the table.
    "technician": SURVEILLANCE,
    "inspector": SURVEILLANCE,
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

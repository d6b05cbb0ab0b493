"""What a dealer states: one class a statement, `TYPE` its name in files, journal and MQTT."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from hal.member_types import Batch, Count, DeviceName, Face, Name, Range, Rank, Text

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

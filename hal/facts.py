"""The vocabulary of hardware: what a device said, or failed to say.

One class a fact; `TYPE` is its name in files, journal and MQTT (spec: inputs of a table).
Bounds stand beside each member: a decoder refuses what does not fit, and so does a file.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from hal.member_types import (
    Batch,
    Colour,
    Count,
    Cycle,
    CycleMode,
    CycleResult,
    DeviceName,
    Face,
    Name,
    Range,
    Rank,
    Suit,
    Text,
    Word,
)


# ---- shuffler and shoe -------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Identity:
    """Who the device says it is; pinned by the session, so a change is noticed."""

    TYPE: ClassVar[str] = "identity"
    make: Name
    model: Name
    serial: Name
    firmware: Name
    digest: Annotated[str, Text(64)] = ""


@dataclass(frozen=True, slots=True)
class Link:
    """The device is heard (up) or not: unplugged, or three heartbeats missed (down)."""

    TYPE: ClassVar[str] = "link"
    up: bool


@dataclass(frozen=True, slots=True)
class Restarted:
    """The device began a new boot: what it knew of its cards may be lost."""

    TYPE: ClassVar[str] = "restarted"


@dataclass(frozen=True, slots=True)
class FactsMissing:
    """The device numbered events that never arrived: its state is not known until proven."""

    TYPE: ClassVar[str] = "facts_missing"
    count: Annotated[int, Range(1, 0xFFFF)]


@dataclass(frozen=True, slots=True)
class Noise:
    """Bytes that made no frame: counted and kept as evidence, at most one fact a second."""

    TYPE: ClassVar[str] = "noise"
    octets: Annotated[int, Range(0, 0x7FFFFFFF)]
    reason: Word


@dataclass(frozen=True, slots=True)
class IdentityChanged:
    """Another device answers on this port than the one that was pinned."""

    TYPE: ClassVar[str] = "identity_changed"
    make: Name
    model: Name
    serial: Name


@dataclass(frozen=True, slots=True)
class Jam:
    """Cards are stuck in the device."""

    TYPE: ClassVar[str] = "jam"
    zone: Word | None = None
    cards_in_path: Count | None = None


@dataclass(frozen=True, slots=True)
class JamCleared:
    """The device sees its path free again."""

    TYPE: ClassVar[str] = "jam_cleared"


@dataclass(frozen=True, slots=True)
class Stopped:
    """The device stopped in the middle of its work."""

    TYPE: ClassVar[str] = "stopped"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault code that the device raised; severity as in the event envelope, 0 to 5."""

    TYPE: ClassVar[str] = "fault"
    code: Word
    severity: Annotated[int, Range(0, 5)]


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """The device took a fault code back."""

    TYPE: ClassVar[str] = "fault_cleared"
    code: Word


@dataclass(frozen=True, slots=True)
class Mode:
    """The device changed its mode of use (play, service, sort, count, config)."""

    TYPE: ClassVar[str] = "mode"
    mode: Word


@dataclass(frozen=True, slots=True)
class Power:
    """The device's own supply: ok, brownout, battery, lost."""

    TYPE: ClassVar[str] = "power"
    state: Word


@dataclass(frozen=True, slots=True)
class Meters:
    """Counters that the device keeps for its maintenance."""

    TYPE: ClassVar[str] = "meters"
    values: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ShufflerLoaded:
    """A batch was put into the shuffler."""

    TYPE: ClassVar[str] = "loaded"
    batch: Batch
    cards: Count | None = None


@dataclass(frozen=True, slots=True)
class CycleStarted:
    """One run of the shuffler began."""

    TYPE: ClassVar[str] = "cycle_started"
    cycle: Cycle
    mode: CycleMode


@dataclass(frozen=True, slots=True)
class CycleEnded:
    """One run of the shuffler ended, well or not; the count is testimony."""

    TYPE: ClassVar[str] = "cycle_ended"
    cycle: Cycle
    mode: CycleMode
    result: CycleResult
    cards: Count | None = None
    batch: Batch | None = None


@dataclass(frozen=True, slots=True)
class Ejected:
    """The shuffler gave a batch out."""

    TYPE: ClassVar[str] = "ejected"
    batch: Batch
    cards: Count | None = None


@dataclass(frozen=True, slots=True)
class Residue:
    """Cards are still inside the shuffler where none should be."""

    TYPE: ClassVar[str] = "residue"
    cards: Count


@dataclass(frozen=True, slots=True)
class Door:
    """The shuffler's door."""

    TYPE: ClassVar[str] = "door"
    open: bool


@dataclass(frozen=True, slots=True)
class Lamp:
    """The shuffler's own lamp, as it says or as a light sensor sees it."""

    TYPE: ClassVar[str] = "lamp"
    colour: Colour


@dataclass(frozen=True, slots=True)
class ShoeLoaded:
    """A stack was put into the shoe."""

    TYPE: ClassVar[str] = "loaded"
    cards: Count | None = None
    batch: Batch | None = None


@dataclass(frozen=True, slots=True)
class CardDrawn:
    """One card left the shoe; rank and suit only of a card already exposed."""

    TYPE: ClassVar[str] = "card"
    index: Count
    face: Face
    rank: Rank | None = None
    suit: Suit | None = None


@dataclass(frozen=True, slots=True)
class StackDispensed:
    """An automated shoe gave out one stack."""

    TYPE: ClassVar[str] = "stack"
    number: Count
    cards: Count


@dataclass(frozen=True, slots=True)
class StackTaken:
    """The dealer took a stack from the shoe's mouth."""

    TYPE: ClassVar[str] = "stack_taken"
    number: Count


@dataclass(frozen=True, slots=True)
class CoverCardSeen:
    """The cover card reached the shoe's sensor."""

    TYPE: ClassVar[str] = "cover_card"


@dataclass(frozen=True, slots=True)
class RemainderRemoved:
    """The cards left after the deal were taken out of the shoe."""

    TYPE: ClassVar[str] = "remainder_removed"
    cards: Count | None = None


@dataclass(frozen=True, slots=True)
class Emptied:
    """No card is left in the shoe."""

    TYPE: ClassVar[str] = "emptied"


@dataclass(frozen=True, slots=True)
class Lid:
    """The shoe's lid."""

    TYPE: ClassVar[str] = "lid"
    open: bool


@dataclass(frozen=True, slots=True)
class Incomplete:
    """The shoe gave up before all stacks of the round were out."""

    TYPE: ClassVar[str] = "incomplete"
    stacks: Count | None = None


# ---- random number and its digit ---------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Button:
    """The random-number button was pressed: a request, not an entropy source."""

    TYPE: ClassVar[str] = "button"


@dataclass(frozen=True, slots=True)
class Drawn:
    """The generator answered draw number `draw` of this journal."""

    TYPE: ClassVar[str] = "drawn"
    number: Count
    draw: Annotated[int, Range(0, 0x7FFFFFFF)]


@dataclass(frozen=True, slots=True)
class Shown:
    """The digit was driven with `number` and read back as `readback`."""

    TYPE: ClassVar[str] = "shown"
    number: Count
    readback: Count


@dataclass(frozen=True, slots=True)
class HealthFailed:
    """A health test of the random source failed: the generator is out of service."""

    TYPE: ClassVar[str] = "health_failed"
    test: Word


@dataclass(frozen=True, slots=True)
class Restored:
    """The random source passed its start-up tests again."""

    TYPE: ClassVar[str] = "restored"


# ---- panel -------------------------------------------------------------------------------------
@dataclass(frozen=True, slots=True)
class Pressed:
    """A button of the panel was pressed, debounced."""

    TYPE: ClassVar[str] = "pressed"
    button: Word


@dataclass(frozen=True, slots=True)
class Key:
    """The floorperson's key switch; `id` names the key in the roster."""

    TYPE: ClassVar[str] = "key"
    on: bool
    id: Name


@dataclass(frozen=True, slots=True)
class Cover:
    """A device's cover switch."""

    TYPE: ClassVar[str] = "cover"
    device: DeviceName
    on: bool


@dataclass(frozen=True, slots=True)
class Case:
    """The controller's case door; a cut wire reads as open."""

    TYPE: ClassVar[str] = "case"
    open: bool


@dataclass(frozen=True, slots=True)
class Stuck:
    """A button has been down longer than a hand would hold it."""

    TYPE: ClassVar[str] = "stuck"
    button: Word


@dataclass(frozen=True, slots=True)
class DisplayFault:
    """A segment of the digit does not read back as driven."""

    TYPE: ClassVar[str] = "display_fault"
    segment: Word


COMMON = (
    Identity, Link, Restarted, FactsMissing, Noise, IdentityChanged, Jam, JamCleared, Stopped,
    Fault, FaultCleared, Mode, Power, Meters,
)  # fmt: skip
SHUFFLER = (
    *COMMON, ShufflerLoaded, CycleStarted, CycleEnded, Ejected, Residue, Door, Lamp,
)  # fmt: skip
SHOE = (
    *COMMON, ShoeLoaded, CardDrawn, StackDispensed, StackTaken, CoverCardSeen, RemainderRemoved,
    Emptied, Lid, Incomplete,
)  # fmt: skip
RNG = (Button, Drawn, Shown, HealthFailed, Restored)
PANEL = (Pressed, Key, Cover, Case, Stuck, DisplayFault)

BY_SOURCE = {"shuffler": SHUFFLER, "shoe": SHOE, "rng": RNG, "panel": PANEL}

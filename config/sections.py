"""The shape of a table's file: one frozen class a section, every key with its bounds.

What a key does is said in `config/README.md`; a test holds the two together. The shapes are plain
dataclasses, so that a daemon keeps its settings without keeping the validator in memory (19 MB):
only `config.validation` loads it. Nothing is converted, nothing unknown is kept, a secret is a path
and never a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from annotated_types import Interval, Len

from config.texts import FaultName, FilePath, Host, Name, Port, Prefix, Source, Text64
from hal.debounce import STABLE_MS
from hal.lamp_settings import LampSettings
from hal.pins import PanelPins, PanelSettings

Seconds = Annotated[int, Interval(ge=1, le=86_400)]
# The lines of the 40-pin header that a board gives out, by BCM number.
Pin = Annotated[int, Interval(ge=0, le=27)]

Role = Literal[
    "dealer", "floorperson", "pit_manager", "shift_manager", "surveillance", "technician",
    "inspector",
]  # fmt: skip
Factory = Literal["lgpio", "rpigpio", "pigpio", "native", "mock"]
Baud = Literal[4800, 9600, 19200, 38400, 57600, 115200, 230400]


class Section:
    """What all sections share: no unknown key, no value of another kind than is asked for."""

    __slots__ = ()
    __pydantic_config__: ClassVar[dict[str, object]] = {"extra": "forbid", "strict": True}


@dataclass(frozen=True, slots=True)
class Table(Section):
    """`[table]`: which table this is, and its seats."""

    id: Name
    seats: Annotated[int, Interval(ge=1, le=16)]
    numbering: Literal["from_dealer_left", "from_dealer_right"] = "from_dealer_left"


@dataclass(frozen=True, slots=True)
class Game(Section):
    """`[game]`: what the house declares in its rules submission; absent keys are the game's own."""

    name: str
    decks: Annotated[int, Interval(ge=1, le=8)] | None = None
    deck_cards: Annotated[int, Interval(ge=52, le=54)] | None = None
    batches: Annotated[int, Interval(ge=1, le=2)] | None = None
    deal: Literal["auto_shoe", "manual_shoe", "hand"] | None = None
    start: Literal["rng", "shaker"] | None = None
    rounds_after_cover: Annotated[int, Interval(ge=0, le=1)] | None = None
    idle_after_s: Seconds | None = None
    approved_device: Text64 | None = None
    shuffle_timeout_s: Seconds | None = None
    dispense_timeout_s: Seconds | None = None


@dataclass(frozen=True, slots=True)
class DeviceIdentity(Section):
    """The one device that may answer on a port."""

    make: Text64
    model: Text64
    serial: Text64


@dataclass(frozen=True, slots=True)
class Device(Section):
    """What a shuffler and a shoe have in common: a driver on a port."""

    driver: str | None = None
    driver_file: FilePath | None = None
    port: Port | None = None
    baud: Baud = 115_200
    identity: DeviceIdentity | None = None


@dataclass(frozen=True, slots=True)
class Lamps(Section):
    """`[shuffler.lamps]`: two light sensors before the shuffler's own lamps."""

    green: Pin
    red: Pin
    factory: Factory = "lgpio"
    active_low: bool = True
    red_normally_closed: bool = True

    def wiring(self) -> LampSettings:
        """The same for `hal.lamp_device`."""
        return LampSettings(
            green=self.green,
            red=self.red,
            factory=self.factory,
            active_low=self.active_low,
            red_normally_closed=self.red_normally_closed,
        )


@dataclass(frozen=True, slots=True)
class Shuffler(Device):
    """`[shuffler]`: the port and what this device can do."""

    lamps: Lamps | None = None
    counts: bool = True
    stores_one_batch: bool = True
    direct_to_shoe: bool = False
    cycle_s_min: Seconds | None = None
    cycle_s_max: Seconds | None = None


@dataclass(frozen=True, slots=True)
class Shoe(Device):
    """`[shoe]`: the port of the dealing shoe."""


@dataclass(frozen=True, slots=True)
class Panel(Section):
    """`[panel]`: pins by purpose and how they are wired."""

    pins: dict[str, Pin]
    factory: Factory = "lgpio"
    inputs_active_low: bool = True
    senses_active_low: bool = False
    common_anode: bool = False
    lamps_active_low: bool = False
    sounder_active_low: bool = False
    # Contacts bounce up to 20 ms; above 50 ms a quick hand would be lost.
    stable_ms: Annotated[int, Interval(ge=20, le=50)] = STABLE_MS
    key_id: Text64 = "key-1"

    def wiring(self) -> PanelSettings:
        """The same for `hal.panel`."""
        return PanelSettings(
            pins=PanelPins(dict(self.pins)),
            factory=self.factory,
            inputs_active_low=self.inputs_active_low,
            senses_active_low=self.senses_active_low,
            common_anode=self.common_anode,
            lamps_active_low=self.lamps_active_low,
            sounder_active_low=self.sounder_active_low,
            stable_ms=self.stable_ms,
            key_id=self.key_id,
        )


@dataclass(frozen=True, slots=True)
class Rng(Section):
    """`[rng]`: where the raw randomness comes from."""

    source: Source = "auto"


@dataclass(frozen=True, slots=True)
class Tls(Section):
    """`[mqtt.tls]`: whom we trust and who we are; the broker's name is always checked."""

    ca: FilePath | None = None
    certificate: FilePath | None = None
    key: FilePath | None = None


@dataclass(frozen=True, slots=True)
class Mqtt(Section):
    """`[mqtt]`: the broker. Without `[mqtt.tls]` only a loopback broker, unless said otherwise."""

    host: Host
    port: Annotated[int, Interval(ge=1, le=65_535)] | None = None
    protocol: Literal["5", "3.1.1"] = "5"
    prefix: Prefix = "tables"
    username: Text64 | None = None
    password_file: FilePath | None = None
    # A silent table is noticed after two of these; below 5 s a busy broker loses us for nothing.
    keepalive_s: Annotated[int, Interval(ge=5, le=300)] = 15
    # The principal of the room's recorder: its word alone makes a record delivered.
    store: Name | None = None
    # What one principal may ask in the long run: three times what a table needs.
    commands_per_minute: Annotated[int, Interval(ge=10, le=60_000)] = 60
    # Alarms and irregularities also as cameras and video systems read them (docs/onvif.md).
    onvif: bool = False
    tls: Tls | None = None
    allow_plaintext: bool = False

    @property
    def port_number(self) -> int:
        """The port, where none is given the one that is registered for MQTT over TLS or without."""
        return self.port or (1883 if self.tls is None else 8883)


@dataclass(frozen=True, slots=True)
class Journal(Section):
    """`[journal]`: the record's file, its key, and how much stays here (F49, docs/record.md)."""

    path: FilePath
    key: FilePath
    retention_days: Annotated[int, Interval(ge=1, le=3650)] = 30
    budget_mb: Annotated[int, Interval(ge=128, le=1_000_000)] = 2048
    checkpoint_s: Annotated[int, Interval(ge=10, le=86_400)] = 600


@dataclass(frozen=True, slots=True)
class RosterEntry(Section):
    """One person: the role, and the key of the key switch that the person carries."""

    role: Role
    key: Text64 | None = None


@dataclass(frozen=True, slots=True)
class Bench(Section):
    """`[bench]`: a simulated person at mock pins, for demo and tests; never at a table in play."""

    hand: FilePath
    faults: Annotated[list[FaultName], Len(0, 8)] | None = None


# `[roster]`: principal -> role; a principal is the name that the broker knows a person by.
Roster = dict[Name, RosterEntry]


@dataclass(frozen=True, slots=True)
class Alarms(Section):
    """`[alarms]`: when an unacknowledged alarm goes to the next one above; a missing broker."""

    escalate_floor_s: Annotated[int, Interval(ge=1, le=600)] = 20
    escalate_pit_s: Annotated[int, Interval(ge=1, le=3600)] = 60
    # Without a broker the table plays on; the hold is a house's choice, no text asks for it.
    broker_away_s: Annotated[int, Interval(ge=10, le=86_400)] = 300
    broker_hold_s: Annotated[int, Interval(ge=10, le=604_800)] | None = None


@dataclass(frozen=True, slots=True)
class Time(Section):
    """`[time]`: what is a step of the wall clock; half a second between two looks is no slewing."""

    stepped_ms_min: Annotated[int, Interval(ge=100, le=60_000)] = 500


# What each section must be, as the validator takes it: a class, or for the roster a mapping.
SECTIONS: dict[str, object] = {
    "table": Table, "game": Game, "shuffler": Shuffler, "shoe": Shoe, "panel": Panel, "rng": Rng,
    "mqtt": Mqtt, "journal": Journal, "roster": Roster, "alarms": Alarms, "time": Time,
    "bench": Bench,
}  # fmt: skip

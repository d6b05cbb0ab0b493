"""The shape of a table's file: one model a section, every key with its bounds.

What a key does is said in `config/README.md`; a test holds the two together. Models are strict and
frozen: nothing is converted, nothing unknown is kept, a secret is a path and never a value.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel
from pydantic_core import PydanticCustomError

from hal.debounce import STABLE_MS
from hal.pins import PanelPins, PanelSettings

# Interfaces, section 1: letters, digits and `-`; an MQTT level and a unit's instance name hold it.
NAME_PATTERN = r"^[A-Za-z0-9-]{1,32}$"
# MQTT wildcards and control characters in a prefix would subscribe to somebody else's topics.
PREFIX_PATTERN = r"^[^+#/\x00-\x20\x7f]{1,32}(/[^+#/\x00-\x20\x7f]{1,32}){0,3}$"
PORT_PATTERN = r"^(/[!-~]{1,200}|tcp://[^\s:/]{1,253}:[0-9]{1,5})$"
# The lines of the 40-pin header that a board gives out, by BCM number.
PIN_MOST = 27

Role = Literal[
    "dealer", "floorperson", "pit_manager", "shift_manager", "surveillance", "technician",
    "inspector",
]  # fmt: skip
Baud = Literal[4800, 9600, 19200, 38400, 57600, 115200, 230400]


def _absolute(value: object) -> object:
    """A path is written out in full: the daemon has no working directory to speak of."""
    if not isinstance(value, str):
        raise PydanticCustomError("path", "a path must be a text in quotes")
    if not value.startswith("/") or "\x00" in value or len(value) > 4096:
        raise PydanticCustomError("path", "a path must be absolute, such as /etc/x.pem")
    return Path(value)


FilePath = Annotated[Path, BeforeValidator(_absolute)]
Text64 = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[^\x00-\x1f\x7f]*$")]
Name = Annotated[str, Field(pattern=NAME_PATTERN)]
Seconds = Annotated[int, Field(ge=1, le=86_400)]
FaultName = Annotated[str, Field(pattern=r"^[a-z-]{1,32}$")]


class Section(BaseModel):
    """What all sections share: strict, frozen, no unknown key."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class Table(Section):
    """`[table]`: which table this is, and its seats."""

    id: Name
    seats: Annotated[int, Field(ge=1, le=16)]
    numbering: Literal["from_dealer_left", "from_dealer_right"] = "from_dealer_left"


class Game(Section):
    """`[game]`: what the house declares in its rules submission; absent keys are the game's own."""

    name: str
    decks: Annotated[int, Field(ge=1, le=8)] | None = None
    deck_cards: Annotated[int, Field(ge=52, le=54)] | None = None
    batches: Annotated[int, Field(ge=1, le=2)] | None = None
    deal: Literal["auto_shoe", "manual_shoe", "hand"] | None = None
    start: Literal["rng", "shaker"] | None = None
    rounds_after_cover: Annotated[int, Field(ge=0, le=1)] | None = None
    idle_after_s: Seconds | None = None
    approved_device: Text64 | None = None
    shuffle_timeout_s: Seconds | None = None
    dispense_timeout_s: Seconds | None = None


class DeviceIdentity(Section):
    """The one device that may answer on a port."""

    make: Text64
    model: Text64
    serial: Text64


class Device(Section):
    """What a shuffler and a shoe have in common: a driver on a port."""

    driver: str | None = None
    port: Annotated[str, Field(pattern=PORT_PATTERN)] | None = None
    baud: Baud = 115_200
    identity: DeviceIdentity | None = None


class Shuffler(Device):
    """`[shuffler]`: the port and what this device can do."""

    counts: bool = True
    stores_one_batch: bool = True
    direct_to_shoe: bool = False
    cycle_s_min: Seconds | None = None
    cycle_s_max: Seconds | None = None


class Shoe(Device):
    """`[shoe]`: the port of the dealing shoe."""


class Panel(Section):
    """`[panel]`: pins by purpose and how they are wired."""

    pins: dict[str, Annotated[int, Field(ge=0, le=PIN_MOST)]]
    factory: Literal["lgpio", "rpigpio", "pigpio", "native", "mock"] = "lgpio"
    inputs_active_low: bool = True
    senses_active_low: bool = False
    common_anode: bool = False
    lamps_active_low: bool = False
    sounder_active_low: bool = False
    # Contacts bounce up to 20 ms; above 50 ms a quick hand would be lost.
    stable_ms: Annotated[int, Field(ge=20, le=50)] = STABLE_MS
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


class Rng(Section):
    """`[rng]`: where the raw randomness comes from."""

    source: Annotated[str, Field(pattern=r"^(auto|kernel|/dev/[!-~]{1,64})$")] = "auto"


class Tls(Section):
    """`[mqtt.tls]`: whom we trust and who we are; the broker's name is always checked."""

    ca: FilePath | None = None
    certificate: FilePath | None = None
    key: FilePath | None = None


class Mqtt(Section):
    """`[mqtt]`: the broker. Without `[mqtt.tls]` only a loopback broker, unless said otherwise."""

    host: Annotated[str, Field(pattern=r"^[^\s/@]{1,253}$")]
    port: Annotated[int, Field(ge=1, le=65_535)] | None = None
    protocol: Literal["5", "3.1.1"] = "5"
    prefix: Annotated[str, Field(pattern=PREFIX_PATTERN)] = "tables"
    username: Text64 | None = None
    password_file: FilePath | None = None
    # A silent table is noticed after two of these; below 5 s a busy broker loses us for nothing.
    keepalive_s: Annotated[int, Field(ge=5, le=300)] = 15
    tls: Tls | None = None
    allow_plaintext: bool = False

    @property
    def port_number(self) -> int:
        """The port, where none is given the one that is registered for MQTT over TLS or without."""
        if self.port is not None:
            return self.port
        return 1883 if self.tls is None else 8883


class Journal(Section):
    """`[journal]`: the record's file and the key that seals it."""

    path: FilePath
    key: FilePath


class RosterEntry(Section):
    """One person: the role, and the key of the key switch that the person carries."""

    role: Role
    key: Text64 | None = None


class Bench(Section):
    """`[bench]`: a simulated person at mock pins, for demo and tests; never at a table in play."""

    hand: FilePath
    faults: Annotated[list[FaultName], Field(max_length=8)] | None = None


class Roster(RootModel[dict[Name, RosterEntry]]):
    """`[roster]`: principal -> role; a principal is the name that the broker knows a person by."""

    model_config = ConfigDict(frozen=True, strict=True)


class Alarms(Section):
    """`[alarms]`: when an alarm that nobody acknowledged goes to the next one above."""

    escalate_floor_s: Annotated[int, Field(ge=1, le=600)] = 20
    escalate_pit_s: Annotated[int, Field(ge=1, le=3600)] = 60


class Time(Section):
    """`[time]`: what counts as a step of the wall clock."""

    # A disciplined clock slews; half a second between two looks is no slewing.
    stepped_ms_min: Annotated[int, Field(ge=100, le=60_000)] = 500


SECTIONS: dict[str, type[BaseModel]] = {
    "table": Table, "game": Game, "shuffler": Shuffler, "shoe": Shoe, "panel": Panel, "rng": Rng,
    "mqtt": Mqtt, "journal": Journal, "roster": Roster, "alarms": Alarms, "time": Time,
    "bench": Bench,
}  # fmt: skip

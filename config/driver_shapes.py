"""The shape of a driver file: how a device that prints lines talks, and what its lines state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Interval, Len

from config.sections import Baud, Section
from config.texts import Matching

# What the host says: the ending is put behind it by us.
Said = Annotated[str, Matching(r"[^\x00-\x1f\x7f]{1,80}", "use 1 to 80 printable characters")]


@dataclass(frozen=True, slots=True)
class DriverDevice(Section):
    """`[device]`: what the file is for."""

    kind: Literal["shuffler", "shoe"]


@dataclass(frozen=True, slots=True)
class DriverLine(Section):
    """`[line]`: the line as the device's manual has it."""

    baud: Baud
    ending: Literal["CR LF", "LF", "CR"] = "CR LF"
    encoding: Literal["ascii", "latin-1", "utf-8"] = "ascii"
    # A line is held until its end comes: bounded for a device that never sends one.
    octets_max: Annotated[int, Interval(ge=8, le=240)] = 120


@dataclass(frozen=True, slots=True)
class DriverHost(Section):
    """`[host]`: what we say, and how long the device may say nothing."""

    silence_ms: Annotated[int, Interval(ge=500, le=600_000)]
    at_open: Annotated[list[Said], Len(0, 8)] | None = None
    poll: Said | None = None
    poll_ms: Annotated[int, Interval(ge=100, le=300_000)] | None = None
    lock: Said | None = None
    unlock: Said | None = None


@dataclass(frozen=True, slots=True)
class DriverSays(Section):
    """`[[says]]`: one line of the device, the facts that it states, translations of its words."""

    line: str
    facts: Annotated[list[dict[str, object]], Len(0, 4)]
    words: Annotated[dict[str, dict[str, str]], Len(0, 8)] | None = None


DRIVER_SECTIONS: dict[str, object] = {
    "device": DriverDevice,
    "line": DriverLine,
    "host": DriverHost,
    "says": Annotated[list[DriverSays], Len(1, 64)],
}

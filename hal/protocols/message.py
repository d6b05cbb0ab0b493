"""What a decoder hands on, whatever the device speaks: event, heartbeat, greeting, junk. Pure.

A driver is a decoder and an encoder of these shapes, entered by name in `hal.protocols.PROTOCOLS`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Protocol

from hal import facts

# Interfaces, section 7: `boot` and `seq` are four hex digits; after the last one comes 0.
NUMBERS: Final = 0x10000


@dataclass(frozen=True, slots=True)
class Junk:
    """Octets that made no message, and why, in a fixed word that never repeats their content."""

    octets: int
    reason: str


@dataclass(frozen=True, slots=True)
class Event:
    """One numbered event: `boot` and `seq` are 0..65535, `fact` is one of `hal.facts`."""

    boot: int
    seq: int
    fact: object


@dataclass(frozen=True, slots=True)
class Beat:
    """A heartbeat; `seq` is the number of the NEXT event. `locked` where the device tells it."""

    boot: int
    seq: int
    state: str = ""
    faults: int = 0
    locked: bool | None = None


@dataclass(frozen=True, slots=True)
class Hello:
    """A greeting; `seq` is the number of the NEXT event."""

    boot: int
    seq: int
    identity: facts.Identity = field(default_factory=lambda: facts.Identity("", "", "", ""))


Message = Event | Beat | Hello | Junk


class Decoder(Protocol):
    """Octets to messages. Owns its bytes, is bounded, never awaits, never logs, never raises."""

    def feed(self, chunk: bytes) -> list[Message]:
        """Take any chunk; give the messages that it completed, in order."""
        ...

    def line_idle(self) -> list[Message]:
        """The line was silent for longer than any frame: give up what is half read."""
        ...


class Encoder(Protocol):
    """Requests of the host to octets; b"" where the device knows no such request."""

    def acknowledge(self, boot: int, seq: int) -> bytes:
        """Tell the device that its event is durable."""
        ...

    def hold_locked(self, locked: bool) -> bytes:
        """Ask the device to be locked or unlocked."""
        ...

    def ask_status(self) -> bytes:
        """Ask for a greeting and a heartbeat."""
        ...


@dataclass(frozen=True, slots=True)
class Driver:
    """One device family: how to make its decoder for a device name, and its encoder for a boot.

    `frame_octets_max` is the longest frame: the link derives from it how long silence must last.
    `silence_ms_max` without a message the device is not heard; None: three heartbeats, as in TDP/1.
    `poll` is asked every `poll_ms` of a device that says nothing by itself; None: never.
    """

    frame_octets_max: int
    decoder: Callable[[str], Decoder]
    encoder: Callable[[int], Encoder]
    silence_ms_max: int | None = None
    poll: bytes = b""
    poll_ms: int | None = None

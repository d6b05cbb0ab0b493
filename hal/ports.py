"""What the controller may ask of hardware: four small protocols, implemented in hal and hal.sim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Heard:
    """One fact as hardware gave it.

    `source` is shuffler, shoe, rng or panel; `fact` one of `hal.facts`; `mono_ns` the monotonic
    time of the chunk or edge, stamped where it arrived; `receipt` is called once the fact is
    durable (a device that waits for an acknowledgement gets it then), or is None. `mark` is the
    device's own name for an event, such as `1A2B:0007`: stored in the same commit and given back as
    `resume`, it lets a daemon that starts again tell a repeat from a new event.
    """

    source: str
    fact: object
    mono_ns: int
    receipt: Callable[[], None] | None = None
    mark: str | None = None


Sink = Callable[[Heard], None]


class CardDevice(Protocol):
    """A shuffler or a shoe. Facts arrive at the sink that it was built with."""

    name: str

    async def run(self) -> None:
        """Open, listen, re-open with back-off until cancelled; raises only what the sink raises."""
        ...

    def lock(self, locked: bool) -> None:
        """Hold the device locked or unlocked, where it can be; a level, re-sent after a re-open."""
        ...

    def status(self) -> dict[str, object]:
        """Counters for health and the `devices` topic: events, noise, opens, last_heard_ms."""
        ...


class Panel(Protocol):
    """Buttons and key in; digit, lamps and sounder out. Facts arrive at the sink."""

    async def run(self) -> None:
        """Serve edges until cancelled."""
        ...

    def show(self, glyph: str) -> None:
        """Drive the digit with `1`..`7`, `-` or a blank; answers with `Shown` for a number."""
        ...

    def lamps(self, red: str, amber: str, green: str) -> None:
        """Drive the lamps: each `off`, `on` or `blink`."""
        ...

    def sound(self, pattern: str) -> None:
        """Drive the sounder: `off`, `chirp` or `alarm`."""
        ...

    def close(self) -> None:
        """Blank the digit, lamps off, pins released."""
        ...


class RandomSource(Protocol):
    """The generator of the 1-7 number. Raw entropy never leaves hal."""

    async def run(self) -> None:
        """Start-up tests, background draws and continuous tests until cancelled."""
        ...

    def draw(self, number: int) -> None:
        """Draw once; the sink gets `Drawn(number=1..7, draw=number)`, or `HealthFailed`."""
        ...

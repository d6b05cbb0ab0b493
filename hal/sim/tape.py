"""A line's tap and player: octets of a real port into a file, and of a file onto a port.

Example, a technician between a device and the controller:
    tap = Tap(PortSettings("/dev/ttyUSB0", 9600), write, PtyEnd(Path("/tmp/tap")))
    await tap.run()
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import Final

from hal.link import Link
from hal.port import PortSettings
from hal.sim.capture import Piece, Source
from hal.sim.wire import End, PtyEnd

# A line is idle after silence longer than any frame; nobody here asks for it.
FRAME_OCTETS_MAX: Final = 4096
NS_PER_US: Final = 1_000
# Ours opens, holds and flushes the port within a millisecond; then it may be spoken to.
HOST_SETTLES_S: Final = 0.2
HOST_CHECK_S: Final = 0.05
# A host that reads takes what a full line brings at once.
TAKE_CHECK_S: Final = 0.01
TAKE_S_MAX: Final = 10.0

Write = Callable[[Piece], None]


class HostTakesNothing(Exception):
    """Nobody reads what is played; the message is for a technician."""


class Tap:
    """Writes down what a port says, and with `host` passes it on, both ways, as it came.

    `write` is called on the loop for each piece, in the order of its time, and must not block
    for long; what it raises ends `run`.
    """

    def __init__(self, settings: PortSettings, write: Write, host: End | None = None) -> None:
        """Nothing is opened before `run`."""
        self.link = Link(settings, self, FRAME_OCTETS_MAX)
        self._write = write
        self._host = host
        self._began_ns = self._last_us = 0

    async def run(self) -> None:
        """Capture until cancelled; the port is opened again when it is lost."""
        self._began_ns = time.monotonic_ns()
        if self._host is not None:
            self._host.open(self._said_by_host)
        try:
            await self.link.run()
        finally:
            if self._host is not None:
                self._host.close()

    # ---- hal.link.Listener -----------------------------------------------------------------
    def opened(self) -> None:
        """The port is open."""
        self._put("!", b"opened", time.monotonic_ns())

    def received(self, octets: bytes, mono_ns: int) -> None:
        """The device said something."""
        self._put("<", octets, mono_ns)
        if self._host is not None:
            self._host.write(octets)

    def idled(self, mono_ns: int) -> None:
        """Silence is the distance between two times."""

    def lost(self, why: str, mono_ns: int) -> None:
        """The port is gone."""
        self._put("!", why.encode("ascii", "replace"), mono_ns)

    # ---- the host --------------------------------------------------------------------------
    def _said_by_host(self, octets: bytes) -> None:
        self._put(">", octets, time.monotonic_ns())
        self.link.write(octets)

    def _put(self, source: Source, octets: bytes, mono_ns: int) -> None:
        # Both sides are stamped by one loop, but not in one place: a file's times never go back.
        self._last_us = max((mono_ns - self._began_ns) // NS_PER_US, self._last_us)
        try:
            self._write(Piece(self._last_us, source, octets))
        except Exception as error:  # noqa: BLE001 - handed to run(), which raises it
            self.link.fail(error)


class Player:
    """Says what the device of a capture said, with its distances in time divided by `speed`."""

    def __init__(self, pieces: Iterable[Piece], end: End, speed: float = 1.0) -> None:
        """`end` is opened and closed by whoever made it. `pieces` are read once."""
        self._pieces = pieces
        self._end = end
        self._speed = speed
        self.heard_octets = 0
        self.said_octets = 0

    def hear(self, octets: bytes) -> None:
        """What the host says: counted; a capture answers nothing but what it answered then."""
        self.heard_octets += len(octets)

    async def until_host(self) -> None:
        """Wait for a host at a pseudo-terminal: one that holds the port for itself, or speaks."""
        end = self._end
        if isinstance(end, PtyEnd):
            while not (end.is_held or self.heard_octets):  # noqa: ASYNC110 - no kernel tells of it
                await asyncio.sleep(HOST_CHECK_S)
            await asyncio.sleep(HOST_SETTLES_S)

    async def run(self) -> None:
        """Play to the end. Raises HostTakesNothing."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        first_us: int | None = None
        for piece in self._pieces:
            if piece.source != "<":
                continue
            first_us = piece.at_us if first_us is None else first_us
            due_s = began_s + (piece.at_us - first_us) / 1_000_000 / self._speed
            await asyncio.sleep(max(due_s - loop.time(), 0))
            await self._say(piece.octets)

    async def _say(self, octets: bytes) -> None:
        waited_s = 0.0
        rest = octets
        while rest := rest[self._end.write(rest) :]:
            if waited_s > TAKE_S_MAX:
                raise HostTakesNothing(f"nobody has taken what is played for {TAKE_S_MAX:.0f} s")
            await asyncio.sleep(TAKE_CHECK_S)
            waited_s += TAKE_CHECK_S
        self.said_octets += len(octets)

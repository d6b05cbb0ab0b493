"""A shuffler's lamps at mock pins: somebody lights them, the sensors see it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import cast

from hal.gpio import Board, Input, open_factory
from hal.lamp_device import LampDevice
from hal.lamp_settings import LampSettings
from hal.ports import Heard, Sink
from tests.hal.wires import until

SETTINGS = LampSettings(green=23, red=24, factory="mock")
# A blink of 3 Hz: long enough for any machine to make, short enough for a test.
HALF_BLINK_S = 0.16


class Lamps:
    """Two lamps and what is heard of them; `settings` as the sensors are wired."""

    def __init__(self, settings: LampSettings = SETTINGS, alone: bool = True) -> None:
        self.settings = settings
        self.heard: list[Heard] = []
        self.board = Board(open_factory("mock"))
        self.sink: Sink = self.heard.append
        self.device = LampDevice(settings, self._hear, self.board, alone)
        self.light(green=False, red=False)

    def _hear(self, heard: Heard) -> None:
        self.sink(heard)

    def light(self, *, green: bool | None = None, red: bool | None = None) -> None:
        """Switch lamps on or off."""
        opens = self.settings.red_normally_closed
        if green is not None:
            self._close("green", green)
        if red is not None:
            self._close("red", red != opens)

    def line(self, name: str) -> Input:
        return self.device._lines[name]

    def _close(self, name: str, closed: bool) -> None:
        pin = cast("dict[str, Callable[[], None]]", self.line(name).pin)
        high = closed != self.settings.active_low
        # The library looks for the listener and calls it in two steps, between which the loop may
        # have taken it away: then nobody listens, and nothing is to be told.
        with contextlib.suppress(TypeError):
            getattr(pin, "drive_high" if high else "drive_low")()

    async def blink(self, name: str, done: Callable[[], bool]) -> None:
        """Blink one lamp until `done`, then leave it dark."""
        async with asyncio.timeout(30):
            while not done():
                for lit in (True, False):
                    self.light(**{name: lit})
                    await asyncio.sleep(HALF_BLINK_S)

    def facts(self, *kinds: type) -> list[object]:
        return [one.fact for one in self.heard if not kinds or isinstance(one.fact, kinds)]

    async def told(self, fact: object) -> None:
        """Wait until a fact is told."""
        await until(lambda: fact in self.facts(), 30)


@contextlib.asynccontextmanager
async def watched(lamps: Lamps) -> AsyncIterator[Lamps]:
    """The device runs; it must not have ended by itself."""
    running = asyncio.create_task(lamps.device.run())
    try:
        yield lamps
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        lamps.device.close()
        lamps.board.close()

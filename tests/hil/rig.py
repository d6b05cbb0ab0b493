"""What every rig is: two devices that speak by sentences, a hand, a daemon that can be killed."""

from __future__ import annotations

import asyncio
import signal
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from controller.broker_address import BrokerAddress
from controller.messages import Topics
from hal.sim.wire import End
from tests.hil.mouths import Mouth
from tests.hil.pit import Pit
from tests.hil.sentences import Script

ENDED_S_MAX = 60.0


class Rig(ABC):
    """One table for one script. `frames`, `presses`, `cuts` count what went over its wires."""

    def __init__(
        self, script: Script, broker: BrokerAddress, table: str, ends: Mapping[str, End]
    ) -> None:
        """Nothing runs yet; `ends` are the devices' ends of their lines."""
        self.pit = Pit(Topics("tables", table))
        self.mouths = {
            name: Mouth(name, end, seed) for seed, (name, end) in enumerate(ends.items())
            if name == "shoe" or script.setup.shuffle == "device"
        }  # fmt: skip
        self.presses = self.cuts = 0
        self._broker = broker

    @property
    def frames(self) -> int:
        """Frames that the devices have sent, heartbeats and repeats included."""
        return sum(mouth.wire.sent for mouth in self.mouths.values())

    @asynccontextmanager
    async def wired(self) -> AsyncIterator[Rig]:
        """Everything runs for the body's duration; then the daemon has ended."""
        works = [asyncio.create_task(mouth.run()) for mouth in self.mouths.values()]
        try:
            async with self.pit.joined(self._broker):
                try:
                    await self.power_on()
                    yield self
                finally:
                    await self.end(signal.SIGTERM)
        finally:
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)

    async def power_on(self) -> None:
        """Return when the table is online and both devices were asked who they are."""
        boot = self.pit.level("status").get("boot", 0)
        assert isinstance(boot, int)
        for mouth in self.mouths.values():
            mouth.asked.clear()
        await self.start()
        await self.pit.until(lambda: self._is_up(boot), "the daemon does not come up", self.log)

    def _is_up(self, boot: int) -> bool:
        status = self.pit.level("status")
        newest = status.get("boot", 0)
        return (
            status.get("status") == "online"
            and isinstance(newest, int)
            and newest > boot
            and all(mouth.asked.is_set() for mouth in self.mouths.values())
            and bool(self.pit.level("state"))
        )

    async def power_cut(self) -> None:
        """The supply fails and comes back."""
        self.cuts += 1
        await self.end(signal.SIGKILL)
        await self.power_on()

    @abstractmethod
    async def start(self) -> None:
        """Let the daemon begin."""

    @abstractmethod
    async def end(self, number: int) -> None:
        """Send the daemon a signal and wait for its end; nothing where none runs."""

    @abstractmethod
    async def press(self, button: str) -> None:
        """Press a button and let it go; it is on record when this returns."""

    @abstractmethod
    async def cover(self, device: str, on: bool) -> None:
        """Put a device's cover on, or take it off; it is on record when this returns."""

    @abstractmethod
    def load_generator(self, number: int) -> None:
        """The next draw gives this number."""

    def log(self) -> str:
        """What the daemon said last, where it can be seen."""
        return ""

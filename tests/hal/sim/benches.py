"""A simulated device, the real device behind it, and what the sink got."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Generic, TypeVar

from hal.device import SerialDevice
from hal.port import PortSettings
from hal.ports import Heard
from hal.sim.device import SimDevice
from hal.sim.wire import End, PtyEnd
from tests.hal.wires import until

Kind = TypeVar("Kind", bound=SimDevice)
Fact = TypeVar("Fact")


class Bench(Generic[Kind]):
    """`receipts` False: nothing is ever durable, so the device repeats."""

    def __init__(self, sim: Kind, path: Path, receipts: bool) -> None:
        self.sim = sim
        self.facts: list[object] = []
        self._receipts = receipts
        self.device = SerialDevice(sim.name, PortSettings(str(path)), self._sink)

    def _sink(self, heard: Heard) -> None:
        self.facts.append(heard.fact)
        if heard.receipt is not None and self._receipts:
            heard.receipt()

    def of(self, *kinds: type[Fact]) -> list[Fact]:
        return [fact for fact in self.facts if isinstance(fact, kinds)]


@contextlib.asynccontextmanager
async def bench(
    make: Callable[[End], Kind], path: Path, *, receipts: bool = True
) -> AsyncIterator[Bench[Kind]]:
    it = Bench(make(PtyEnd(path)), path, receipts)
    tasks = [asyncio.create_task(it.sim.run()), asyncio.create_task(it.device.run())]
    try:
        await until(lambda: it.device.status()["link"] == "up")
        yield it
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

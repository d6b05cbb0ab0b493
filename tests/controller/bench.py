"""A real engine on a real journal, with hal ports that write down what they were told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from controller.actuator import Actuator
from controller.clock import SystemClock
from controller.core.inputs import Done, Started
from controller.core.recording import Unrecorded
from controller.engine import Engine
from controller.intake import Intake
from controller.journal.answer import Answer
from controller.journal.store import Store
from controller.sealing import Signer
from controller.timers import Timers
from hal.ports import Heard
from tests.controller.small_table import SmallState, small_program

STARTED = Started("0.1", "0" * 64, "1" * 64, "journal")


class NotedPanel:
    """A panel that keeps what it shows, and every change in order."""

    def __init__(self, notes: list[tuple[str, ...]]) -> None:
        self.notes = notes
        self.digit = "?"
        self.red = "?"

    async def run(self) -> None:
        await asyncio.Event().wait()

    def show(self, glyph: str) -> None:
        self.digit = glyph
        self.notes.append(("digit", glyph))

    def lamps(self, red: str, amber: str, green: str) -> None:
        self.red = red
        self.notes.append(("lamps", red, amber, green))

    def sound(self, pattern: str) -> None:
        self.notes.append(("sound", pattern))

    def close(self) -> None:
        self.notes.append(("close",))


class NotedDevice:
    def __init__(self, name: str, notes: list[tuple[str, ...]]) -> None:
        self.name = name
        self.notes = notes
        self.locked: bool | None = None

    async def run(self) -> None:
        await asyncio.Event().wait()

    def lock(self, locked: bool) -> None:
        self.locked = locked
        self.notes.append((self.name, "locked" if locked else "unlocked"))

    def status(self) -> dict[str, object]:
        return {}


class NotedSource:
    """A generator that keeps what it was asked for; `answer` says what it does about it."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.answer: Callable[[int], None] = lambda number: None

    async def run(self) -> None:
        await asyncio.Event().wait()

    def draw(self, number: int) -> None:
        self.asked.append(number)
        self.answer(number)


@dataclass
class Bench:
    store: Store
    engine: Engine[SmallState]
    intake: Intake
    panel: NotedPanel
    shoe: NotedDevice
    source: NotedSource
    notes: list[tuple[str, ...]]
    clock: SystemClock = field(default_factory=SystemClock)
    troubles: list[Unrecorded | None] = field(default_factory=list)

    def hear(self, fact: object, receipt: Callable[[], None] | None = None) -> None:
        self.intake.offer(Heard("shoe", fact, self.clock.mono_ns(), receipt))

    async def command(self, item: object, command_id: str | None, by: str = "ann") -> Answer:
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.intake.offer_command("floorperson", by, item, command_id, answered.set_result)
        return await asyncio.wait_for(answered, 5)

    async def settle(self) -> None:
        """Until all that was offered is durable and adopted."""
        await self.command(Done(), None)


@contextlib.asynccontextmanager
async def bench(
    path: Path, *, running: bool = True, refusing: bool = False, signer: Signer | None = None
) -> AsyncIterator[Bench]:
    """An engine on the journal at `path`, booted and running; stopped cleanly at the end.

    `refusing`: the disk takes no write until the test says so.
    """
    clock = SystemClock()
    store = await Store.open(path, "T-1")
    intake = Intake(clock)
    notes: list[tuple[str, ...]] = []
    panel, shoe, source = NotedPanel(notes), NotedDevice("shoe", notes), NotedSource()
    actuator = Actuator(panel, {"shoe": shoe}, source)
    timers = Timers(intake, clock)
    troubles: list[Unrecorded | None] = []
    engine = await Engine.restored(
        small_program(), store, intake, actuator, timers,
        signer=signer, on_trouble=troubles.append,
    )  # fmt: skip
    made = Bench(store, engine, intake, panel, shoe, source, notes, clock, troubles)
    if refusing:
        await store._worker.do(lambda: store._connection.execute("PRAGMA query_only = ON"))
    try:
        await engine.boot(STARTED)
        if not running:
            yield made
            return
        serving = asyncio.create_task(engine.run())
        try:
            yield made
            engine.stop()
            await asyncio.wait_for(serving, 5)
        finally:
            serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
    finally:
        timers.close()
        await store.close()

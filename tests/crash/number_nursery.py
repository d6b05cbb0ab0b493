"""Forks daemons without a broker that press the number button by themselves, to be killed.

`python number_nursery.py`: a line with a directory in, a daemon of that directory's journal out. It
says on the same output what it shows and tells, at once and unbuffered. Real are engine, journal,
generator, panel and digit; forking spares a thousand starts of the interpreter.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from controller.actuator import Actuator
from controller.clock import SystemClock
from controller.core.inputs import Resume, Started
from controller.core.state import TableState
from controller.engine import Committed, Engine
from controller.intake import Intake
from controller.journal.store import Store
from controller.program import program_of
from controller.timers import Timers
from hal.entropy import KernelSource
from hal.generator import NumberGenerator
from hal.panel import Panel
from hal.pins import PanelSettings
from hal.ports import Heard
from hal.sim.panel import BENCH_PINS, SimPanel
from tests.play import Play

LOOK_S = 0.001
# Above the 30 ms that a press must last.
HELD_MS = 40
NUMBERS = tuple("1234567")


def say(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class SeenPanel(Panel):
    """The real panel; what it is told to show is said before it is shown."""

    def show(self, glyph: str) -> None:
        if glyph.isdigit():
            say("shown", glyph)
        super().show(glyph)


class Daemon:
    """Engine, journal, generator and panel of one table at Fortune Asia Poker."""

    def __init__(self, home: Path, morning: Play) -> None:
        self.home, self.morning = home, morning
        self.clock = SystemClock()
        self.intake = Intake(self.clock)
        settings = PanelSettings(pins=BENCH_PINS, factory="mock", self_test_step_ms=0)
        self.person = SimPanel(settings, seed=os.getpid())
        self.panel = SeenPanel(settings, self.intake.offer, self.person.board)
        self.person.ready()
        self.source = NumberGenerator(self.intake.offer, KernelSource)

    async def serve(self) -> None:
        """Until killed."""
        store = await Store.open(self.home / "journal.sqlite", "t-1")
        timers = Timers(self.intake, self.clock)
        engine: Engine[TableState] = await Engine.restored(
            program_of(self.morning.book), store, self.intake,
            Actuator(self.panel, {}, self.source), timers, self.committed,
        )  # fmt: skip
        await engine.boot(Started("1", "d", "p", store.journal))
        async with asyncio.TaskGroup() as tasks:
            for work in (engine.run, self.panel.run, self.source.run):
                tasks.create_task(work())
            await self.play(engine)

    def committed(self, news: Committed) -> None:
        """What the outbox would be told, and so the broker."""
        for event in news.events:
            say("told", event.sequence, event.hash)
            if event.type == "startpos.determined":
                say("number", json.loads(event.body)["data"]["raw"])

    async def play(self, engine: Engine[TableState]) -> None:
        """Bring the table to the draw, resume it after a kill, press twice, look at the digit."""
        if engine.state.round.number == 0:
            for turn in self.morning.turns:
                self.offer(turn.arrived.source, turn.arrived.by, turn.arrived.item)
        elif engine.state.holds:
            self.offer("floorperson", "f1", Resume("the power is back"))
        say("up")
        pressed, seen = False, ""
        while True:
            await asyncio.sleep(LOOK_S)
            glyph = self.person.digit()
            # The 8 of the self-test at a start is no number of a draw.
            if glyph != seen and glyph in NUMBERS:
                say("lit", glyph)
            seen = glyph
            if engine.outputs.digit == "-" and not pressed:
                pressed = True
                say("press")
                # An impatient dealer: the second press comes while the first is being answered.
                self.person.press("rng", HELD_MS)
                self.person.press("rng", HELD_MS)

    def offer(self, source: str, by: str | None, item: object) -> None:
        """A fact of a device, or a person's command."""
        if by is None:
            self.intake.offer(Heard(source, item, self.clock.mono_ns()))
        else:
            self.intake.offer_command(source, by, item, None, lambda answer: None)


def main() -> None:
    """Fork a daemon for each line, and wait for its end before the next."""
    morning = Play("fortune-asia-poker").ready().bets(1, 3)
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            asyncio.run(Daemon(Path(line.strip()), morning).serve())
            os._exit(1)
        say("pid", child)
        os.waitpid(child, 0)
        say("dead")


if __name__ == "__main__":
    main()

"""`python -m tests.bench.number`: from the press to the lit digit, and what a storm of edges costs.

Engine, journal, generator, panel and digit are the daemon's own on mock pins; each draw is a round
of a new table. Times are of one process, wall clock; the least that any controller needs (two
synced records, one after the other) is measured between the draws, so that its share stays true on
a disk of any speed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Protocol, cast

from controller.actuator import Actuator
from controller.clock import SystemClock
from controller.core.inputs import Started
from controller.core.state import TableState
from controller.engine import Engine
from controller.intake import Intake
from controller.journal.store import Store
from controller.program import program_of
from controller.timers import Timers
from hal.debounce import STABLE_MS
from hal.entropy import KernelSource
from hal.generator import NumberGenerator
from hal.gpio import Input
from hal.panel import Panel
from hal.pins import PanelSettings
from hal.ports import Heard
from hal.sim.panel import BENCH_PINS, SimPanel
from hal.switches import Switches
from tests.bench.measures import percentile
from tests.play import Play

NS_A_MS: Final = 1_000_000
DRAW_S_MAX: Final = 10.0
EDGES: Final = 5_000
STORM_S: Final = 0.1
# Issue's bound for 5,000 edges in 100 ms.
STORM_CPU_MS_MAX: Final = 50.0
# As a commit of one turn has it, see controller/journal/schema.py.
RECORD_OCTETS: Final = 9_600
RUNS: Final = 5


class _Metal(Protocol):
    def drive_low(self) -> None: ...
    def drive_high(self) -> None: ...


@dataclass(slots=True)
class Draws:
    """Nanoseconds of each draw: all of it, in commits, and two synced records beside it."""

    whole: list[int] = field(default_factory=list)
    durable: list[int] = field(default_factory=list)
    floor: list[int] = field(default_factory=list)


class _TimedPanel(Panel):
    """Stamps the moment at which the segments of a number are driven."""

    lit_ns = 0

    def show(self, glyph: str) -> None:
        super().show(glyph)
        if glyph.isdigit() and not self.lit_ns:
            self.lit_ns = time.monotonic_ns()


async def one_draw(home: Path, morning: Play, draws: Draws) -> None:
    """A table's first round up to the lit digit."""
    clock = SystemClock()
    intake = Intake(clock)
    settings = PanelSettings(pins=BENCH_PINS, factory="mock", self_test_step_ms=0)
    person = SimPanel(settings)
    panel = _TimedPanel(settings, intake.offer, person.board)
    person.ready()
    source = NumberGenerator(intake.offer, KernelSource)
    store = await Store.open(home / "journal.sqlite", "t-1")
    timers = Timers(intake, clock)
    engine: Engine[TableState] = await Engine.restored(
        program_of(morning.book), store, intake, Actuator(panel, {}, source), timers
    )
    await engine.boot(Started("1", "d", "p", store.journal))
    tasks = [asyncio.create_task(work()) for work in (engine.run, panel.run, source.run)]
    try:
        await _ready(engine, intake, morning, source)
        commits = _timed_commits(store)
        began_ns = time.monotonic_ns()
        cast("_Metal", person.board.inputs["rng"].pin).drive_low()
        async with asyncio.timeout(DRAW_S_MAX):
            while not panel.lit_ns:
                await asyncio.sleep(0.0005)
        draws.whole.append(panel.lit_ns - began_ns)
        draws.durable.append(sum(end - at for at, end in commits if end <= panel.lit_ns))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        timers.close()
        panel.close()
        person.close()
        with contextlib.suppress(TimeoutError):
            await store.close()


async def _ready(
    engine: Engine[TableState], intake: Intake, morning: Play, source: NumberGenerator
) -> None:
    """Bets are closed, the generator has passed its start, and the table is quiet."""
    for turn in morning.turns:
        arrived = turn.arrived
        if arrived.by is None:
            intake.offer(Heard(arrived.source, arrived.item, time.monotonic_ns()))
        else:
            intake.offer_command(
                arrived.source, arrived.by, arrived.item, None, lambda answer: None
            )
    async with asyncio.timeout(DRAW_S_MAX):
        while engine.outputs.digit != "-" or not source.status()["in_service"]:
            await asyncio.sleep(0.005)
    await asyncio.sleep(0.05)


def _timed_commits(store: Store) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    kept = store.commit

    async def commit(*args: object) -> None:
        began_ns = time.monotonic_ns()
        # Handed through as they came: the store's own signature is its own affair.
        await kept(*args)  # type: ignore[arg-type]
        spans.append((began_ns, time.monotonic_ns()))

    # Only this benchmark looks into the commit; no product code is bent for it.
    store.commit = commit  # type: ignore[method-assign, assignment]
    return spans


def two_synced_records(home: Path) -> int:
    """Nanoseconds of two records, each synced before the next, into a file that does not grow."""
    path = home / "floor"
    path.write_bytes(bytes(1 << 20))
    record = os.urandom(RECORD_OCTETS)
    with path.open("r+b", buffering=0) as file:
        os.fsync(file.fileno())
        began_ns = time.monotonic_ns()
        for place in range(2):
            file.seek(place * 65_536)
            file.write(record)
            os.fdatasync(file.fileno())
        return time.monotonic_ns() - began_ns


async def storm(line: Input) -> float:
    """Milliseconds of processor for 5,000 edges within 100 ms, as their callbacks come."""
    metal = cast("_Metal", line.pin)
    began = time.process_time_ns()
    for _ in range(EDGES // 50):
        for _ in range(25):
            metal.drive_low()
            metal.drive_high()
        await asyncio.sleep(STORM_S * 50 / EDGES / 4)
    return (time.process_time_ns() - began) / NS_A_MS


async def storms() -> tuple[float, float]:
    """Medians of processor ms of 5,000 edges: through the switches, and through nothing.

    A line in a storm is left alone for a while, so the first may well be the smaller one.
    """
    heard, nothing = [], []
    for _ in range(RUNS):
        person = SimPanel()
        panel = Panel(person.settings, lambda fact: None, person.board)
        line = person.board.inputs["rng"]
        line.listen(lambda name, closed: None)
        nothing.append(await storm(line))
        line.deafen()
        switches = Switches({"rng": line}, frozenset({"rng"}), STABLE_MS, lambda *fact: None)
        switches.open(asyncio.get_running_loop())
        heard.append(await storm(line))
        switches.close()
        panel.close()
        person.close()
    return percentile(heard, 50), percentile(nothing, 50)


async def measure(count: int, home: Path) -> dict[str, float]:
    """All figures, in ms but for the shares and ratios."""
    morning, draws = Play("fortune-asia-poker").ready().bets(1, 3), Draws()
    for _ in range(count):
        with tempfile.TemporaryDirectory(prefix="number-", dir=home) as table:
            await one_draw(Path(table), morning, draws)
            draws.floor.append(two_synced_records(Path(table)))
    figures: dict[str, float] = {"draws": count, "of it rest of the contact": STABLE_MS}
    for name, values in (
        ("press to lit digit", draws.whole), ("in commits", draws.durable),
        ("two synced records", draws.floor),
    ):  # fmt: skip
        for hundredths in (50, 99):
            figures[f"{name} p{hundredths}"] = percentile(values, hundredths) / NS_A_MS
    figures["share of the durable write"] = sum(draws.durable) / sum(draws.whole)
    own = [all_ns - STABLE_MS * NS_A_MS for all_ns in draws.whole]
    figures["ratio to two synced records p50"] = percentile(own, 50) / percentile(draws.floor, 50)
    through, bare = await storms()
    figures["5,000 edges, processor"] = through
    figures["5,000 edges, ratio to bare callbacks"] = through / bare
    return figures


def main(words: list[str] | None = None) -> int:
    """Measure and print; 1 where a storm of edges costs more than its bound."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.number", description=__doc__)
    parser.add_argument("--draws", type=int, default=200, metavar="N", help="default: 200")
    parser.add_argument("--home", type=Path, default=Path("/var/tmp"), help="on the disk measured")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(words)
    figures = asyncio.run(measure(given.draws, given.home))
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        for name, value in figures.items():
            sys.stdout.write(f"{name:<40} {value:10.2f}\n")
    return 0 if figures["5,000 edges, processor"] <= STORM_CPU_MS_MAX else 1


if __name__ == "__main__":
    sys.exit(main())

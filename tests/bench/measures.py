"""What is measured, in the order in which it is done; every figure says of how many samples."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final

from controller.flood_gate import FACTS_PER_S
from tests.bench import imports, process, rooms, stages
from tests.bench.figures import Figure, Plan, percentile
from tests.bench.rig import Rig, Voice
from tests.bench.subjects import Daemon, Floor

# What a bare append of one turn came to when the journal's page size was chosen: the floor syncs
# as much (controller.journal.schema).
RECORD_OCTETS: Final = 8_500
# Between two lone frames: a table's cards come some four a second; a fifth of that is rest enough
# for every thread to sleep again, and keeps the run short.
PAUSE_S: Final = 0.05


@dataclass(slots=True)
class Run:
    """Where it all happens, and what came of it. `say` tells how far it is."""

    home: Path
    memory: Path
    port: int
    floor: Path
    plan: Plan
    say: Callable[[str], None]
    figures: list[Figure] = field(default_factory=list)
    stops: dict[str, float] = field(default_factory=dict)
    rooms: dict[str, float] = field(default_factory=dict)
    modules: list[imports.Row] = field(default_factory=list)
    strangers: set[str] = field(default_factory=set)
    event_octets: int = 0

    def note(
        self, name: str, value: float, unit: str, samples: int, aim: float | None = None
    ) -> None:
        """Keep a figure."""
        self.figures.append(Figure(name, value, unit, samples, aim))

    @contextmanager
    def table(self, journal: Path, launcher: tuple[str, ...] = ("-m", "controller")) -> Iterator[
        tuple[Rig, Daemon]
    ]:  # fmt: skip
        """A daemon at work with both devices heard."""
        with Rig(self.home, self.port) as rig:
            daemon = Daemon(self.home, journal, self.port, launcher=launcher)
            try:
                rig.rest(self.plan.settle_s)
                rig.switch_on()
                rig.rest(self.plan.settle_s)
                rig.strangers.clear()
                rig.one(rig.shoe)
                self.event_octets = rig.payload_octets
                yield rig, daemon
                self.strangers |= rig.strangers
            finally:
                rig.switch_off()
                daemon.stop()


def all_of(run: Run) -> None:
    """The whole run. Raises rig.Silent and RuntimeError."""
    start_times(run)
    on_disk(run)
    in_memory(run)
    where_time_goes(run)
    start_with_history(run)
    run.say("imports")
    run.modules = imports.costs(run.home, run.plan.starts)


# ---- latency -----------------------------------------------------------------------------------
def _by_turns(run: Run, rig: Rig, record: Path | None) -> dict[str, list[float]]:
    """Microseconds of lone frames, a block of the floor, a block of the daemon, and again."""
    floor = Floor(run.floor, run.home, run.port, record, RECORD_OCTETS, run.event_octets)
    taken: dict[str, list[float]] = {"floor": [], "daemon": []}
    try:
        rig.rest(0.2)
        rig.one(rig.plain)
        for _ in range(run.plan.blocks):
            for name, voice in (("floor", rig.plain), ("daemon", rig.shoe)):
                taken[name] += _lone(rig, voice, run.plan.block_events)
    finally:
        floor.stop()
    return taken


def _lone(rig: Rig, voice: Voice, count: int) -> list[float]:
    spans = []
    for _ in range(count):
        rig.rest(PAUSE_S)
        spans.append(rig.one(voice) / 1000)
    return spans


def _note_latency(run: Run, where: str, taken: dict[str, list[float]], aim: float | None) -> None:
    for hundredths in (50, 90, 99):
        ours, least = (percentile(taken[name], hundredths) for name in ("daemon", "floor"))
        count = len(taken["daemon"])
        run.note(f"latency {where} p{hundredths}", ours / 1000, "ms", count)
        run.note(f"floor {where} p{hundredths}", least / 1000, "ms", count)
        goal = aim if hundredths == 50 else None
        run.note(f"ratio {where} p{hundredths}", ours / least, "x", count, goal)


# ---- a table on the disk -----------------------------------------------------------------------
def on_disk(run: Run) -> None:
    """Latency against the floor, octets, processor time, bursts, memory: journal on the disk."""
    plan = run.plan
    with run.table(run.home) as (rig, daemon):
        _note_memory(run, daemon, "start", 1, 45)
        _idle(run, rig, daemon)
        run.say("lone frames, journal on the disk")
        _note_latency(run, "disk", _by_turns(run, rig, run.home), 2.5)
        before = _meters(daemon)
        _lone(rig, rig.shoe, plan.lone_events)
        _note_costs(run, "lone", before, _meters(daemon), plan.lone_events)
        run.say("bursts")
        _bursts(run, rig, daemon)
        run.say(f"{plan.life_events} events")
        for number in range(-(-plan.life_events // plan.burst_events)):
            rig.many((rig.shuffler, rig.shoe)[number % 2], plan.burst_events)
            # Each speaks every second time: no faster than a device may for long.
            rig.rest(plan.burst_events / (2 * FACTS_PER_S))
        _note_memory(run, daemon, "the events", plan.life_events)


def _note_memory(
    run: Run, daemon: Daemon, after: str, events: int, aim: float | None = None
) -> None:
    resident, anonymous = process.resident_kb(daemon.pid), process.anonymous_kb(daemon.pid)
    run.note(f"resident after {after}", resident / 1024, "MB", events, aim)
    run.note(f"of it anonymous, after {after}", anonymous / 1024, "MB", events)


@dataclass(frozen=True, slots=True)
class _Meters:
    processor_ns: int
    written: int
    size: int
    at_ns: int


def _meters(daemon: Daemon) -> _Meters:
    return _Meters(
        process.processor_ns(daemon.pid), process.written_octets(daemon.pid),
        daemon.journal_octets, time.monotonic_ns(),
    )  # fmt: skip


def _note_costs(run: Run, how: str, before: _Meters, after: _Meters, events: int) -> None:
    spent = (after.processor_ns - before.processor_ns) / events / 1000
    run.note(f"processor time an event, {how}", spent, "us", events)
    run.note(f"written an event, {how}", (after.written - before.written) / events, "B", events)
    run.note(f"growth an event, {how}", (after.size - before.size) / events, "B", events)


def _idle(run: Run, rig: Rig, daemon: Daemon) -> None:
    run.say("idle")
    before = _meters(daemon)
    rig.rest(run.plan.idle_s)
    after = _meters(daemon)
    share = (after.processor_ns - before.processor_ns) / (after.at_ns - before.at_ns)
    run.note("idle share of a core, both devices", share * 100, "%", int(run.plan.idle_s))


def _bursts(run: Run, rig: Rig, daemon: Daemon) -> None:
    """By turns again: the disk of a shared machine changes within minutes."""
    plan = run.plan
    floor = Floor(run.floor, run.home, run.port, run.home, RECORD_OCTETS, run.event_octets)
    rates: dict[str, list[float]] = {"floor": [], "daemon": []}
    spent = written = grown = 0
    try:
        rig.rest(0.5)
        for _ in range(plan.bursts):
            least = rig.many(rig.plain, plan.burst_events)
            rig.rest(0.5)
            before = _meters(daemon)
            ours = rig.many(rig.shoe, plan.burst_events)
            after = _meters(daemon)
            rig.rest(0.5)
            rates["floor"].append(least.events / least.ns * 1e9)
            rates["daemon"].append(ours.events / ours.ns * 1e9)
            spent += after.processor_ns - before.processor_ns
            written += after.written - before.written
            grown += after.size - before.size
    finally:
        floor.stop()
    count = plan.bursts * plan.burst_events
    ours_rate, least_rate = median(rates["daemon"]), median(rates["floor"])
    run.note("events a second in a burst", ours_rate, "/s", count)
    run.note("floor: events a second, each synced", least_rate, "/s", count)
    run.note("ratio of the floor's rate", ours_rate / least_rate, "x", count)
    _note_costs(run, "burst", _Meters(0, 0, 0, 0), _Meters(spent, written, grown, 0), count)


# ---- without the disk --------------------------------------------------------------------------
def in_memory(run: Run) -> None:
    """The tail: a shared disk has a tail of its own, so the journal lies in memory here."""
    run.say("lone frames, journal in memory")
    with run.table(run.memory) as (rig, _):
        _note_latency(run, "memory", _by_turns(run, rig, None), None)


def where_time_goes(run: Run) -> None:
    """A lone frame's stops (`tests.bench.stages`) and the rooms' shares of a burst (`rooms`)."""
    run.say("where a frame's time goes")
    journal, stamps = run.home / "stages", run.home / "stamps"
    journal.mkdir()
    os.environ[stages.VARIABLE] = str(stamps)
    with run.table(journal, ("-m", "tests.bench.stages")) as (rig, _):
        spans = _lone(rig, rig.shoe, run.plan.lone_events)
    run.stops = stages.shares(stamps)
    run.stops["total"] = median(spans)
    run.say("which room takes how much")
    profile = run.home / "profile"
    os.environ[rooms.VARIABLE] = str(profile)
    with run.table(run.memory, ("-m", "tests.bench.rooms")) as (rig, _):
        for _ in range(run.plan.bursts):
            rig.many(rig.shoe, run.plan.burst_events)
    run.rooms = rooms.shares(profile)


# ---- starts ------------------------------------------------------------------------------------
def start_times(run: Run) -> None:
    """From the start of the process to READY, with a journal that is new each time."""
    run.say("starts")
    starts = []
    for number in range(run.plan.starts):
        journal = run.home / f"start-{number}"
        journal.mkdir()
        starts.append(_start(run, journal))
    _note_starts(run, "new journal", starts)


def start_with_history(run: Run) -> None:
    """The same with the journal that `on_disk` left."""
    run.say("starts with a history")
    _note_starts(run, "a history", [_start(run, run.home) for _ in range(run.plan.starts)])


def _start(run: Run, journal: Path) -> tuple[float, float]:
    """Milliseconds until READY on the wall and of processor."""
    with Rig(run.home, run.port) as rig:
        daemon = Daemon(run.home, journal, run.port)
        spent = process.processor_ns(daemon.pid) / 1e6
        rig.rest(0.2)
        daemon.stop()
    return daemon.start_ms, spent


def _note_starts(run: Run, what: str, starts: list[tuple[float, float]]) -> None:
    count = len(starts)
    run.note(f"start to ready, {what}", median(wall for wall, _ in starts), "ms", count, 1000)
    run.note(f"quickest start, {what}", min(wall for wall, _ in starts), "ms", count)
    run.note(f"processor until ready, {what}", median(cpu for _, cpu in starts), "ms", count)

"""The daemon of one table: builds everything, starts it in order, stops it in order; no logic.

Start: journal (replayed to the state it ends in), `system started`, panel lit, devices, timers,
broker. Stop: `system stopped` durable, events on their way, farewell to the broker, journal closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import logging
import random
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from config.settings import Settings
from controller.actuator import Actuator
from controller.broker_line import BrokerLine, LineSettings
from controller.clock import SystemClock
from controller.commands import Moment
from controller.core.recording import Unrecorded
from controller.core.state import TableState
from controller.decided import Committed
from controller.engine import Engine
from controller.flood_gate import FloodGate
from controller.health import Sources, measure
from controller.intake import Intake
from controller.journal.replay import Diverged, Restored, restore
from controller.journal.seal import Sealer
from controller.journal.store import Store
from controller.journal.trouble import JournalInUse, JournalTrouble, StorageGone
from controller.line_of import line_of
from controller.messages import Birth, Json, Topics
from controller.number_history import numbers_on_record
from controller.parts import Parts, json_of, parts_of
from controller.program import program_of
from controller.reach import Reach
from controller.record_keeping import RecordKeeping, keeping_of
from controller.reload import Reload
from controller.standby import stand_by, unrecorded_of
from controller.start import Start, first_words, program_of_document, start_of
from controller.supervisor import Supervisor
from controller.table_broker import address_of
from controller.timers import Timers
from controller.watch import ClockWatch, StorageWatch

log = logging.getLogger(__name__)

# A stop takes less than 5 s whatever stalls (faults T06): record, then broker, then file.
# The record has most of it: behind a flood a board decides and writes for a second.
RECORD_END_S_MAX = 2.5
LINE_END_S_MAX = 1.2
WORKS_END_S_MAX = 0.3
JOURNAL_CLOSE_S_MAX = 0.4

Works = dict[str, Callable[[], Awaitable[None]]]


@dataclass(slots=True)
class _House:
    """Everything of a running daemon."""

    clock: SystemClock
    store: Store
    intake: Intake
    actuator: Actuator
    timers: Timers
    engine: Engine[TableState]
    parts: Parts
    line: BrokerLine
    watches: Works


async def serve(
    settings: Settings, supervisor: Supervisor, ending: Callable[[], None], reload: Reload
) -> bool:
    """Serve the table until SIGTERM or SIGINT, or until `reload` has other settings to begin with;
    whether the end is on record.

    SIGHUP asks for the table's file to be read again. At a terminal it says that the terminal is
    closed, which is an end; where `nohup` had it ignored it stays so. `ending` is called when the
    stop begins.

    A record that cannot be begun does not end it: see `controller.standby`.

    Raises JournalInUse, KeyTrouble, BoardError and AddressError at the start; ProgramFault later,
    with everything locked.
    """
    stopping = asyncio.Event()

    def stop() -> None:
        ending()
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        loop.add_signal_handler(signal.SIGHUP, stop if at_terminal() else reload.ask)
    struck: Unrecorded | None = None
    start = await start_of(settings)
    while True:
        try:
            return await _serve_once(settings, supervisor, stopping, reload, start, struck)
        except JournalInUse:
            raise
        except (JournalTrouble, Diverged) as trouble:
            struck = unrecorded_of(trouble)
        birth = start.birth(settings.table.id)
        if not await stand_by(settings, supervisor, stopping, struck, birth, start.closed):
            return False


async def _serve_once(
    settings: Settings, supervisor: Supervisor, stopping: asyncio.Event, reload: Reload,
    start: Start, struck: Unrecorded | None,
) -> bool:  # fmt: skip
    assert settings.journal is not None, "a daemon's file has a [journal]"
    path = settings.journal.path
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise StorageGone(str(path.parent), error.strerror or "cannot be made") from error
    store = await Store.open(path, settings.table.id, settings.game.name, start.run)
    try:
        return await _serve_with(settings, supervisor, store, stopping, reload, start, struck)
    finally:
        with contextlib.suppress(JournalTrouble, TimeoutError):
            async with asyncio.timeout(JOURNAL_CLOSE_S_MAX):
                await store.close()


def at_terminal() -> bool:
    """Whether a person runs the daemon by hand, whose terminal may close."""
    return sys.stdin is not None and sys.stdin.isatty()


async def _serve_with(
    settings: Settings, supervisor: Supervisor, store: Store, stopping: asyncio.Event,
    reload: Reload, start: Start, struck: Unrecorded | None,
) -> bool:  # fmt: skip
    if store.previous_end not in ("first", "clean"):
        log.warning("boot %d: how the last one ended: %s", store.boot, store.previous_end)
    where = await restore(store, program_of(start.book), program_of_document)
    first = await first_words(store, start, where, struck)
    house = await _build(settings, store, start, where, reload)
    try:
        await house.engine.boot(*first)
        supervisor.ready(f"table {settings.table.id}: serving {settings.game.name}")
        return await _live(house, supervisor, stopping, reload)
    finally:
        # Whatever ended it: nothing may be dealt, and no stale number may stay lit.
        house.actuator.lock_all()
        house.timers.close()
        house.parts.close()


async def _build(
    settings: Settings, store: Store, start: Start, where: Restored[TableState], reload: Reload
) -> _House:
    assert settings.journal is not None, "a daemon's file has a [journal]"
    clock = SystemClock()
    intake = Intake(clock)
    sealer = await asyncio.to_thread(Sealer.from_file, settings.journal.key)
    draws = start.book.profile.start_position is not None
    history = await numbers_on_record(store) if draws else []
    parts = parts_of(
        settings, store, intake.offer, draws, history,
        lambda: FloodGate(intake.offer, functools.partial(intake.offer_item, "system")),
    )  # fmt: skip
    actuator = Actuator(parts.panel, parts.devices, parts.source)
    timers = Timers(intake, clock)
    told: list[BrokerLine] = []

    def committed(news: Committed) -> None:
        for line in told:
            line.committed(news.events, keeping.shown(news.outputs), news.sequence)

    def troubled(trouble: Unrecorded | None) -> None:
        keeping.struck(trouble)
        committed(Committed(store.chain.sequence, engine.outputs, ()))

    engine = Engine(
        program_of(start.book), store, intake, actuator, timers, where, committed, sealer.sealed,
        troubled,
    )  # fmt: skip
    keeping = RecordKeeping(
        store,
        keeping_of(settings),
        clock,
        engine.seal,
        lambda: intake.clock_synchronised,
        lambda item: intake.offer_item("system", item),
    )
    birth = start.birth(settings.table.id, store.journal, store.boot)
    client_id = sealer.secret_name(f"table-{settings.table.id}")
    line = _line(settings, birth, store, intake, clock, engine, parts, reload, keeping, client_id)
    told.append(line)
    clock_watch = ClockWatch(clock, intake, settings.time.stepped_ms_min)
    storage_watch = StorageWatch(settings.journal.path, intake, keeping.room)
    watches: Works = {
        "clock": clock_watch.run, "storage": storage_watch.run, "sign": keeping.sign,
        "size": keeping.watch_size, "prune": keeping.prune,
    }  # fmt: skip
    return _House(clock, store, intake, actuator, timers, engine, parts, line, watches)


def _line(
    settings: Settings, birth: Birth, store: Store, intake: Intake, clock: SystemClock,
    engine: Engine[TableState], parts: Parts, reload: Reload, keeping: RecordKeeping,
    client_id: str,
) -> BrokerLine:  # fmt: skip
    assert settings.mqtt is not None, "a daemon's file has an [mqtt]"
    assert settings.journal is not None, "a daemon's file has a [journal]"

    def counted() -> Mapping[str, Json]:
        devices: dict[str, Json] = {name: json_of(told()) for name, told in parts.statuses.items()}
        return {
            "devices": devices,
            "intake": {"waiting": len(intake), "lost": intake.lost},
            "configuration": reload.status(),
            "record": keeping.status(),
        }

    sources = Sources(clock, settings.journal.path, store.ping, counted)

    async def report(reach: Reach) -> Mapping[str, Json]:
        return await measure(sources, reach, store.journal)

    return line_of(
        LineSettings(
            address_of(settings),
            settings.mqtt.keepalive_s,
            commands_per_minute=settings.mqtt.commands_per_minute,
            client_id=client_id,
            onvif=settings.mqtt.onvif,
        ),
        Topics(settings.mqtt.prefix, settings.table.id),
        birth,
        store=store,
        tail=store.chain.sequence,
        door=intake,
        roster=settings.roles(),
        now=lambda: Moment(clock.wall_ms(), intake.clock_synchronised),
        known=engine.answered,
        measure=report,
        jitter=random.Random(),
        recorder=settings.mqtt.store,
    )


async def _live(
    house: _House, supervisor: Supervisor, stopping: asyncio.Event, reload: Reload
) -> bool:
    """All works at once until the end or other settings; the first that fails ends all."""
    recorded = False
    async with asyncio.TaskGroup() as tasks:
        engine = tasks.create_task(house.engine.run(), name="engine")
        line = tasks.create_task(house.line.run(), name="broker line")
        others = [
            tasks.create_task(_run(work), name=name)
            for name, work in (*house.parts.works.items(), *house.watches.items())
        ]
        others.append(tasks.create_task(supervisor.feed(house.store.ping), name="watchdog"))
        others.append(tasks.create_task(reload.run(lambda: house.engine.state), name="reload"))
        await _first_of(stopping, reload.settled)
        if stopping.is_set():
            supervisor.stopping()
        else:
            supervisor.reloading()
        recorded = await _end_record(house, engine)
        await _end_line(house, line)
        for task in (engine, *others):
            task.cancel()
    return recorded


async def _first_of(*events: asyncio.Event) -> None:
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()


async def _run(work: Callable[[], Awaitable[None]]) -> None:
    await work()


async def _end_record(house: _House, engine: asyncio.Task[None]) -> bool:
    """The last input is `stopped`; False where the disk does not take it in time."""
    house.parts.hush()
    house.engine.stop()
    done, _ = await asyncio.wait((engine,), timeout=RECORD_END_S_MAX)
    if not done:
        log.error("the end could not be recorded within %s s", RECORD_END_S_MAX)
    return bool(done)


async def _end_line(house: _House, line: asyncio.Task[None]) -> None:
    """Send what is durable and say farewell, as far as the broker takes it in time."""
    try:
        async with asyncio.timeout(LINE_END_S_MAX):
            await house.line.stop()
    except TimeoutError:
        log.warning("the broker does not take the farewell; unsent events stay in the journal")
    done, _ = await asyncio.wait((line,), timeout=WORKS_END_S_MAX)
    if not done:
        line.cancel()

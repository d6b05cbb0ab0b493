"""A table whose record cannot even be begun: locked, red, and heard over MQTT, until it can.

Ending instead would leave lamps dark and the broker silent, and systemd starting it in a loop.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from config.settings import Settings
from controller.actuator import Actuator
from controller.broker_line import BrokerLine, LineSettings
from controller.clock import SystemClock
from controller.commands import Moment
from controller.core.outputs import Outputs
from controller.core.recording import Unrecorded
from controller.core.stamp import stamp_of
from controller.health import Sources, measure
from controller.journal.answer import Answer
from controller.journal.record import SealedEvent
from controller.journal.replay import Diverged
from controller.journal.store import Store
from controller.journal.trouble import JournalTrouble
from controller.line_of import line_of
from controller.messages import Birth, Json, Topics
from controller.no_record import LAW, without_record
from controller.parts import Parts, json_of, parts_of
from controller.reach import Reach
from controller.record_keeping import keeping_of, record_status
from controller.supervisor import Supervisor
from controller.table_broker import address_of

log = logging.getLogger(__name__)

# A person who freed the disk or put the right file in its place does not wait long.
RETRY_S = 2.0
# A broker that does not take the farewell keeps nobody waiting (faults T06).
FAREWELL_S_MAX = 2.0
REASON_CHARACTERS_MAX = 200
# Trying these again without a change of the file would only count starts in it.
LASTING = ("foreign", "corrupt")


class NoJournal:
    """What outbox and devices ask of a journal, where there is none."""

    async def events_after(self, sequence: int, limit: int = 0) -> list[SealedEvent]:
        """None."""
        return []

    def cursor(self, name: str) -> int:
        """Nobody has come anywhere."""
        return 0

    async def set_cursor(self, name: str, sequence: int) -> None:
        """Kept by nobody."""


class ShutDoor:
    """The intake of a table that decides nothing: what cannot be recorded is refused."""

    def offer_item(self, source: str, item: object) -> None:
        """Passed over."""

    def offer_command(
        self, source: str, by: str | None, item: object, command_id: str | None,
        answer: Callable[[Answer], None],
    ) -> bool:  # fmt: skip
        """Answered at once; such an answer is not durable, and the command may be sent again."""
        answer(Answer("busy", reason=f"the record cannot be written: {LAW}"))
        return False


def unrecorded_of(trouble: JournalTrouble | Diverged) -> Unrecorded:
    """What a journal that cannot be begun says of itself."""
    if isinstance(trouble, Diverged):
        return Unrecorded("corrupt", f"decides otherwise: {trouble}"[:REASON_CHARACTERS_MAX])
    return Unrecorded(trouble.CODE, f"{trouble}"[:REASON_CHARACTERS_MAX])


async def stand_by(
    settings: Settings, supervisor: Supervisor, stopping: asyncio.Event, trouble: Unrecorded,
    birth: Birth, closed: Outputs,
) -> bool:  # fmt: skip
    """Show the trouble over the levels of a `closed` table; whether the record can be begun now,
    False where `stopping` came first.

    Raises BoardError and AddressError.
    """
    log.error("no record, no deal: %s: %s", trouble.code, trouble.reason)
    parts = parts_of(settings, NoJournal(), lambda heard: None, draws=False)
    try:
        Actuator(parts.panel, parts.devices, None).lock_all()
        supervisor.ready(f"{LAW}: {trouble.code}: {trouble.reason}")
        return await _until_mended(settings, supervisor, stopping, trouble, birth, parts, closed)
    finally:
        parts.close()


async def _until_mended(
    settings: Settings, supervisor: Supervisor, stopping: asyncio.Event, trouble: Unrecorded,
    birth: Birth, parts: Parts, closed: Outputs,
) -> bool:  # fmt: skip
    clock = SystemClock()
    line = _line(settings, clock, trouble, birth, parts)
    shown = without_record(closed, trouble, stamp_of(clock.wall_ms()))
    line.committed((), shown, 0)
    async with asyncio.TaskGroup() as tasks:
        works = [tasks.create_task(_run(work), name=name) for name, work in parts.works.items()]
        works.append(tasks.create_task(line.run(), name="broker line"))
        works.append(tasks.create_task(supervisor.feed(_no_wait), name="watchdog"))
        mended = await _mended(settings, stopping, trouble)
        if not mended:
            supervisor.stopping()
        # In order: the will of a line that is cut would come late, and over the next life's birth.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FAREWELL_S_MAX):
                await line.stop()
        for work in works:
            work.cancel()
    return mended


async def _mended(settings: Settings, stopping: asyncio.Event, trouble: Unrecorded) -> bool:
    assert settings.journal is not None, "a daemon's file has a [journal]"
    path, seen = settings.journal.path, _look(settings.journal.path)
    while True:
        try:
            async with asyncio.timeout(RETRY_S):
                await stopping.wait()
            return False
        except TimeoutError:
            pass
        if trouble.code in LASTING:
            if _look(path) != seen:
                return True
        elif await _can_be_opened(path, settings):
            return True


async def _can_be_opened(path: Path, settings: Settings) -> bool:
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Not a start: it would hide from the next one how the run before ended, and its program.
        store = await Store.open(path, settings.table.id, settings.game.name, None)
        await store.close()
    except (JournalTrouble, OSError) as still:
        log.debug("still not: %s", still)
        return False
    return True


def _look(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def _line(
    settings: Settings, clock: SystemClock, trouble: Unrecorded, birth: Birth, parts: Parts
) -> BrokerLine:
    assert settings.mqtt is not None, "a daemon's file has an [mqtt]"
    assert settings.journal is not None, "a daemon's file has a [journal]"
    told: dict[str, Json] = {
        "record": record_status(keeping_of(settings), trouble),
        "intake": {"waiting": 0, "lost": 0},
        "devices": {name: json_of(status()) for name, status in parts.statuses.items()},
        "configuration": {"waiting": [], "refused": None},
    }
    sources = Sources(clock, settings.journal.path, _no_wait, lambda: told)

    async def report(reach: Reach) -> Mapping[str, Json]:
        return await measure(sources, reach, birth.journal)

    return line_of(
        LineSettings(address_of(settings), settings.mqtt.keepalive_s),
        Topics(settings.mqtt.prefix, settings.table.id),
        birth,
        store=NoJournal(),
        tail=0,
        door=ShutDoor(),
        roster=settings.roles(),
        now=lambda: Moment(clock.wall_ms(), clock.look().synchronised),
        known=lambda principal, command: None,
        measure=report,
        jitter=random.Random(),
    )


async def _run(work: Callable[[], Awaitable[None]]) -> None:
    await work()


async def _no_wait() -> None:
    """There is no journal whose progress could be waited for."""

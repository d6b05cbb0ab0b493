"""The recorder at work: hears all tables, commits, confirms, asks for what is missing, alarms.

A message is acknowledged to the broker when its batch is durable, and a table is told of a record
only after that: until then broker and table keep it.
"""

from __future__ import annotations

import asyncio
import fnmatch
import functools
import logging
import random
from collections.abc import Callable
from dataclasses import dataclass

from controller.backoff import Backoff
from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Crowded, Plan, Received
from controller.clock import Clock
from controller.messages import Json, Outgoing
from controller.mqtt import Connection, connect
from controller.recorder.archive import Archive, ArchiveTrouble, Loaded
from controller.recorder.committer import Committer, Remark
from controller.recorder.correspondence import Correspondence
from controller.recorder.examiner import Examiner
from controller.recorder.findings import Finding
from controller.recorder.keys import KeyRing
from controller.recorder.notices import AlarmBoard, status_notice
from controller.recorder.presence import Presence
from controller.recorder.words import Health, health_of, status_of
from controller.subscriber import StatusBook

log = logging.getLogger(__name__)

# Messages that the broker may hand over before the first is durable: a commit a few ms apart, each
# as large as this, is more than a table floor makes. A broker may grant less.
UNSETTLED_MAX = 1_000
# The broker keeps what a recorder misses in a restart; what it drops is asked for again.
RESUME_S = 3_600
LOOK_S = 1.0
# Tables that are looked at in one breath. All at once would be two thousand letters in a row, and
# whatever arrived meanwhile would wait half a second; eight take 2 ms.
TABLES_A_BREATH = 8
# What an orderly stop waits for its last batch and farewell.
END_S_MAX = 3.0


@dataclass(frozen=True, slots=True)
class RecorderSettings:
    """`tables` is a glob of table ids; `silence_s` the longest that a table may say nothing."""

    address: BrokerAddress
    principal: str
    prefix: str = "tables"
    tables: str = "*"
    silence_s: float = 90.0


class Recorder:
    """Build with what the archive has loaded, then `run` until `stopping` is set.

    `tell` is given each finding when it opens and closes, and remarks.
    """

    def __init__(
        self,
        settings: RecorderSettings,
        archive: Archive,
        loaded: Loaded,
        keys: KeyRing,
        clock: Clock,
        tell: Callable[[Finding | Remark], None],
        jitter: random.Random,
    ) -> None:
        self.examiner = Examiner(keys, loaded)
        self.ready = asyncio.Event()
        self._settings = settings
        self._clock = clock
        self._tell = tell
        self._backoff = Backoff(jitter)
        self._book = StatusBook()
        self._presence = Presence(self.examiner.current, self._now_s())
        self._letters = Correspondence(settings.prefix, settings.principal, self.examiner)
        self._archive = archive
        self._committer = Committer(archive, self.examiner, clock, self._letters.holds, tell)
        self._board = AlarmBoard(settings.principal)
        self._connection: Connection | None = None

    async def run(self, stopping: asyncio.Event) -> None:
        """Follow until `stopping`. Raises BrokerAway where the first connection fails, and
        ForeignArchive where the database became another one."""
        async with asyncio.TaskGroup() as tasks:
            works = [
                tasks.create_task(self._keep_line(stopping), name="line"),
                tasks.create_task(self._committer.run(), name="commits"),
                tasks.create_task(self._look_on(), name="looks"),
                tasks.create_task(self._close_what_people_close(), name="closings"),
            ]
            await stopping.wait()
            await asyncio.wait(works[:1], timeout=END_S_MAX)
            for work in works:
                work.cancel()

    def _now_s(self) -> float:
        return self._clock.mono_ns() / 1_000_000_000

    # ---- the line -------------------------------------------------------------------------------
    async def _keep_line(self, stopping: asyncio.Event) -> None:
        loop = asyncio.get_running_loop()
        while not stopping.is_set():
            begun = loop.time()
            try:
                await self._session(stopping)
            except BrokerAway as away:
                if not self.ready.is_set():
                    raise
                self._remark(f"the broker is away ({away}); trying again")
            wait = asyncio.create_task(stopping.wait())
            await asyncio.wait((wait,), timeout=self._backoff.after(loop.time() - begun))
            wait.cancel()

    async def _session(self, stopping: asyncio.Event) -> None:
        settings = self._settings
        plan = Plan(
            settings.address,
            client_id=f"recorder-{settings.principal}",  # fixed: a second one ends the first
            resume_s=RESUME_S,
            will=status_notice(settings.principal, "lost", {}),
            settles=True,
            unsettled_max=UNSETTLED_MAX,
        )
        async with connect(plan, self._hear) as connection:
            self._connection = connection
            try:
                refused = await connection.subscribe(self._filters(), as_published=False)
                if refused:
                    raise BrokerAway(f"the broker refuses the subscription to {refused[0]}")
                self._presence.begin_anew(self._now_s())
                self._board.begin_anew()
                self._letters.begin_anew()
                self._remark("the broker is there; recording")
                self.ready.set()
                await self._until_lost(connection, stopping)
                await self._farewell(connection)
            finally:
                self._connection = None

    def _filters(self) -> list[str]:
        root, principal = f"{self._settings.prefix}/+", self._settings.principal
        levels = ("events/#", "status", "health", f"replies/{principal}", f"replay/{principal}")
        return [f"{root}/{level}" for level in levels]

    async def _until_lost(self, connection: Connection, stopping: asyncio.Event) -> None:
        lost = asyncio.create_task(connection.lost())
        stop = asyncio.create_task(stopping.wait())
        try:
            await asyncio.wait((lost, stop), return_when=asyncio.FIRST_COMPLETED)
            if lost.done():
                raise BrokerAway(lost.result())
        finally:
            lost.cancel()
            stop.cancel()

    async def _farewell(self, connection: Connection) -> None:
        """The last batch durable and confirmed, then `offline`, reason `stopped`."""
        try:
            async with asyncio.timeout(END_S_MAX / 2):
                await self._committer.finished()
                self._confirm()
                status = status_notice(self._settings.principal, "stopped", self._figures())
                await connection.publish(status)
        except (TimeoutError, Crowded):
            log.warning("the end was not told to the broker")

    # ---- what is heard --------------------------------------------------------------------------
    def _hear(self, received: Received) -> None:
        connection = self._connection
        if connection is None or self._committer.is_full:
            return  # not settled: the broker brings it again
        root = f"{self._settings.prefix}/"
        table, _, rest = received.topic.removeprefix(root).partition("/")
        kind = rest.partition("/")[0]
        if fnmatch.fnmatchcase(table, self._settings.tables):
            self._take(table, kind, received)
        if kind in ("events", "replay"):
            self._committer.offer(functools.partial(self._settle, connection, received))
        else:
            connection.settle(received)

    def _settle(self, connection: Connection, received: Received) -> None:
        if connection is self._connection:
            connection.settle(received)

    def _take(self, table: str, kind: str, received: Received) -> None:
        now_ms, now_s = self._clock.wall_ms(), self._now_s()
        if kind in ("events", "replay"):
            record = self.examiner.take_event(table, received.payload, now_ms)
            if record is not None:
                self._presence.heard(table, now_s)
                if kind == "replay":
                    self._letters.inquiries.heard(record.journal, record.sequence, now_s)
        elif kind == "status":
            status = self._book.take(table, received.payload)
            told = None if status is None else status_of(status)
            if told is not None:
                self._presence.told(table, told.reason, now_s)
                self.examiner.announce(table, told.journal, None, now_ms)
                self._letters.table_is_back(table)
        elif kind == "health":
            health = health_of(received.payload)
            if health is not None and not received.retain:
                self._presence.heard(table, now_s)
                self._heard_health(table, health, now_ms)
        elif kind == "replies":
            self._letters.answered(received.payload, now_ms)

    def _heard_health(self, table: str, health: Health, now_ms: int) -> None:
        self.examiner.announce(table, health.journal, health.journaled, now_ms)
        self._letters.table_knows(table, health.store)
        if health.expected == self._settings.principal:
            self.examiner.remember(table, health.journal, health.store, now_ms)

    # ---- each second ----------------------------------------------------------------------------
    async def _look_on(self) -> None:
        loop = asyncio.get_running_loop()
        await asyncio.sleep(LOOK_S)
        while True:
            begun = loop.time()
            if self._connection is not None and self._connection.open:
                self._look_for_silence()
                self._show_alarms()
            self._committer.stir()
            tables = list(self.examiner.current)
            for first in range(0, len(tables), TABLES_A_BREATH):
                # By the clock: a loop that is late must not make the look of a second a minute.
                wait = begun + LOOK_S * first / len(tables) - loop.time()
                if wait > 0:
                    await asyncio.sleep(wait)
                if self._connection is not None and self._connection.open:
                    self._ask(tables[first : first + TABLES_A_BREATH])
                    self._confirm(tables[first : first + TABLES_A_BREATH])
            await asyncio.sleep(max(0.0, begun + LOOK_S - loop.time()))

    async def _close_what_people_close(self) -> None:
        # A work of its own: a store that stalls must not hold up the looks.
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                closings = await self._archive.closings()
            except ArchiveTrouble as trouble:
                # The next commit meets the same and says so.
                log.debug("the store cannot be read: %s", trouble)
                continue
            for one in closings:
                findings = self.examiner.findings
                findings.close_by_person(one.number, one.at, one.person, one.reason)

    def _look_for_silence(self) -> None:
        now_ms = self._clock.wall_ms()
        silent = self._presence.silent(self._now_s(), self._settings.silence_s)
        for table in self._presence.tables:
            if table in silent:
                self.examiner.find(now_ms, table, "", "silence", 0, silent[table])
            else:
                self.examiner.close(now_ms, table, "", "silence")

    def _ask(self, tables: list[str]) -> None:
        now_ms, is_there = self._clock.wall_ms(), self._presence.is_there
        for message in self._letters.requests(is_there, self._now_s(), now_ms, tables):
            self._publish(message)

    def _confirm(self, tables: list[str] | None = None) -> None:
        now_ms = self._clock.wall_ms()
        for message in self._letters.confirmations(self._presence.is_there, now_ms, tables):
            self._publish(message)

    def _show_alarms(self) -> None:
        for message in self._board.changes(self.examiner.findings.open, self._figures()):
            self._publish(message)

    def _publish(self, message: Outgoing) -> None:
        connection = self._connection
        if connection is not None:
            try:
                connection.publish(message)
            except Crowded:
                log.warning("no room for a message on %s", message.topic)

    def _figures(self) -> dict[str, Json]:
        return {
            "tables": len(self._presence.tables),
            "journals": len(self.examiner.followers),
            "findings": len(self.examiner.findings.open),
            "recording": self._committer.works,
        }

    def _remark(self, text: str) -> None:
        self._tell(Remark(text))

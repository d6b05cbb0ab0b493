"""The table's standing line to its broker: birth and will, back-off, and who hears what.

The line may be away for hours: the table is dealt on, the journal keeps all, the outbox catches up.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from controller.backoff import Backoff
from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Crowded, Plan, Received
from controller.command_desk import CommandDesk
from controller.core.outputs import Outputs
from controller.credential_keeper import CredentialKeeper
from controller.credentials import Credentials
from controller.journal.record import SealedEvent
from controller.levels import Levels
from controller.messages import Birth, End, Json, Outgoing, Topics, status_message
from controller.mqtt import Connection, connect
from controller.outbox import Outbox
from controller.replayer import Replayer
from controller.room_copy import RoomCopy

log = logging.getLogger(__name__)

# Interfaces, section 4.
HEALTH_S = 30
# A broker that takes publications and never answers is as good as away.
UNANSWERED_S_MAX = 30
STUCK_LOOK_S = 5
# What an orderly stop waits for events on their way, and for its farewell: together no more than
# the daemon gives its line, or behind a backlog the will would tell of a table that was lost.
DRAIN_S_MAX = 0.6
FAREWELL_S_MAX = 0.5


@dataclass(frozen=True, slots=True)
class LineSettings:
    """Where and how. `resume_s`: how long the broker keeps commands for an absent table: beyond
    the 30 s in which they are valid, so that their refusal is recorded. `will_delay_s`: a table
    that comes back within it is never shown as lost; MQTT 5 only, like the session's end.
    `commands_per_minute`: what one principal may ask for in the long run. `client_id`: always the
    same, so that a second life ends the first; None makes one of the table's id. `onvif`: alarms
    and irregularities in the form of video systems, too."""

    address: BrokerAddress
    keepalive_s: int = 15
    resume_s: int = 120
    will_delay_s: int = 3
    commands_per_minute: int = 60
    client_id: str | None = None
    onvif: bool = False


@dataclass(frozen=True, slots=True)
class LineParts:
    """Who uses the line; the first outbox is the record's."""

    outboxes: tuple[Outbox, ...]
    levels: Levels
    desk: CommandDesk
    replayer: Replayer
    room: RoomCopy
    keeper: CredentialKeeper


@dataclass(slots=True)
class LineCounters:
    """For health: what happened on the line since the start."""

    sessions: int = 0
    attempts: int = 0
    filters_refused: int = 0
    up: bool = False


class BrokerLine:
    """One table's line. `changed` is told `up` when it comes and goes; `measure` gives health."""

    def __init__(
        self,
        settings: LineSettings,
        topics: Topics,
        birth: Birth,
        parts: LineParts,
        changed: Callable[[bool], None],
        measure: Callable[[], Awaitable[Mapping[str, Json]]],
        jitter: random.Random,
    ) -> None:
        self._settings = settings
        self._client_id = settings.client_id or f"table-{topics.table_id}"
        self._topics = topics
        self._birth = birth
        self._parts = parts
        self._changed = changed
        self._measure = measure
        self._backoff = Backoff(jitter)
        self._stopping = asyncio.Event()
        self._renewing = asyncio.Event()
        self._ended = asyncio.Event()
        self._connection: Connection | None = None
        self._told_up: bool | None = None
        self._up_at: float | None = None
        self.counters = LineCounters()

    def committed(self, events: Sequence[SealedEvent], outputs: Outputs, sequence: int) -> None:
        """A turn is durable: its events and the levels that follow from it may leave."""
        for outbox in self._parts.outboxes:
            outbox.committed(events)
        self._parts.levels.show(outputs, sequence)

    async def run(self) -> None:
        """Keep the line until `stop`; cancelled instead, the broker publishes the will."""
        async with asyncio.TaskGroup() as tasks:
            helpers = [
                *(tasks.create_task(one.run(), name="outbox") for one in self._parts.outboxes),
                tasks.create_task(self._parts.replayer.run(), name="replayer"),
                tasks.create_task(self._parts.room.run(), name="room copy"),
                tasks.create_task(self._tell_health(), name="health"),
                tasks.create_task(
                    self._parts.keeper.run(self._try_out, self._renewing.set), name="credentials"
                ),
            ]
            try:
                await self._keep()
            finally:
                self._ended.set()
                for helper in helpers:
                    helper.cancel()

    async def stop(self) -> None:
        """End in order: what is on its way is waited for, then `offline`, reason `stopped`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S_MAX):
                for outbox in self._parts.outboxes if self.counters.up else ():
                    await outbox.drained()
        self._stopping.set()
        await self._ended.wait()

    async def _keep(self) -> None:
        while not self._stopping.is_set():
            self.counters.attempts += 1
            self._up_at = None
            try:
                await self._session()
            except BrokerAway as away:
                # The first failure is loud; a broker that stays away would fill the log.
                level = logging.WARNING if self._backoff.failures == 0 else logging.DEBUG
                log.log(level, "broker %s: %s", self._settings.address.shown, away)
            if self._left_to_renew():
                continue
            self._tell(False)
            await self._stopped_within(self._backoff.after(self._lasted_s()))

    def _left_to_renew(self) -> bool:
        """It left by itself, and the new credentials were let in a moment ago: nothing to wait."""
        renewing = self._renewing.is_set() and self._up_at is not None
        self._renewing.clear()
        return renewing

    def _lasted_s(self) -> float:
        return 0.0 if self._up_at is None else asyncio.get_running_loop().time() - self._up_at

    async def _session(self) -> None:
        """One connection, from its birth to its end. Raises BrokerAway unless stopped."""
        session = self.counters.attempts
        credentials = await self._parts.keeper.next()
        plan = Plan(
            self._settings.address,
            client_id=self._client_id,
            keepalive_s=self._settings.keepalive_s,
            resume_s=self._settings.resume_s,
            will=self._status(session, "lost"),
            will_delay_s=self._settings.will_delay_s,
            settles=True,
            credentials=credentials,
        )
        try:
            async with connect(plan, self._hear) as connection:
                self._connection = connection
                try:
                    self._parts.keeper.proved(credentials, connection.broker_ends_ms)
                    await self._greet(connection, self._status(session, "running"))
                    await self._until_lost_or_stopped(connection)
                    if self._stopping.is_set():
                        await self._farewell(connection, self._status(session, "stopped"))
                    elif self._settings.address.version == "5":
                        # Cut: should it not come back, the will is published after its delay.
                        # Without such a delay (3.1.1) a leave in order spares the room an alarm.
                        raise BrokerAway("coming in again with renewed credentials")
                finally:
                    self._detach()
        except BrokerAway:
            if self._up_at is None:
                self._parts.keeper.failed(credentials)
            raise

    async def _try_out(self, credentials: Credentials) -> None:
        """Come in once beside the standing connection. Raises BrokerAway."""
        plan = Plan(self._settings.address, f"{self._client_id}-try", credentials=credentials)
        async with connect(plan, lambda received: None):
            pass

    async def _greet(self, connection: Connection, birth: Outgoing) -> None:
        self._parts.levels.states(birth)
        try:
            async with asyncio.timeout(UNANSWERED_S_MAX):
                delivery = await connection.publish(birth)
        except TimeoutError:
            raise BrokerAway(f"no answer to the birth for {UNANSWERED_S_MAX} s") from None
        if delivery.refused:
            log.error("broker refuses the status of the table: %s", delivery.reason)
        elif not delivery.delivered:
            raise BrokerAway(f"lost before the birth was taken: {delivery.reason}")
        for outbox in self._parts.outboxes:
            outbox.attach(connection)
        self._parts.levels.attach(connection)
        self._parts.replayer.attach(connection)
        refused = await connection.subscribe((self._topics.commands,))
        refused += await connection.subscribe(self._parts.levels.filters, as_published=False)
        self.counters.filters_refused = len(refused)
        for topic in refused:
            log.error("broker refuses the subscription to %s", topic)
        self._up_at = asyncio.get_running_loop().time()
        self._tell(True)

    async def _until_lost_or_stopped(self, connection: Connection) -> None:
        lost = asyncio.create_task(connection.lost(), name="line lost")
        stopping = asyncio.create_task(self._stopping.wait(), name="line stopping")
        renewing = asyncio.create_task(self._renewing.wait(), name="line renewing")
        ends = (lost, stopping, renewing)
        try:
            while not any(end.done() for end in ends):
                await asyncio.wait(ends, timeout=STUCK_LOOK_S, return_when=asyncio.FIRST_COMPLETED)
                if connection.unanswered_s > UNANSWERED_S_MAX:
                    raise BrokerAway(f"no answer to a publication for {UNANSWERED_S_MAX} s")
            if lost.done():
                raise BrokerAway(lost.result())
        finally:
            for end in ends:
                end.cancel()

    async def _farewell(self, connection: Connection, status: Outgoing) -> None:
        self._parts.levels.states(status)
        with contextlib.suppress(TimeoutError, Crowded):
            async with asyncio.timeout(FAREWELL_S_MAX):
                await connection.publish(status)

    def _detach(self) -> None:
        self._connection = None
        for outbox in self._parts.outboxes:
            outbox.detach()
        self._parts.levels.detach()
        self._parts.replayer.detach()

    def _hear(self, received: Received) -> None:
        connection = self._connection
        if connection is None:
            return
        if self._parts.desk.hear(connection, received):
            return  # the desk settles it, when its fate is known
        self._parts.levels.hear(received)
        connection.settle(received)

    def _status(self, session: int, end: End) -> Outgoing:
        return status_message(self._topics, self._birth, session, end)

    def _tell(self, up: bool) -> None:
        self.counters.up = up
        if up:
            self.counters.sessions += 1
        if up is not self._told_up:
            self._told_up = up
            self._changed(up)

    async def _tell_health(self) -> None:
        while True:
            self._parts.levels.show_health(await self._measure())
            await asyncio.sleep(HEALTH_S)

    async def _stopped_within(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

"""Events from the journal to the broker: cursor, publish, answer of the broker, cursor.

In order, several on the way at once. The cursor moves only over what the broker took without a
gap, so a crash or a lost link repeats events and never loses one; whoever receives tells repeats
by `id`. The outbox is the one owner of retries (faults M10).

What was durable before the connection stood, or had to be read back, is marked `historical` and
paced: order is kept, so a live event comes after the backlog, and the retained levels pass it.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from controller.broker_port import Broker, Delivery
from controller.journal.record import SealedEvent
from controller.journal.tables import BROKER
from controller.journal.trouble import JournalTrouble
from controller.messages import Outgoing

log = logging.getLogger(__name__)

# One read of the journal, and what may wait in memory for the broker: some 250 KB at 1 KB an event.
PAGE_EVENTS_MAX = 256
READY_EVENTS_MAX = 2 * PAGE_EVENTS_MAX
# A backlog may take 1,000 events a second, a third of what one table's loop can publish: the rest
# is for the live table, and for the other tables that come back to the same broker.
HISTORICAL_EVENTS_PER_TICK = 100
TICK_S = 0.1
# Left free of events, so that levels and answers never wait behind a long backlog.
RESERVED_MESSAGES = 8
# A repeat of at most this much after a crash, for one small write in the next commit.
CURSOR_SAVE_S = 0.5
# A refused event is offered again: soon, since an ACL is mended in minutes, then seldom.
REFUSED_RETRY_S_MIN = 1
REFUSED_RETRY_S_MAX = 60
# An event that is none of this reader's passes as if it had been taken.
PASSED = Delivery(0, "not asked for")
# The journal answers again once its disk does; asking more often would only load it.
JOURNAL_RETRY_S = 1


class EventStore(Protocol):
    """What the outbox asks of the journal."""

    async def events_after(self, sequence: int, limit: int = PAGE_EVENTS_MAX) -> list[SealedEvent]:
        """At most `limit` durable events after `sequence`, in order. Raises JournalTrouble."""
        ...

    def cursor(self, name: str) -> int:
        """The sequence up to which the reader `name` has come; 0 at first."""
        ...

    async def set_cursor(self, name: str, sequence: int) -> None:
        """Note how far a reader has come. Raises JournalTrouble."""
        ...


# Type, body and whether it is told late, to the publication; None where there is none of it.
Letters = Callable[[str, bytes, bool], Outgoing | None]


class Outbox:
    """A reader of the journal for the broker.

    `letters` makes the publication of an event; `refused` is called with sequence and reason when
    the broker refuses one, once until it is taken; `tail` is the last durable sequence at the
    start. `name` is that of its cursor; a reader that is not `from_start` begins at the tail the
    first time.
    """

    def __init__(
        self, letters: Letters, store: EventStore, tail: int, refused: Callable[[int, str], None],
        name: str = BROKER, *, from_start: bool = True,
    ) -> None:  # fmt: skip
        self._letters = letters
        self._store = store
        self._tell_refused = refused
        self._tail = tail
        self._name = name
        self._saved = store.cursor(name)
        self._cursor = self._sent = self._saved if self._saved or from_start else tail
        self._ready: deque[SealedEvent] = deque()
        self._flight: deque[tuple[int, asyncio.Future[Delivery]]] = deque()
        self._broker: Broker | None = None
        self._stir = asyncio.Event()
        self._landed_some = asyncio.Event()
        self._refusals = 0
        self._told_refused = 0
        self._resting = False
        self._history = self._tail
        self._tick_at = 0.0
        self._tick_events = 0
        self._tick_due: asyncio.TimerHandle | None = None

    @property
    def depth(self) -> int:
        """Durable events that the broker has not taken yet."""
        return self._tail - self._cursor

    @property
    def tail(self) -> int:
        """The last durable event."""
        return self._tail

    @property
    def cursor(self) -> int:
        """The last event of the gap-free row that the broker took."""
        return self._cursor

    @property
    def refusing(self) -> bool:
        """Whether the broker refuses the event that is next."""
        return self._refusals > 0

    def committed(self, events: Sequence[SealedEvent]) -> None:
        """Events became durable just now, in order: the short way, without reading them back."""
        if not events:
            return
        self._tail = max(self._tail, events[-1].sequence)
        end = self._ready[-1].sequence if self._ready else self._sent
        follows = events[0].sequence == end + 1
        if self._broker is not None and follows:
            room = READY_EVENTS_MAX - len(self._ready)
            self._ready.extend(events[:room])
            self._pump()
        self._stir.set()

    def attach(self, broker: Broker) -> None:
        """A connection is up: begin after the last event that the broker surely has."""
        self._broker = broker
        self._history = self._tail
        self._rewind()

    def detach(self) -> None:
        """The connection is gone; what was on the way will be sent again."""
        self._broker = None
        self._rewind()

    async def run(self) -> None:
        """Feed the connection from the journal until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._feed(), name="outbox feed")
            tasks.create_task(self._save_now_and_then(), name="outbox cursor")

    async def drained(self) -> None:
        """Wait until the broker has taken every durable event."""
        while self.depth > 0:
            self._landed_some.clear()
            await self._landed_some.wait()

    async def save(self) -> None:
        """Note the cursor in the journal. Raises JournalTrouble."""
        if self._cursor != self._saved:
            reached = self._cursor
            await self._store.set_cursor(self._name, reached)
            self._saved = reached

    async def _feed(self) -> None:
        while True:
            await self._stir.wait()
            self._stir.clear()
            try:
                while await self._refill():
                    self._pump()
            except JournalTrouble as trouble:
                # The engine sees the same trouble and locks the table; here we only wait for it.
                log.warning("outbox cannot read the journal: %s", trouble)
                await asyncio.sleep(JOURNAL_RETRY_S)
                self._stir.set()
            self._pump()

    async def _refill(self) -> bool:
        """Read the next page if the last one is used up; whether there is something to send."""
        if self._broker is None or self._ready or self._sent >= self._tail:
            return False
        after = self._sent
        page = await self._store.events_after(after, PAGE_EVENTS_MAX)
        # The link may have come and gone while the journal read: only what still follows counts.
        if page and not self._ready and self._sent == after:
            if page[0].sequence > after + 1:
                # Pruned, so the room holds it, or the note of its delivery was lost.
                log.warning("events %d to %d are pruned", after + 1, page[0].sequence - 1)
            self._ready.extend(page)
            self._history = max(self._history, page[-1].sequence)
        return bool(page)

    async def _save_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(CURSOR_SAVE_S)
            with contextlib.suppress(JournalTrouble):  # a cursor that is behind only repeats
                await self.save()

    def _pump(self) -> None:
        broker = self._broker
        while (
            broker is not None
            and broker.open
            and self._ready
            and not self._resting
            and self._may_send(broker)
            and self._keeps_pace(self._ready[0])
        ):
            event = self._ready.popleft()
            historical = event.sequence <= self._history
            message = self._letters(event.type, event.body, historical)
            future = _passed() if message is None else broker.publish(message)
            self._sent = event.sequence
            self._flight.append((event.sequence, future))
            future.add_done_callback(self._landed)

    def _may_send(self, broker: Broker) -> bool:
        if not self._flight:
            # One is always tried, however small a window the broker grants.
            return broker.free > 0
        # After a refusal one at a time, or each try would send the followers once more.
        return not self._refusals and broker.free > RESERVED_MESSAGES

    def _keeps_pace(self, event: SealedEvent) -> bool:
        """Whether this one may leave in this tick; if not, the next tick goes on with it."""
        if event.sequence > self._history:
            return True
        loop = asyncio.get_running_loop()
        if loop.time() >= self._tick_at + TICK_S:
            self._tick_at, self._tick_events = loop.time(), 0
        if self._tick_events < HISTORICAL_EVENTS_PER_TICK:
            self._tick_events += 1
            return True
        if self._tick_due is None:
            self._tick_due = loop.call_at(self._tick_at + TICK_S, self._next_tick)
        return False

    def _next_tick(self) -> None:
        self._tick_due = None
        self._pump()

    def _landed(self, _: asyncio.Future[Delivery]) -> None:
        while self._flight and self._flight[0][1].done():
            sequence, future = self._flight[0]
            delivery = future.result()
            if delivery.refused:
                self._rest(sequence, delivery)
                return
            if not delivery.delivered:
                self._rewind()
                return
            self._flight.popleft()
            self._cursor = sequence
            self._refusals = 0
        self._landed_some.set()
        self._pump()
        if not self._ready:
            self._stir.set()

    def _rest(self, sequence: int, delivery: Delivery) -> None:
        """A refused event stays first in the row: order is kept, and nothing passes for sent."""
        self._refusals += 1
        self._rewind()
        self._resting = True
        pause = min(REFUSED_RETRY_S_MAX, REFUSED_RETRY_S_MIN * (1 << min(self._refusals - 1, 10)))
        asyncio.get_running_loop().call_later(pause, self._rested)
        if sequence != self._told_refused:
            self._told_refused = sequence
            log.error("broker refuses event %d: %s", sequence, delivery.reason)
            self._tell_refused(sequence, delivery.reason)

    def _rested(self) -> None:
        self._resting = False
        self._stir.set()

    def _rewind(self) -> None:
        self._flight.clear()
        self._ready.clear()
        self._sent = self._cursor
        self._stir.set()


def _passed() -> asyncio.Future[Delivery]:
    future: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()
    future.set_result(PASSED)
    return future

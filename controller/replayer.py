"""Events published once more for one who missed some: bounded, and slower than the live ones."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass

from controller.broker_port import Broker, Crowded
from controller.journal.trouble import JournalTrouble
from controller.messages import EVENT_CONTENT, Outgoing, Topics
from controller.outbox import EventStore

log = logging.getLogger(__name__)

# A busy day of one table is some 20,000 events; who wants more asks again from where it ended.
REPLAY_EVENTS_MAX = 10_000
# Requests that wait; a fifth is told `busy`.
WAITING_REPLAYS_MAX = 4
# 200 events a second leave nine tenths of the link and of the journal to the live table.
PAGE_EVENTS = 50
PAGE_PAUSE_S = 0.25


@dataclass(frozen=True, slots=True)
class Request:
    """Who asked for which events; `last` None means all that are durable now."""

    principal: str
    first: int
    last: int | None


class Replayer:
    """Serves one request at a time, in the order of asking."""

    def __init__(self, topics: Topics, store: EventStore) -> None:
        self._topics = topics
        self._store = store
        self._requests: deque[Request] = deque()
        self._filled = asyncio.Event()
        self._broker: Broker | None = None

    def has_room(self) -> bool:
        """Whether another request may be made now."""
        return len(self._requests) < WAITING_REPLAYS_MAX

    def ask(self, request: Request) -> None:
        """Queue a request; one too many is dropped, `has_room` tells beforehand."""
        if self.has_room():
            self._requests.append(request)
            self._filled.set()

    def attach(self, broker: Broker) -> None:
        """A connection is up."""
        self._broker = broker

    def detach(self) -> None:
        """The connection is gone: who asked over it asks again, as he does for any lost event."""
        self._broker = None
        self._requests.clear()

    async def run(self) -> None:
        """Serve until cancelled."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._requests:
                request = self._requests[0]
                try:
                    await self._serve(request)
                except (JournalTrouble, Crowded) as trouble:
                    log.warning("replay for %s ends early: %s", request.principal, trouble)
                if self._requests and self._requests[0] is request:
                    self._requests.popleft()

    async def _serve(self, request: Request) -> None:
        broker = self._broker
        topic = self._topics.below("replay", request.principal)
        end = request.first + REPLAY_EVENTS_MAX - 1
        if request.last is not None:
            end = min(end, request.last)
        reached = request.first - 1
        while broker is not None and broker is self._broker and reached < end:
            page = await self._store.events_after(reached, min(PAGE_EVENTS, end - reached))
            if not page:
                return
            answers = [
                broker.publish(Outgoing(topic, event.body, content=EVENT_CONTENT, historical=True))
                for event in page
            ]
            await asyncio.gather(*answers)
            reached = page[-1].sequence
            await asyncio.sleep(PAGE_PAUSE_S)

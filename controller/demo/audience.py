"""Who watches the demo: a real subscriber that shows, counts and keeps each event once."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable

from controller.broker_address import BrokerAddress
from controller.clock import SystemClock
from controller.demo.latency import Latency
from controller.demo.stage import ROOM, TABLE
from controller.demo.terminal import NoAnswer, Terminals
from controller.subscriber import Seen, Subscriber

Envelope = dict[str, object]


class Audience:
    """Events by sequence as the broker gave them; `show` is called for each one that is new."""

    def __init__(
        self, address: BrokerAddress, terminals: Terminals, latency: Latency,
        show: Callable[[Seen], None],
    ) -> None:  # fmt: skip
        self._latency = latency
        self._show = show
        self._terminals = terminals
        self._clock = SystemClock()
        self.events: dict[int, Envelope] = {}
        self.counts: Counter[str] = Counter()
        self.journal = ""
        self.asked_again = 0
        self._news = asyncio.Event()
        self.subscriber = Subscriber(
            address, "demo-audience", self._clock, self._seen, tables=TABLE, from_start=True,
            link=self._link,
        )  # fmt: skip
        terminals.replayed = self._replayed

    @property
    def last(self) -> int:
        """The highest sequence that came."""
        return max(self.events, default=0)

    async def until(self, sequence: int) -> None:
        """Wait until everything up to `sequence` has come."""
        while self.subscriber.ledger.reached(self.journal) < sequence:
            self._news.clear()
            await self._news.wait()

    async def ask_again(self, sequence: int) -> None:
        """Ask the table for what is missing of the events up to `sequence`."""
        for first, last in self._missing(sequence):
            self.asked_again += last - first + 1
            with contextlib.suppress(NoAnswer):
                await self._terminals.send(ROOM, "replay", first=first, last=last)

    def _missing(self, sequence: int) -> list[tuple[int, int]]:
        reached = self.subscriber.ledger.reached(self.journal)
        gaps = list(self.subscriber.ledger.missing().get(self.journal, ()))
        top = max(self.last, reached)
        if top < sequence:
            gaps.append((top + 1, sequence))
        return gaps

    def _seen(self, seen: Seen) -> None:
        self._news.set()
        if seen.envelope is not None and not seen.repeat:
            self.events[seen.sequence] = seen.envelope
            self.journal = str(seen.envelope.get("journal"))
            self.counts[str(seen.envelope.get("type"))] += 1
            self._latency.came(seen.envelope, seen.received_ns)
        if not seen.repeat:
            self._show(seen)

    def _replayed(self, payload: bytes) -> None:
        self._latency.interrupted()
        self._seen(self.subscriber.ledger.take(TABLE, payload, self._clock.mono_ns()))

    def _link(self, up: bool) -> None:
        if not up:
            self._latency.interrupted()

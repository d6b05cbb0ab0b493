"""Joins the wall to the broker: a subscriber like any other, and the one who speaks."""

from __future__ import annotations

import asyncio
import random

from controller.broker_address import BrokerAddress
from controller.clock import Clock
from controller.monitor.speaker import Speaker
from controller.monitor.wall import LEVELS, Wall
from controller.subscriber import Seen, Subscriber

# Silence is told within this time of its bound.
LOOK_S = 1.0


class Room:
    """What the monitor runs beside its server."""

    def __init__(
        self, address: BrokerAddress, client_id: str, prefix: str, tables: str, clock: Clock,
        wall: Wall, speaker: Speaker | None, jitter: random.Random | None = None,
    ) -> None:  # fmt: skip
        self._jitter = jitter or random.Random()
        self._clock = clock
        self._wall = wall
        self._speaker = speaker
        self.subscriber = Subscriber(
            address, client_id, clock, self._seen, prefix=prefix, tables=tables,
            status=lambda table, value: wall.take_status(table, value, clock.wall_ms()),
            link=lambda up: wall.take_link(up, clock.wall_ms()),
            levels=LEVELS, level=self._level,
        )  # fmt: skip

    async def run(self, ready: asyncio.Event) -> None:
        """Follow until cancelled; `ready` once all subscriptions stand.

        Raises an ExceptionGroup with BrokerAway where a first connection fails.
        """
        speaks = asyncio.Event()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self.subscriber.run(self._jitter))
            tasks.create_task(self._look())
            if self._speaker is not None:
                tasks.create_task(self._speaker.run(self._jitter, speaks.set))
                await speaks.wait()
            await self.subscriber.ready.wait()
            ready.set()

    async def _look(self) -> None:
        while True:
            self._wall.look_at_clock(self._clock.wall_ms())
            await asyncio.sleep(LOOK_S)

    def _seen(self, one: Seen) -> None:
        self._wall.take_event(one, self._clock.wall_ms())

    def _level(self, table: str, level: str, payload: bytes, live: bool) -> None:
        self._wall.take_level(table, level, payload, live, self._clock.wall_ms())

"""A way to the broker that notes when each connection was asked for."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from tests.mqtt.mosquitto import Mosquitto, Wire


class CountingWire(Wire):
    """Notes when each connection was asked for, whether or not a broker was there."""

    def __init__(self, broker: Mosquitto) -> None:
        super().__init__(broker)
        self.asked_s: list[float] = []

    async def _join(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        self.asked_s.append(asyncio.get_running_loop().time())
        try:
            await super()._join(near, back)
        except OSError:
            back.transport.abort()


def most_within(moments: Sequence[float], span_s: float) -> int:
    """The most moments that lie within any span of that length."""
    ordered, first, most = sorted(moments), 0, 0
    for number, moment in enumerate(ordered):
        while ordered[first] <= moment - span_s:
            first += 1
        most = max(most, number - first + 1)
    return most

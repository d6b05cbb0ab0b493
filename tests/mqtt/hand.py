"""A broker in the hand of a test: each publication lands when the test says so."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from controller.broker_port import LOST, Delivery, Received
from controller.messages import Outgoing

TAKEN = Delivery(0, "Success")
REFUSED = Delivery(0x87, "Not authorized")
GONE = Delivery(LOST, "lost")


@dataclass
class HandBroker:
    """Implements `broker_port.Broker`; the real one has its own tests."""

    window: int = 64
    open: bool = True
    sent: list[tuple[Outgoing, asyncio.Future[Delivery]]] = field(default_factory=list)

    @property
    def free(self) -> int:
        """Publications that would leave at once."""
        return self.window - sum(not future.done() for _, future in self.sent)

    def publish(self, message: Outgoing) -> asyncio.Future[Delivery]:
        """Keep it until it is landed."""
        future: asyncio.Future[Delivery] = asyncio.get_running_loop().create_future()
        self.sent.append((message, future))
        return future

    def settle(self, received: Received) -> None:
        """Nothing is received here."""

    async def land(self, *answers: Delivery) -> None:
        """Answer the oldest open publications, one each, and let the callbacks run."""
        still = [future for _, future in self.sent if not future.done()]
        for future, answer in zip(still, answers, strict=False):
            future.set_result(answer)
        for _ in range(5):
            await asyncio.sleep(0)

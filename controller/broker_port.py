"""What the rest of the house asks of a broker: a port in words, without any client library.

BrokerAway   no usable connection; example: connection refused, wrong password, keepalive missed.
Crowded      too many publications wait; example: a replay while the broker does not answer.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Protocol

from controller.broker_address import BrokerAddress
from controller.credentials import Credentials
from controller.messages import Outgoing

# MQTT 5, 2.4: reason codes from here on mean failure.
REASON_REFUSED = 0x80
LOST = -1
# Commands that the broker may hand over before the first is settled; the rest waits at the broker.
UNSETTLED_MESSAGES_MAX = 32


class BrokerAway(Exception):
    """No usable connection: refused, unreachable, lost; the message says which, without secrets."""


class Crowded(Exception):
    """More publications are waiting than the bound allows: the caller must wait for some."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of a publication: `code` is the broker's reason, or LOST with the connection."""

    code: int
    reason: str

    @property
    def delivered(self) -> bool:
        """The broker took it."""
        return 0 <= self.code < REASON_REFUSED

    @property
    def refused(self) -> bool:
        """The broker answered, and the answer was no."""
        return self.code >= REASON_REFUSED


@dataclass(frozen=True, slots=True)
class Received:
    """One message of the broker; `mid` is what an acknowledgement on the same connection names."""

    topic: str
    payload: bytes
    retain: bool
    qos: int
    mid: int
    response_topic: str | None = None
    correlation: bytes | None = None
    historical: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """How to connect. `resume_s` 0 starts clean and leaves nothing behind at the broker.

    `settles` on: whoever receives acknowledges by `settle`; off: the client does at once.
    `unsettled_max`: what the broker may hand over before the first is settled; MQTT 5 only.
    `credentials`: what was read of the address's files; None reads them for this connection.
    """

    address: BrokerAddress
    client_id: str
    keepalive_s: int = 15
    resume_s: int = 0
    will: Outgoing | None = None
    will_delay_s: int = 0
    settles: bool = False
    unsettled_max: int = UNSETTLED_MESSAGES_MAX
    credentials: Credentials | None = None


class Broker(Protocol):
    """A connection as its users see it; `controller.mqtt.Connection` is the real one."""

    @property
    def open(self) -> bool:
        """Whether a publication may still be tried."""
        ...

    @property
    def free(self) -> int:
        """Publications that would leave at once."""
        ...

    def publish(self, message: Outgoing) -> asyncio.Future[Delivery]:
        """Send in the order of the calls; the future always ends in a Delivery. Raises Crowded."""
        ...

    def settle(self, received: Received) -> None:
        """Acknowledge a message: its fate is known and will not be forgotten."""
        ...

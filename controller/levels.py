"""Retained levels of the table at the broker: what is shown there never outlives its truth."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Mapping

from controller.broker_port import Broker, Delivery, Received
from controller.core.outputs import Outputs
from controller.messages import (
    Json,
    Outgoing,
    Topics,
    changes,
    health_message,
    is_level_of_a_thing,
    level_message,
    levels_of,
)

log = logging.getLogger(__name__)

# A burst of turns shows its last level: people read them, and the events hold every step.
GATHER_S = 0.02
# A refused level is tried again with this pause, as long as the table lives.
REFUSED_RETRY_S = 10
# Levels of an earlier life, or of a stranger, that are cleared in one go: more than a table ever
# had alarms open. What lies beyond is found at the next connection.
STALE_LEVELS_MAX = 256
# A forged level of an alarm or device is put right after this pause, as a forged status is.
REPAIR_S = 1.0
# Publications of levels on the way; the rest follows as these land.
FLIGHT_LEVELS_MAX = 8


class Levels:
    """The levels that should be shown, and what the broker was last told of each."""

    def __init__(self, topics: Topics) -> None:
        self._topics = topics
        self._latest: tuple[Outputs, int] | None = None
        self._health: Outgoing | None = None
        self._counters: Mapping[str, Json] = {}
        self._wanted: dict[str, bytes] = {}
        self._shown: dict[str, bytes] = {}
        self._flying: set[str] = set()
        self._refused: set[str] = set()
        self._heard: dict[str, bytes] = {}
        self._broker: Broker | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def refused(self) -> int:
        """Levels that the broker refuses now."""
        return len(self._refused)

    def show(self, outputs: Outputs, sequence: int) -> None:
        """Take the levels of a turn that is durable; the last of a burst is published."""
        self._latest = (outputs, sequence)
        self._later(GATHER_S)

    def show_health(self, report: Mapping[str, Json]) -> None:
        """Publish the appliance's health, and with it what each device's driver has counted."""
        counters = report.get("devices")
        if isinstance(counters, dict):
            self._counters = counters
        self._health = health_message(self._topics, report)
        self._later(GATHER_S)

    def attach(self, broker: Broker) -> None:
        """A connection is up: every level is told again, whatever the broker kept."""
        self._broker = broker
        self._forget()
        self._later(0)

    def detach(self) -> None:
        """The connection is gone, and with it what we knew of the broker."""
        self._broker = None
        self._forget()

    @property
    def filters(self) -> tuple[str, ...]:
        """What to subscribe to, so that levels of an earlier life are found."""
        return (self._topics.below("alarms", "+"), self._topics.below("devices", "+"))

    def hear(self, received: Received) -> bool:
        """A message of the broker; True if it was a level of ours. A stale one is cleared, and
        one that shows something else than we published is put right."""
        if not is_level_of_a_thing(self._topics, received.topic):
            return False
        if received.topic in self._wanted:
            # Most are the echo of what we publish ourselves, so that the last one is looked at.
            if not self._heard:
                asyncio.get_running_loop().call_later(REPAIR_S, self._repair)
            self._heard[received.topic] = received.payload
        elif received.retain and received.payload and len(self._shown) < STALE_LEVELS_MAX:
            self._shown.setdefault(received.topic, received.payload)
            self._later(0)
        return True

    def _repair(self) -> None:
        heard = dict(self._heard)
        self._heard.clear()
        for topic, payload in heard.items():
            if topic not in self._flying and self._wanted.get(topic, payload) != payload:
                log.warning("someone else's level on %s: publishing ours again", topic)
                self._shown[topic] = payload
        self._tell()

    def _forget(self) -> None:
        self._shown.clear()
        self._flying.clear()
        self._refused.clear()
        self._heard.clear()

    def _later(self, seconds: float) -> None:
        if self._broker is not None and (self._timer is None or seconds == 0):
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_later(seconds, self._update)

    def _update(self) -> None:
        self._timer = None
        if self._latest is None:
            # Before the first turn nothing is known, and so nothing may be cleared either.
            return
        outputs, sequence = self._latest
        self._wanted = levels_of(self._topics, outputs, sequence, self._counters)
        if self._health is not None:
            self._wanted[self._health.topic] = self._health.payload
        self._tell()

    def _tell(self) -> None:
        broker = self._broker
        if broker is None or not broker.open:
            return
        for message in changes(self._shown, self._wanted):
            if message.topic in self._flying or message.topic in self._refused:
                continue
            if len(self._flying) >= FLIGHT_LEVELS_MAX:
                return
            self._flying.add(message.topic)
            self._shown[message.topic] = message.payload
            future = broker.publish(level_message(message.topic, message.payload))
            future.add_done_callback(functools.partial(self._landed, broker, message.topic))

    def _landed(self, broker: Broker, topic: str, future: asyncio.Future[Delivery]) -> None:
        if broker is not self._broker:
            return
        self._flying.discard(topic)
        delivery = future.result()
        if delivery.refused:
            log.error("broker refuses the level %s: %s", topic, delivery.reason)
            self._shown.pop(topic, None)
            self._refused.add(topic)
            asyncio.get_running_loop().call_later(REFUSED_RETRY_S, self._again, broker)
        elif delivery.delivered:
            if not self._shown.get(topic):
                self._shown.pop(topic, None)
            self._tell()

    def _again(self, broker: Broker) -> None:
        if broker is self._broker:
            self._refused.clear()
            self._tell()

"""Retained levels of the table at the broker: what is shown there never outlives its truth.

The table listens on its own topics. What somebody else says there, a late will among it, is put
right within 2 s and told to the record; what is left there of a thing that is gone is cleared.
"""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import Callable, Mapping

from controller.broker_port import Broker, Delivery, Received
from controller.core.outputs import Outputs
from controller.corrections import Cause
from controller.echoes import Echoes, Origin
from controller.messages import (
    LEVEL_FILTERS,
    Json,
    Outgoing,
    Topics,
    changes,
    health_message,
    is_level,
    is_older_status,
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
# A forged level is put right after this pause (faults M07: within 2 s); two who fight do so slowly.
REPAIR_S = 1.0
# Publications of levels on the way; the rest follows as these land.
FLIGHT_LEVELS_MAX = 8


class Levels:
    """The levels that should be shown, and what the broker was last told of each.

    `corrected` is told the topic below the root and the cause of what had to be put right.
    """

    def __init__(self, topics: Topics, corrected: Callable[[str, Cause], None]) -> None:
        self._topics = topics
        self._corrected = corrected
        self._echoes = Echoes()
        self._status: Outgoing | None = None
        self._suspects: set[str] = set()
        self._latest: tuple[Outputs, int] | None = None
        self._health: Outgoing | None = None
        self._counters: Mapping[str, Json] = {}
        self._wanted: dict[str, bytes] = {}
        self._shown: dict[str, bytes] = {}
        self._flying: set[str] = set()
        self._refused: set[str] = set()
        self._heard: dict[str, tuple[bytes, Origin]] = {}
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
        # A broker that was flooded may have dropped what came last on its way to us.
        for topic in self._suspects:
            self._shown.pop(topic, None)
        self._suspects.clear()
        self._later(GATHER_S)

    def states(self, status: Outgoing) -> None:
        """The line publishes a birth or a farewell itself; it is held like the other levels."""
        self._status = status
        self._wanted[status.topic] = self._shown[status.topic] = status.payload
        self._echoes.said(status.topic, status.payload)

    def attach(self, broker: Broker) -> None:
        """A connection is up: every level is told again, whatever the broker kept."""
        self._broker = broker
        self._forget()
        if self._status is not None:
            self._shown[self._status.topic] = self._status.payload
        self._later(0)

    def detach(self) -> None:
        """The connection is gone, and with it what we knew of the broker."""
        self._broker = None
        if self._status is not None:
            self._wanted.pop(self._status.topic, None)
            self._status = None
        self._echoes.parted()
        self._forget()

    @property
    def filters(self) -> tuple[str, ...]:
        """What to subscribe to, not as published: then what was retained before is told apart."""
        return tuple(self._topics.below(one) for one in LEVEL_FILTERS)

    def hear(self, received: Received) -> bool:
        """A message of the broker; True if it was a level of ours. A stale one is cleared, and
        one that shows something else than we published is put right."""
        if not is_level(self._topics, received.topic):
            return False
        origin = self._echoes.heard(received.topic, received.payload)
        if origin is not Origin.OURS:
            self._note(received, origin)
        if received.topic in self._wanted:
            # Most are the echo of what we publish ourselves, so that the last one is looked at.
            if not self._heard:
                self._look_later()
            self._heard[received.topic] = (received.payload, origin)
        elif origin is not Origin.OURS and received.payload:
            self._clear(received)
        return True

    def _note(self, received: Received, origin: Origin) -> None:
        """Tell what is to be put right; what we overwrite on coming in is the ordinary course."""
        wanted = received.topic in self._wanted
        if wanted if received.retain else not self._echoes.settled:
            return
        if not wanted and (self._latest is None or not received.payload):
            return
        if received.retain:
            cause: Cause = "left_over"
        elif origin is Origin.BEFORE or self._is_late_will(received):
            cause = "stale"
        else:
            cause = "forged"
        if wanted:
            self._suspects.add(received.topic)
        self._corrected(received.topic.removeprefix(self._topics.below("")), cause)

    def _is_late_will(self, received: Received) -> bool:
        ours = self._status
        return (
            ours is not None
            and ours.topic == received.topic
            and is_older_status(ours, received.payload)
        )

    def _clear(self, received: Received) -> None:
        known = self._shown.get(received.topic)
        if not known and (known is not None or len(self._shown) < STALE_LEVELS_MAX):
            # Also while it is being cleared: this one may have come after.
            self._shown[received.topic] = received.payload
            self._later(0)

    def _look_later(self) -> None:
        asyncio.get_running_loop().call_later(REPAIR_S, self._repair)

    def _repair(self) -> None:
        heard, self._heard = self._heard, {}
        for topic, (payload, origin) in heard.items():
            if origin is Origin.OURS or self._wanted.get(topic, payload) == payload:
                continue
            if topic in self._flying:
                # Ours may have been first or last: its echo tells.
                self._heard[topic] = (payload, origin)
                continue
            log.warning("someone else's level on %.200a: publishing ours again", topic)
            self._shown[topic] = payload
        if self._heard:
            self._look_later()
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
        if self._status is not None:
            self._wanted[self._status.topic] = self._status.payload
        self._tell()

    def _tell(self) -> None:
        broker = self._broker
        if broker is None or not broker.open:
            return
        for message in changes(self._shown, self._wanted):
            if self._latest is None and message.topic not in self._wanted:
                continue
            if message.topic in self._flying or message.topic in self._refused:
                continue
            if len(self._flying) >= FLIGHT_LEVELS_MAX:
                return
            self._flying.add(message.topic)
            self._shown[message.topic] = message.payload
            self._echoes.said(message.topic, message.payload)
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

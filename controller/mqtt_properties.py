"""What travels beside a payload under MQTT 5, in the client library's shape."""

from __future__ import annotations

import functools

from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller.broker_port import Plan
from controller.messages import Outgoing

# Two contents of ours and a few replies; to make them anew took a sixth of a burst's time.
PROPERTIES_MAX = 16
# Stands beside an event that is told late: a user property, since its bytes must stay the same.
HISTORICAL = ("historical", "true")


@functools.lru_cache(maxsize=PROPERTIES_MAX)
def publish_properties(
    content: str | None, topic: str | None, correlation: bytes | None, historical: bool
) -> Properties:
    """The library only reads them, so that those of events are made once."""
    properties = _properties(PacketTypes.PUBLISH)
    given = {"ContentType": content, "ResponseTopic": topic, "CorrelationData": correlation}
    for name, value in given.items():
        if value is not None:
            setattr(properties, name, value)
    if historical:
        properties.UserProperty = HISTORICAL
    return properties


def connect_properties(plan: Plan) -> Properties:
    """How long the broker keeps our session, and how much it may hand over unsettled."""
    properties = _properties(PacketTypes.CONNECT)
    properties.SessionExpiryInterval = plan.resume_s
    properties.ReceiveMaximum = plan.unsettled_max
    return properties


def will_properties(plan: Plan, will: Outgoing) -> Properties:
    """How long the broker waits with the will, and what its payload is."""
    properties = _properties(PacketTypes.WILLMESSAGE)
    properties.WillDelayInterval = plan.will_delay_s
    if will.content is not None:
        properties.ContentType = will.content
    return properties


def _properties(packet: int) -> Properties:
    return Properties(packet)  # type: ignore[no-untyped-call]  # the library left it untyped

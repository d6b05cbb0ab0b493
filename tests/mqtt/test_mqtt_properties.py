"""What travels beside a payload, through a real broker."""

from __future__ import annotations

import pytest

from controller.broker_address import Version
from controller.broker_port import Plan
from controller.messages import Outgoing
from controller.mqtt_properties import connect_properties, publish_properties, will_properties
from tests.mqtt.mosquitto import Mosquitto, until
from tests.mqtt.rooms import listener


@pytest.mark.parametrize(("version", "told"), [("5", True), ("3.1.1", False)])
async def test_historical_is_told_where_the_protocol_has_a_place_for_it(
    broker: Mosquitto, version: Version, told: bool
) -> None:
    async with listener(broker, "x", version=version) as (ear, heard):
        await ear.publish(Outgoing("x", b"1", historical=True))
        await ear.publish(Outgoing("x", b"2"))
        await until(lambda: len(heard) == 2)
    assert [one.historical for one in heard] == [told, False]


def test_properties_of_equal_messages_are_made_once() -> None:
    made = publish_properties("application/json", None, None, False)
    assert made is publish_properties("application/json", None, None, False)
    assert made is not publish_properties("application/json", None, None, True)


def test_session_and_will_have_their_times(broker: Mosquitto) -> None:
    plan = Plan(broker.address(), "x", resume_s=7, will_delay_s=3, unsettled_max=5)
    said = connect_properties(plan)
    assert (said.SessionExpiryInterval, said.ReceiveMaximum) == (7, 5)
    will = will_properties(plan, Outgoing("x", b"", content="text/plain"))
    assert (will.WillDelayInterval, will.ContentType) == (3, "text/plain")

"""Levels: one of a topic on its way, the newest wins, what is no longer true is cleared."""

from __future__ import annotations

import asyncio
import json

from controller.broker_port import Received
from controller.core.outputs import Outputs
from controller.corrections import Cause
from controller.levels import GATHER_S, REPAIR_S, STALE_LEVELS_MAX, Levels
from tests.mqtt.hand import REFUSED, TAKEN, HandBroker
from tests.mqtt.rooms import TOPICS

STATE = TOPICS.below("state")
ALARM = TOPICS.below("alarms", "A1")


def levels_at(told: list[tuple[str, Cause]] | None = None) -> Levels:
    corrections = [] if told is None else told
    return Levels(TOPICS, lambda topic, cause: corrections.append((topic, cause)))


async def shown(levels: Levels, outputs: Outputs) -> None:
    levels.show(outputs, 1)
    await asyncio.sleep(GATHER_S * 2)


def payloads(broker: HandBroker, topic: str) -> list[bytes]:
    return [message.payload for message, _ in broker.sent if message.topic == topic]


async def test_before_the_first_turn_nothing_is_told_and_nothing_cleared() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    levels.hear(Received(ALARM, b"{}", True, 1, 1))
    await asyncio.sleep(GATHER_S * 2)
    assert broker.sent == []
    await shown(levels, Outputs())
    await broker.land(*[TAKEN] * 9)
    assert payloads(broker, ALARM) == [b""]


async def test_while_one_is_on_its_way_only_the_newest_waits() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    for number in range(3):
        await shown(levels, Outputs(table={"round": number}))
    assert len(payloads(broker, STATE)) == 1
    await broker.land(*[TAKEN] * 9)
    assert [json.loads(one)["round"] for one in payloads(broker, STATE)] == [0, 2]


async def test_an_alarm_is_cleared_once_when_it_is_closed() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    await shown(levels, Outputs(alarms={"A1": {"severity": 4}}))
    await broker.land(*[TAKEN] * 9)
    await shown(levels, Outputs())
    await broker.land(*[TAKEN] * 9)
    await shown(levels, Outputs())
    assert [bool(one) for one in payloads(broker, ALARM)] == [True, False]


async def test_a_new_connection_is_told_everything_again() -> None:
    levels, first, second = levels_at(), HandBroker(), HandBroker()
    levels.attach(first)
    await shown(levels, Outputs())
    await first.land(*[TAKEN] * 9)
    levels.detach()
    levels.attach(second)
    await asyncio.sleep(0.01)
    assert {message.topic for message, _ in second.sent} == {STATE, TOPICS.below("prompt")}


async def test_a_refused_level_is_counted_and_not_hammered() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    await shown(levels, Outputs())
    await broker.land(REFUSED, TAKEN)
    await shown(levels, Outputs(table={"round": 1}))
    assert levels.refused == 1
    assert len(payloads(broker, STATE)) == 1


async def test_what_a_driver_counted_stands_on_its_devices_topic() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    levels.show_health({"devices": {"shoe": {"frames": 7}}})
    await shown(levels, Outputs(devices={"shoe": {"state": "ok"}, "shuffler": {"state": "ok"}}))
    told = {
        device: json.loads(payloads(broker, TOPICS.below("devices", device))[-1])
        for device in ("shoe", "shuffler")
    }
    assert told["shoe"]["counters"] == {"frames": 7}
    assert told["shuffler"]["counters"] == {}


async def test_an_alarm_that_a_stranger_clears_or_rewrites_is_shown_again() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    await shown(levels, Outputs(alarms={"A1": {"severity": 4}}))
    await broker.land(*[TAKEN] * 9)
    (ours,) = payloads(broker, ALARM)
    for forged in (b"", b"{}", ours):
        levels.hear(Received(ALARM, ours, True, 1, 1))
        levels.hear(Received(ALARM, forged, True, 1, 1))
        await asyncio.sleep(REPAIR_S + 0.05)
        await broker.land(*[TAKEN] * 9)
    assert payloads(broker, ALARM) == [ours] * 3


async def test_a_flood_of_strangers_levels_is_bounded() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    await shown(levels, Outputs())
    for number in range(STALE_LEVELS_MAX + 50):
        levels.hear(Received(TOPICS.below("alarms", f"Z{number}"), b"x", True, 1, 1))
    await asyncio.sleep(GATHER_S)
    for _ in range(STALE_LEVELS_MAX):
        await broker.land(*[TAKEN] * 9)
    cleared = {message.topic for message, _ in broker.sent if message.payload == b""}
    assert STALE_LEVELS_MAX - 10 <= len(cleared) <= STALE_LEVELS_MAX


async def test_what_was_forged_is_told_once_more_with_the_next_health() -> None:
    """A broker that was flooded may have dropped the forger's last word on its way to us."""
    told: list[tuple[str, Cause]] = []
    levels, broker = levels_at(told), HandBroker()
    levels.attach(broker)
    await shown(levels, Outputs())
    await broker.land(*[TAKEN] * 9)
    (ours,) = payloads(broker, STATE)
    for payload in (ours, b"{}"):
        levels.hear(Received(STATE, payload, False, 1, 1))
    assert told == [("state", "forged")]
    await asyncio.sleep(REPAIR_S + 0.05)
    await broker.land(*[TAKEN] * 9)
    for _ in range(2):
        levels.show_health({})
        await asyncio.sleep(GATHER_S * 2)
        await broker.land(*[TAKEN] * 9)
    assert payloads(broker, STATE) == [ours] * 3


async def test_while_it_is_being_cleared_a_forged_level_may_come_again() -> None:
    levels, broker = levels_at(), HandBroker()
    levels.attach(broker)
    await shown(levels, Outputs())
    await broker.land(*[TAKEN] * 9)
    levels.hear(Received(ALARM, b"1", False, 1, 1))
    await asyncio.sleep(GATHER_S)
    levels.hear(Received(ALARM, b"2", False, 1, 1))
    await broker.land(*[TAKEN] * 9)
    await broker.land(*[TAKEN] * 9)
    assert payloads(broker, ALARM) == [b"", b""]

"""The table's session as others see it: no flap, no false end, nothing sent by a hidden queue."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import json
import random
import time
from pathlib import Path

import pytest

from controller.broker_address import Version
from controller.broker_line import LineSettings
from controller.broker_port import Received
from controller.clock import SystemClock
from controller.core.inputs import Broker
from controller.core.outputs import Outputs
from controller.subscriber import Seen, Subscriber
from tests.mqtt.mosquitto import Mosquitto, Wire, running, until
from tests.mqtt.rooms import TOPICS, MemoryJournal, listener, serving, table_at, table_of
from tests.mqtt.stub import Publication, StubBroker, Visit
from tests.mqtt.test_broker_line import VERSIONS, status

EVENTS = TOPICS.below("events", "")
SOON_S = 20.0


def ends(heard: list[Received]) -> list[str]:
    return [reason for _, reason in status(heard)]


async def test_a_short_cut_shows_no_flap_and_who_comes_late_sees_online(broker: Mosquitto) -> None:
    """Faults M05 and M06: MQTT 5 waits with the will for a table that comes right back."""
    wire = Wire(broker)
    # However long a busy machine takes to come back: a minute's patience instead of three seconds.
    address = dataclasses.replace(broker.address(), port=wire.port)
    table = table_of(LineSettings(address, will_delay_s=60), MemoryJournal())
    async with wire.laid(), listener(broker, TOPICS.status) as (_, heard), serving(table):
        await until(lambda: table.line.counters.up)
        counters = table.line.counters
        for count in (2, 3):
            wire.cut()
            await until(lambda: counters.sessions == count, SOON_S)  # noqa: B023 - awaited here
        await until(lambda: len(heard) == 3)
        async with listener(broker, TOPICS.status, name="late") as (_, late):
            await until(lambda: bool(late))
    assert ends(heard[:3]) == ["running"] * 3
    assert [json.loads(one.payload)["session"] for one in heard[:3]] == [1, 2, 3]
    assert status(late)[0] == ("online", "running")


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_broker_that_comes_back_with_a_kept_offline_is_put_right_at_once(
    tmp_path: Path, version: Version
) -> None:
    """Faults M07."""
    kept = ("allow_anonymous true", "persistence true", f"persistence_location {tmp_path}/")
    async with running(tmp_path, *kept) as broker:
        table = table_at(broker, MemoryJournal(), version=version)
        async with serving(table):
            await until(lambda: table.line.counters.up)
        async with listener(broker, TOPICS.status, version=version) as (_, heard):
            await until(lambda: "lost" in ends(heard), SOON_S)
        broker.stop()
        broker.start()
        async with listener(broker, TOPICS.status, version=version) as (_, heard):
            await until(lambda: ends(heard) == ["lost"])
            again = table_at(broker, MemoryJournal(), version=version, boot=2)
            begun = time.monotonic()
            async with serving(again):
                await until(lambda: ends(heard)[-1] == "running")
                assert time.monotonic() - begun < 2


async def test_a_table_that_says_nothing_notices_a_frozen_broker_within_two_keepalives(
    broker: Mosquitto,
) -> None:
    """Faults M02."""
    keepalive_s = 5
    table = table_at(broker, MemoryJournal(), keepalive_s=keepalive_s)
    async with serving(table):
        await until(lambda: table.line.counters.up)
        # Whatever it had to say on coming in is over.
        await asyncio.sleep(0.5)
        broker.freeze()
        begun = time.monotonic()
        await until(lambda: not table.line.counters.up, 4 * keepalive_s)
        assert time.monotonic() - begun <= 2 * keepalive_s
        assert table.door.facts(Broker) == [Broker(True), Broker(False)]
        broker.thaw()
        await until(lambda: table.line.counters.up, SOON_S)


async def test_each_device_has_its_own_availability(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal())
    async with listener(broker, TOPICS.below("devices", "+")) as (_, heard), serving(table):
        await until(lambda: table.line.counters.up)
        links = {"shoe": "up", "shuffler": "up"}
        table.commit(1, Outputs(devices={name: {"link": link} for name, link in links.items()}))
        await until(lambda: len(heard) == 2)
        links["shoe"] = "down"
        table.commit(1, Outputs(devices={name: {"link": link} for name, link in links.items()}))
        await until(lambda: len(heard) == 3)
        async with listener(broker, TOPICS.below("devices", "+"), name="late") as (_, late):
            await until(lambda: len(late) == 2)
    shown = {one.topic.rpartition("/")[2]: json.loads(one.payload)["link"] for one in late}
    assert shown == links


async def test_what_was_not_answered_is_sent_again_by_the_outbox_alone() -> None:
    """Faults M10: a broker that dies between PUBLISH and PUBACK."""
    count = 40

    def acknowledges(publication: Publication, visit: Visit) -> bool:
        if visit.number > 1 or not publication.topic.startswith(EVENTS):
            return True
        if json.loads(publication.payload)["data"]["n"] == count:
            visit.leave()
        return False

    stub = StubBroker(acknowledges)
    async with stub.serving():
        table = table_at(stub.as_mosquitto(), MemoryJournal(), version="3.1.1")
        async with serving(table):
            await until(lambda: table.line.counters.up)
            table.commit(count)
            await until(lambda: table.journal.cursors.get("broker") == count, SOON_S)
    sent: dict[int, list[int]] = {}
    for one in stub.heard:
        if one.topic.startswith(EVENTS):
            sent.setdefault(one.visit, []).append(json.loads(one.payload)["data"]["n"])
    assert sent == {1: list(range(1, count + 1)), 2: list(range(1, count + 1))}


async def test_a_first_copy_that_calls_itself_a_repeat_is_taken_and_the_second_is_not() -> None:
    """Faults M11: a broker that hands over with DUP what the subscriber never saw."""
    bodies = [one.body for one in MemoryJournal().add(3)]

    def subscribed(visit: Visit) -> None:
        for mid, body in enumerate([*bodies, *bodies], start=1):
            visit.publish(TOPICS.event("round.dealt"), body, mid, dup=mid <= len(bodies))

    stub, seen = StubBroker(subscribed=subscribed), list[Seen]()
    async with stub.serving():
        subscriber = Subscriber(stub.address(), "eye", SystemClock(), seen.append, from_start=True)
        task = asyncio.create_task(subscriber.run(random.Random(1)))
        await until(lambda: len(seen) == 2 * len(bodies))
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    assert subscriber.ledger.events == len(bodies)
    assert subscriber.ledger.missing() == {}
    assert [one.repeat for one in seen] == [False] * 3 + [True] * 3

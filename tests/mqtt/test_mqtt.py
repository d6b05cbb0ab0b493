"""The connection against a real broker: deliveries, refusals, acknowledgements, loss."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.broker_address import Version
from controller.broker_port import LOST, BrokerAway, Crowded, Plan, Received
from controller.messages import Outgoing
from controller.mqtt import WAITING_MESSAGES_MAX, Connection, connect
from tests.mqtt.mosquitto import Mosquitto, running, until

VERSIONS: tuple[Version, ...] = ("5", "3.1.1")


@contextlib.asynccontextmanager
async def joined(
    broker: Mosquitto, name: str = "one", version: Version = "5", **more: object
) -> AsyncIterator[tuple[Connection, list[Received]]]:
    heard: list[Received] = []
    plan = Plan(broker.address(version), name, **more)  # type: ignore[arg-type]
    async with connect(plan, heard.append) as connection:
        yield connection, heard


@pytest.mark.parametrize("version", VERSIONS)
async def test_five_hundred_publications_arrive_in_order_and_each_is_answered(
    broker: Mosquitto, version: Version
) -> None:
    async with joined(broker, "reader", version) as (reader, heard):
        assert await reader.subscribe(["t/#"]) == []
        async with joined(broker, "writer", version) as (writer, _):
            futures = [writer.publish(Outgoing("t/x", b"%d" % n)) for n in range(500)]
            answers = await asyncio.gather(*futures)
        assert all(answer.delivered for answer in answers)
        await until(lambda: len(heard) == 500)
    assert [int(one.payload) for one in heard] == list(range(500))


async def test_a_publication_that_the_broker_refuses_is_not_delivered(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text("topic readwrite open/#\n")
    async with (
        running(tmp_path, "allow_anonymous true", f"acl_file {acl}") as broker,
        joined(broker) as (one, _),
    ):
        assert (await one.publish(Outgoing("open/a", b"1"))).delivered
        answer = await one.publish(Outgoing("closed/a", b"1"))
    assert (answer.delivered, answer.refused, answer.code) == (False, True, 0x87)


async def test_a_refused_publication_cannot_be_told_under_3_1_1(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text("topic readwrite open/#\n")
    async with (
        running(tmp_path, "allow_anonymous true", f"acl_file {acl}") as broker,
        joined(broker, version="3.1.1") as (one, _),
    ):
        assert (await one.publish(Outgoing("closed/a", b"1"))).delivered


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_was_not_settled_comes_again_and_what_was_settled_does_not(
    broker: Mosquitto, version: Version
) -> None:
    kept = {"settles": True, "resume_s": 60}
    async with joined(broker, "table", version, **kept) as (table, heard):
        await table.subscribe(["c/+"])
        async with joined(broker, "writer", version) as (writer, _):
            for n in range(4):
                await writer.publish(Outgoing("c/x", b"%d" % n))
        await until(lambda: len(heard) == 4)
        table.settle(heard[0])
        table.settle(heard[1])
        await asyncio.sleep(0.1)
    async with joined(broker, "table", version, **kept) as (_, again):
        await until(lambda: len(again) == 2)
        await asyncio.sleep(0.1)
    assert [one.payload for one in again] == [b"2", b"3"]


async def test_the_retain_flag_of_a_live_message_is_seen_under_5(broker: Mosquitto) -> None:
    async with joined(broker, "table") as (table, heard):
        await table.subscribe(["c/+"])
        await table.publish(Outgoing("c/x", b"now", retain=True))
        await until(lambda: bool(heard))
    assert heard[0].retain


async def test_response_topic_and_correlation_travel_under_5(broker: Mosquitto) -> None:
    async with joined(broker, "table") as (table, heard):
        await table.subscribe(["c/+"])
        await table.publish(Outgoing("c/x", b"", response_topic="r/1", correlation=b"\x00\xff"))
        await until(lambda: bool(heard))
    assert (heard[0].response_topic, heard[0].correlation) == ("r/1", b"\x00\xff")


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_cut_connection_publishes_the_will_and_an_orderly_end_does_not(
    broker: Mosquitto, version: Version
) -> None:
    will = Outgoing("w", b"gone", retain=True)
    async with joined(broker, "reader", version) as (reader, heard):
        await reader.subscribe(["w"])
        async with joined(broker, "table", version, will=will):
            pass
        await asyncio.sleep(0.1)
        assert heard == []
        with contextlib.suppress(ZeroDivisionError):
            async with joined(broker, "table", version, will=will):
                raise ZeroDivisionError
        await until(lambda: [one.payload for one in heard] == [b"gone"])


async def test_a_killed_broker_ends_every_open_future(broker: Mosquitto) -> None:
    async with joined(broker) as (one, _):
        broker.freeze()
        futures = [one.publish(Outgoing("t", b"x")) for _ in range(100)]
        broker.kill()
        assert await asyncio.wait_for(one.lost(), 5) != ""
        one.end()
        answers = await asyncio.gather(*futures)
    assert {answer.code for answer in answers} == {LOST}


async def test_a_frozen_broker_is_noticed_within_two_keepalives_by_a_silent_table(
    broker: Mosquitto,
) -> None:
    keepalive_s = 3
    async with joined(broker, keepalive_s=keepalive_s) as (one, _):
        broker.freeze()
        begun = time.monotonic()
        await asyncio.wait_for(one.lost(), 10)
        taken = time.monotonic() - begun
    assert taken <= 2 * keepalive_s


async def test_the_waiting_room_has_a_wall(broker: Mosquitto) -> None:
    async with joined(broker) as (one, _):
        broker.freeze()
        for _ in range(one.flight_max + WAITING_MESSAGES_MAX):
            one.publish(Outgoing("t", b""))
        with pytest.raises(Crowded):
            one.publish(Outgoing("t", b""))
        broker.kill()


async def test_a_closed_port_is_a_broker_that_is_away(tmp_path: Path) -> None:
    with pytest.raises(BrokerAway):
        async with joined(Mosquitto(tmp_path)):
            pass


async def test_a_wrong_password_is_named_and_never_shown(tmp_path: Path) -> None:
    async with running(tmp_path, "allow_anonymous false") as broker:
        plan = Plan(broker.address(username="table", password="canary-71"), "x")
        with pytest.raises(BrokerAway) as caught:
            async with connect(plan, lambda _: None):
                pass
    assert "canary" not in str(caught.value) + repr(plan)
    assert "uthori" in str(caught.value)

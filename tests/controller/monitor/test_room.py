"""The monitor's two connections: what they need to stand, and what they do when they cannot."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path

import pytest

from controller.broker_port import BrokerAway
from controller.clock import SystemClock
from controller.messages import Outgoing
from controller.monitor.room import Room
from controller.monitor.speaker import PENDING_COMMANDS_MAX, Speaker
from controller.monitor.wall import Wall
from controller.mqtt import Connection
from tests.mqtt.mosquitto import Mosquitto, running
from tests.mqtt.rooms import listener

CLOCK = SystemClock()


async def test_a_room_without_a_broker_says_so(broker: Mosquitto) -> None:
    broker.stop()
    room = Room(broker.address(), "m", "tables", "*", CLOCK, Wall(), None)
    with pytest.raises(ExceptionGroup) as caught:
        await asyncio.wait_for(room.run(asyncio.Event()), 30)
    assert isinstance(caught.value.exceptions[0], BrokerAway)


async def test_one_who_may_not_read_his_answers_is_told_at_the_start(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    # mosquitto grants every subscription and then says nothing; other brokers refuse it.
    async def refused(self: Connection, filters: list[str], as_published: bool = True) -> list[str]:
        return filters

    monkeypatch.setattr(Connection, "subscribe", refused)
    speaker = Speaker(broker.address(), "s", "rivera", "tables", CLOCK)
    with pytest.raises(BrokerAway, match="does not let rivera read tables"):
        await asyncio.wait_for(speaker.run(random.Random(1), lambda: None), 30)


async def test_a_command_that_the_broker_refuses_is_not_sent(tmp_path: Path) -> None:
    acl = tmp_path / "acl"
    acl.write_text("topic read tables/#\n")
    async with running(tmp_path, "allow_anonymous true", f"acl_file {acl}") as strict:
        speaker = Speaker(strict.address(), "s", "rivera", "tables", CLOCK)
        ready = asyncio.Event()
        running_on = asyncio.create_task(speaker.run(random.Random(1), ready.set))
        await asyncio.wait_for(ready.wait(), 30)
        assert speaker.up
        answer = await speaker.acknowledge("t-1", "A1")
        assert answer["result"] == "unsent"
        assert "Not authorized" in str(answer["reason"])
        running_on.cancel()
        await asyncio.gather(running_on, return_exceptions=True)
        assert not speaker.up


async def test_only_the_table_s_own_answer_to_this_command_counts(broker: Mosquitto) -> None:
    speaker = Speaker(broker.address(), "s", "rivera", "tables", CLOCK)
    ready = asyncio.Event()
    speaking = asyncio.create_task(speaker.run(random.Random(1), ready.set))
    await asyncio.wait_for(ready.wait(), 30)
    async with listener(broker, "tables/+/commands/#") as (connection, heard):
        asked = asyncio.create_task(speaker.acknowledge("t-1", "A1"))
        async with asyncio.timeout(30):
            while not heard:
                await asyncio.sleep(0.01)
        assert heard[0].topic == "tables/t-1/commands/rivera/acknowledge"
        said = json.loads(heard[0].payload)
        assert said["alarm"] == "A1"
        right = {"id": said["id"], "result": "accepted", "sequences": [7]}
        for topic, answer in (
            ("tables/t-1/replies/rivera", b"["),
            ("tables/t-1/replies/rivera", b'{"id":"other","result":"refused"}'),
            ("tables/t-2/replies/rivera", json.dumps({**right, "result": "refused"}).encode()),
            ("tables/t-1/replies/rivera", json.dumps(right).encode()),
        ):
            await connection.publish(Outgoing(topic, answer))
        assert await asyncio.wait_for(asked, 30) == {
            "result": "accepted", "reason": "", "rule": "",
        }  # fmt: skip
    speaking.cancel()
    await asyncio.gather(speaking, return_exceptions=True)


async def test_commands_that_wait_are_bounded(broker: Mosquitto) -> None:
    speaker = Speaker(broker.address(), "s", "rivera", "tables", CLOCK, wait_s=1.0)
    ready = asyncio.Event()
    speaking = asyncio.create_task(speaker.run(random.Random(1), ready.set))
    await asyncio.wait_for(ready.wait(), 30)
    asks = [speaker.acknowledge("t-1", "A1") for _ in range(PENDING_COMMANDS_MAX + 1)]
    answers = await asyncio.gather(*asks)
    assert [one["result"] for one in answers].count("unsent") == 1
    assert [one["result"] for one in answers].count("unanswered") == PENDING_COMMANDS_MAX
    speaking.cancel()
    await asyncio.gather(speaking, return_exceptions=True)

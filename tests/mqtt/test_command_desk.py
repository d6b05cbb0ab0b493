"""Commands over a real broker: each gets one answer, none is dropped, none acts twice."""

from __future__ import annotations

import asyncio
import collections
import json

import pytest

from controller.broker_address import Version
from controller.broker_port import Received
from controller.command_desk import PENDING_COMMANDS_MAX
from controller.commands import ISSUED_MS_MAX
from controller.core.inputs import Malformed, OrderShuffle, Replay
from controller.core.stamp import stamp_of
from controller.journal.answer import Answer
from controller.messages import Outgoing
from controller.mqtt import Connection
from controller.replayer import WAITING_REPLAYS_MAX
from tests.mqtt.mosquitto import Mosquitto, until
from tests.mqtt.rooms import NOW_MS, TOPICS, MemoryJournal, Table, listener, serving, table_at

VERSIONS: tuple[Version, ...] = ("5", "3.1.1")
REPLIES = TOPICS.below("replies", "#")


def command(identifier: str, kind: str = "order_shuffle", **members: object) -> Outgoing:
    whole = {"reason": "wet"} if kind == "order_shuffle" else {}
    stamp = stamp_of(NOW_MS)
    payload = json.dumps({**whole, "id": identifier, "issued_at": stamp, **members}).encode()
    return Outgoing(TOPICS.below("commands", "floor-1", kind), payload)


def answers(heard: list[Received]) -> list[dict[str, object]]:
    return [json.loads(one.payload) for one in heard if "/replies/" in one.topic]


async def up(table: Table) -> None:
    await until(lambda: table.line.counters.up)


async def send(connection: Connection, *messages: Outgoing) -> None:
    for delivery in await asyncio.gather(*(connection.publish(one) for one in messages)):
        assert delivery.delivered


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_burst_of_two_hundred_commands_has_one_answer_each(
    broker: Mosquitto, version: Version
) -> None:
    table = table_at(broker, MemoryJournal(), version=version)
    async with serving(table), listener(broker, REPLIES, version=version) as (person, heard):
        await up(table)
        await send(person, *(command(f"c{n}") for n in range(200)))
        await until(lambda: len(heard) >= 200)
        await asyncio.sleep(0.1)
    counted = collections.Counter(str(one["id"]) for one in answers(heard))
    assert counted == {f"c{n}": 1 for n in range(200)}
    assert {one["result"] for one in answers(heard)} == {"accepted"}
    assert table.door.items[0:1] != []
    assert all(item == OrderShuffle("wet") for _, by, item in table.door.items if by == "floor-1")


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_command_whose_fate_is_not_durable_comes_again_to_the_next_life(
    broker: Mosquitto, version: Version
) -> None:
    table = table_at(broker, MemoryJournal(), version=version)
    table.door.hold = True
    async with listener(broker, REPLIES, version=version) as (person, heard):
        async with serving(table):
            await up(table)
            await send(person, command("c1"), command("c2"))
            await until(lambda: len(table.door.held) == 2)
            table.door.held[0](Answer("accepted", (7,)))
            await until(lambda: len(heard) == 1)
        second = table_at(broker, MemoryJournal(), version=version, boot=2)
        async with serving(second):
            await up(second)
            await until(lambda: len(heard) == 2)
    assert [one["id"] for one in answers(heard)] == ["c1", "c2"]
    assert second.door.ids == ["c2"]


async def test_the_same_id_is_told_the_same_and_acts_once(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal())
    stale = stamp_of(NOW_MS - ISSUED_MS_MAX - 1)
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await up(table)
        await send(person, command("c1"))
        await until(lambda: len(heard) == 1)
        await send(person, command("c1"), command("c1", issued_at=stale))
        await until(lambda: len(heard) == 3)
    assert answers(heard)[0] == answers(heard)[1] == answers(heard)[2]
    assert table.door.ids == ["c1"]


async def test_every_kind_of_wrong_command_is_refused_in_words_and_recorded(
    broker: Mosquitto,
) -> None:
    table = table_at(broker, MemoryJournal())
    topic = TOPICS.below("commands", "floor-1", "order_shuffle")
    wrong = [
        Outgoing(topic, b"[" * 1_000_000),
        Outgoing(topic, b"\xff\xfe"),
        Outgoing(topic, b"{"),
        command("r1", retain=True),
        Outgoing(topic, command("r2").payload, retain=True),
        command("r3", kind="explode"),
        command("r4", issued_at=stamp_of(NOW_MS - ISSUED_MS_MAX - 1)),
        Outgoing(TOPICS.below("commands", "deal-1", "order_shuffle"), command("r5").payload),
        Outgoing(TOPICS.below("commands", "nobody", "order_shuffle"), command("r6").payload),
    ]
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await up(table)
        await send(person, *wrong)
        await until(lambda: len(heard) == len(wrong))
        await send(person, command("good"))
        await until(lambda: len(heard) == len(wrong) + 1)
    told = answers(heard)
    assert [one["result"] for one in told] == ["refused"] * len(wrong) + ["accepted"]
    assert all(one["reason"] for one in told[:-1])
    recorded = [
        (source, by) for source, by, item in table.door.items if isinstance(item, Malformed)
    ]
    assert recorded[:3] == [("floorperson", "floor-1")] * 3
    assert recorded[-2:] == [("dealer", "deal-1"), ("unknown", "nobody")]


async def test_a_retained_command_is_refused_at_every_start(broker: Mosquitto) -> None:
    async with listener(broker, REPLIES) as (person, heard):
        await send(person, Outgoing(command("r").topic, command("r").payload, retain=True))
        for boot in range(1, 4):
            table = table_at(broker, MemoryJournal(), boot=boot)
            async with serving(table):
                await until(lambda: len(heard) == boot)  # noqa: B023  # awaited in the loop
            assert [type(item) for _, by, item in table.door.items if by] == [Malformed]
    assert {one["result"] for one in answers(heard)} == {"refused"}


async def test_beyond_the_bound_a_command_is_told_busy(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal(), version="3.1.1")
    table.door.hold = True
    desk_bound = PENDING_COMMANDS_MAX
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await up(table)
        table.line._parts.desk.pending = desk_bound
        await send(person, command("late"))
        await until(lambda: len(heard) == 1)
        table.line._parts.desk.pending = desk_bound - 1
        await send(person, command("last"))
        await until(lambda: len(table.door.held) == 1)
    assert answers(heard)[0]["result"] == "busy"


async def test_a_response_topic_of_ones_own_is_used_and_correlation_comes_back(
    broker: Mosquitto,
) -> None:
    table = table_at(broker, MemoryJournal())
    own = TOPICS.below("replies", "floor-1", "pad-3")
    sent = command("c1")
    async with serving(table), listener(broker, "#") as (person, heard):
        await up(table)
        for asked in (own, TOPICS.status, "elsewhere"):
            message = Outgoing(
                sent.topic, command(asked).payload, response_topic=asked, correlation=b"\x07"
            )
            await send(person, message)
        await until(lambda: len(answers(heard)) == 3)
    replies = [one for one in heard if "/replies/" in one.topic]
    assert [one.topic for one in replies] == [own, *[TOPICS.below("replies", "floor-1")] * 2]
    assert {one.correlation for one in replies} == {b"\x07"}
    assert not [one for one in heard if one.topic == "elsewhere"]


async def test_an_answer_that_a_broker_finds_too_large_does_not_cut_the_table_off(
    broker: Mosquitto,
) -> None:
    """A broker hands an unanswered command over again: one poisonous one would never end."""
    broker.stop()
    broker.lines = ("allow_anonymous true", "max_packet_size 40000")
    broker.start()
    table = table_at(broker, MemoryJournal())
    topic = command("x").topic
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await up(table)
        # Without a payload the answer, with its reason, is larger than the command.
        await send(person, Outgoing(topic, b"", correlation=b"z" * 39_900), command("c2"))
        await until(lambda: len(heard) == 2)
        assert table.line.counters.sessions == 1
    assert [(one.get("id"), one["result"]) for one in answers(heard)] == [
        (None, "refused"),
        ("c2", "accepted"),
    ]


async def test_a_topic_is_logged_without_what_steers_a_terminal(
    broker: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    table = table_at(broker, MemoryJournal())
    topic = TOPICS.below("commands", "floor-1", "x\u202ey")
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await up(table)
        await send(person, Outgoing(topic, b"{}"))
        await until(lambda: len(heard) == 1)
    assert "x\\u202ey" in caplog.text
    assert "\u202e" not in caplog.text


async def test_a_replay_publishes_the_asked_events_once_more(broker: Mosquitto) -> None:
    journal = MemoryJournal()
    journal.add(120)
    journal.cursors["broker"] = 120
    table = table_at(broker, journal)
    topic = TOPICS.below("replay", "eye-1")
    async with serving(table), listener(broker, topic, REPLIES) as (eye, heard):
        await up(table)
        asked = Outgoing(
            TOPICS.below("commands", "eye-1", "replay"),
            command("p1", kind="replay", first=11, last=100).payload,
        )
        await send(eye, asked)
        await until(lambda: sum(one.topic == topic for one in heard) == 90)
        await asyncio.sleep(0.3)
    again = [one.payload for one in heard if one.topic == topic]
    assert again == [event.body for event in journal.events[10:100]]
    assert [item for _, by, item in table.door.items if by] == [Replay(11, 100)]


async def test_one_replay_too_many_is_told_busy(broker: Mosquitto) -> None:
    journal = MemoryJournal()
    journal.add(400)
    journal.cursors["broker"] = 400
    table = table_at(broker, journal)
    async with serving(table), listener(broker, REPLIES) as (eye, heard):
        await up(table)
        where = TOPICS.below("commands", "eye-1", "replay")
        for n in range(WAITING_REPLAYS_MAX + 1):
            message = command(f"p{n}", kind="replay", first=1)
            await send(eye, Outgoing(where, message.payload))
            await until(lambda: len(heard) == n + 1)  # noqa: B023  # awaited in the loop
    results = [one["result"] for one in answers(heard)]
    assert results == ["accepted"] * WAITING_REPLAYS_MAX + ["busy"]

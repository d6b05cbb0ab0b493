"""The table's line against a real broker: birth and will, outages, refusals, levels."""

from __future__ import annotations

import asyncio
import functools
import gc
import itertools
import json
import time
from pathlib import Path

import pytest

from controller import broker_line
from controller.broker_address import Version
from controller.broker_port import Received
from controller.core.inputs import Broker, LevelCorrected, PublishRefused
from controller.core.outputs import Outputs
from controller.messages import Outgoing
from controller.mqtt import FLIGHT_MESSAGES_MAX
from tests.mqtt.mosquitto import Mosquitto, Wire, running, until
from tests.mqtt.rooms import TOPICS, MemoryJournal, Table, listener, serving, table_at

VERSIONS: tuple[Version, ...] = ("5", "3.1.1")
EVENTS = TOPICS.below("events", "#")


def sequences(heard: list[Received]) -> list[int]:
    return [int(json.loads(one.payload)["sequence"]) for one in heard]


def status(heard: list[Received]) -> list[tuple[str, str]]:
    values = [json.loads(one.payload) for one in heard if one.topic == TOPICS.status]
    return [(value["status"], value["reason"]) for value in values]


def reached(heard: list[Received], sequence: int) -> bool:
    return bool(heard) and sequences(heard[-1:])[0] >= sequence


async def up(table: Table) -> None:
    await until(lambda: table.line.counters.up)


@pytest.mark.parametrize("version", VERSIONS)
async def test_events_arrive_once_in_order_with_the_journals_own_bytes(
    broker: Mosquitto, version: Version
) -> None:
    table = table_at(broker, MemoryJournal(), version=version)
    async with listener(broker, EVENTS, version=version) as (_, heard), serving(table):
        await up(table)
        for _ in range(300):
            table.commit(2)
            await asyncio.sleep(0)
        await until(lambda: len(heard) >= 600)
    assert sequences(heard) == list(range(1, 601))
    assert [one.payload for one in heard] == [event.body for event in table.journal.events]
    assert {one.topic for one in heard} == {TOPICS.below("events", "round", "dealt")}


async def test_a_table_whose_broker_is_down_at_the_start_delivers_all_once_in_order_later(
    tmp_path: Path,
) -> None:
    broker = Mosquitto(tmp_path)
    table = table_at(broker, MemoryJournal())
    async with serving(table):
        table.commit(700)
        await until(lambda: table.door.facts(Broker) == [Broker(False)])
        broker.start()
        async with listener(broker, EVENTS) as (_, heard):
            await until(lambda: len(heard) >= 700, 10)
            await asyncio.sleep(0.05)
    broker.stop()
    assert sequences(heard) == list(range(1, 701))
    assert table.door.facts(Broker) == [Broker(False), Broker(True)]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_link_that_is_cut_again_and_again_loses_nothing_and_keeps_the_order(
    broker: Mosquitto, version: Version
) -> None:
    wire = Wire(broker)
    table = table_at(broker, MemoryJournal(), version=version, port=wire.port)
    ear = listener(broker, EVENTS, version=version)
    async with wire.laid(), ear as (_, heard), serving(table):
        for target in (20, 320):
            await up(table)
            table.commit(250)
            await until(functools.partial(reached, heard, target))
            wire.cut()
            await until(lambda: not table.line.counters.up)
            table.commit(50)
        await until(functools.partial(reached, heard, 600), 10)
    got = sequences(heard)
    assert list(dict.fromkeys(got)) == list(range(1, 601))
    assert len(got) - 600 <= 2 * FLIGHT_MESSAGES_MAX


async def test_the_cursor_is_saved_and_a_new_life_goes_on_after_it(broker: Mosquitto) -> None:
    journal = MemoryJournal()
    table = table_at(broker, journal)
    async with serving(table):
        await up(table)
        table.commit(50)
        await until(lambda: journal.cursors.get("broker") == 50)
    second = table_at(broker, journal, boot=2)
    async with listener(broker, EVENTS) as (_, heard), serving(second):
        await up(second)
        second.commit(1)
        await until(lambda: bool(heard))
    assert sequences(heard) == [51]


async def test_a_refused_event_stays_is_told_once_and_goes_out_when_the_acl_is_mended(
    tmp_path: Path,
) -> None:
    acl = tmp_path / "acl"
    acl.write_text("topic readwrite tables/T1/status\ntopic read #\n")
    async with running(tmp_path, "allow_anonymous true", f"acl_file {acl}") as broker:
        table = table_at(broker, MemoryJournal())
        async with listener(broker, EVENTS) as (_, heard), serving(table):
            await up(table)
            table.commit(30)
            await until(lambda: len(table.door.facts(PublishRefused)) == 1)
            await asyncio.sleep(1.2)
            assert heard == []
            acl.write_text("topic readwrite #\n")
            broker.reload()
            await until(lambda: len(heard) >= 30, 8)
            assert sequences(heard) == list(range(1, 31))
            assert len(table.door.facts(PublishRefused)) == 1


@pytest.mark.parametrize("version", VERSIONS)
async def test_three_ends_are_told_apart(broker: Mosquitto, version: Version) -> None:
    async with listener(broker, TOPICS.status, version=version) as (_, heard):
        table = table_at(broker, MemoryJournal(), version=version)
        async with serving(table):
            await up(table)
            await table.line.stop()
        await asyncio.sleep(0.1)
        assert status(heard) == [("online", "running"), ("offline", "stopped")]
        table = table_at(broker, MemoryJournal(), version=version)
        async with serving(table):
            await up(table)
        await until(lambda: status(heard)[-1] == ("offline", "lost"))
    async with listener(broker, TOPICS.status, name="late", version=version) as (_, late):
        await until(lambda: bool(late))
    assert late[0].retain
    assert status(late) == [("offline", "lost")]


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_second_life_with_a_half_open_first_one_ends_online(
    broker: Mosquitto, version: Version
) -> None:
    first = table_at(broker, MemoryJournal(), version=version, boot=1)
    second = table_at(broker, MemoryJournal(), version=version, boot=2)
    async with serving(first) as old:
        await up(first)
        # Its socket stays open at the broker, as after a power cut.
        task = asyncio.create_task(second.line.run())
        await up(second)
        old.cancel()
        await asyncio.sleep(0.3)
        async with listener(broker, TOPICS.status, version=version) as (_, heard):
            await until(lambda: bool(heard))
            await asyncio.sleep(1.2)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    last = json.loads(heard[-1].payload)
    assert (last["status"], last["boot"]) == ("online", 2)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_forged_status_is_put_right_within_two_seconds(
    broker: Mosquitto, version: Version
) -> None:
    table = table_at(broker, MemoryJournal(), version=version)
    async with serving(table), listener(broker, TOPICS.status, version=version) as (ear, heard):
        await up(table)
        await ear.publish(Outgoing(TOPICS.status, b'{"status":"offline"}', retain=True))
        begun = time.monotonic()
        await until(lambda: b"offline" in heard[-1].payload)
        await until(lambda: b'"online"' in heard[-1].payload)
        assert time.monotonic() - begun < 2
    assert table.door.facts(LevelCorrected) == [LevelCorrected("status", "forged", 1)]


async def test_levels_are_told_again_after_an_outage_and_stale_alarms_are_cleared(
    broker: Mosquitto,
) -> None:
    async with listener(broker) as (ear, _):
        await ear.publish(Outgoing(TOPICS.below("alarms", "A1"), b"{}", retain=True))
        await ear.publish(Outgoing(TOPICS.below("devices", "gone"), b"{}", retain=True))
    table = table_at(broker, MemoryJournal())
    outputs = Outputs(alarms={"A2": {"severity": 4}}, devices={"shoe": {"link": True}})
    async with serving(table):
        await up(table)
        table.commit(1, outputs)
        await asyncio.sleep(0.2)
        assert await retained(broker) == {"alarms/A2", "devices/shoe", "prompt", "state", "status"}
        table.commit(1, Outputs(devices={"shoe": {"link": True}}))
        await asyncio.sleep(0.2)
        assert await retained(broker) == {"devices/shoe", "prompt", "state", "status"}
        broker.kill()
        await until(lambda: not table.line.counters.up)
        broker.start()
        await until(lambda: table.line.counters.up, 8)
        await asyncio.sleep(0.2)
        assert await retained(broker) == {"devices/shoe", "prompt", "state", "status"}


async def retained(broker: Mosquitto) -> set[str]:
    async with listener(broker, TOPICS.below("#"), name="late") as (_, heard):
        await asyncio.sleep(0.15)
    kept = {one.topic.removeprefix(TOPICS.below("")) for one in heard if one.retain}
    return kept - {"health"}


async def test_a_burst_of_turns_shows_its_last_level(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal())
    async with serving(table), listener(broker, TOPICS.below("state")) as (_, heard):
        await up(table)
        for n in range(200):
            table.commit(1, Outputs(table={"round": n}))
        await until(lambda: bool(heard) and json.loads(heard[-1].payload)["round"] == 199)
    assert len(heard) <= 3


async def test_a_broker_that_accepts_and_kicks_is_not_stormed() -> None:
    """Faults M03: the wait grows although every connection is accepted; jitter, no period."""
    moments: list[float] = []

    async def kick(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        moments.append(time.monotonic())
        await reader.read(64)
        writer.write(bytes((0x20, 0x03, 0x00, 0x00, 0x00)))
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(kick, "127.0.0.1", 0)
    broker = Mosquitto(Path())
    broker.port = server.sockets[0].getsockname()[1]
    table = table_at(broker, MemoryJournal())
    async with server, serving(table):
        await asyncio.sleep(7)
    gaps = [after - before for before, after in itertools.pairwise(moments)]
    assert 3 <= len(moments) <= 5
    assert gaps == sorted(gaps)
    assert table.door.facts(Broker) == [Broker(False)]


@pytest.mark.parametrize("closes", [True, False])
async def test_a_broker_that_never_answers_the_birth_is_left_and_tried_again(
    closes: bool, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It died, or hangs, between its CONNACK and its PUBACK: nobody waits for the loss yet."""
    if not closes:
        monkeypatch.setattr(broker_line, "UNANSWERED_S_MAX", 0.3)
    visits = 0

    async def greet_and_leave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal visits
        visits += 1
        await reader.read(4096)
        writer.write(b"\x20\x03\x00\x00\x00")
        await reader.read(4096)
        if not closes:
            await reader.read()
        writer.close()

    server = await asyncio.start_server(greet_and_leave, "127.0.0.1", 0)
    broker = Mosquitto(Path())
    broker.port = server.sockets[0].getsockname()[1]
    async with server, serving(table_at(broker, MemoryJournal())):
        await until(lambda: visits >= 2, 10)
    gc.collect()
    assert "never retrieved" not in caplog.text

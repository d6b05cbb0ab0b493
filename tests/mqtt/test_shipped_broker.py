"""The shipped mosquitto configuration and ACL by passwords; by certificates: test_site.py."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.broker_port import BrokerAway, Plan
from controller.core.events import Event
from controller.core.outputs import Outputs
from controller.journal.tables import STORE
from controller.messages import Outgoing
from controller.mqtt import connect
from tests.mqtt.mosquitto import Mosquitto, program, until
from tests.mqtt.recording import recording
from tests.mqtt.rooms import TOPICS, MemoryJournal, listener, serving, table_at
from tests.mqtt.site import lines_without_certificates
from tests.mqtt.test_command_desk import command
from tests.mqtt.test_onvif import IRREGULARITY

USERS = ("T1", "T2", "floor-1", "eye-1", "surveillance", "pit", "video")


def shipped_lines(home: Path) -> list[str]:
    """The shipped file with this machine's paths and the change of its comment for passwords."""
    # Debian's own mosquitto.conf, which includes ours, has these two; the second may stand once.
    debian = ["persistence true", f"persistence_location {home}/"]
    return [*debian, *lines_without_certificates(home), f"password_file {home / 'passwd'}"]


@pytest.fixture
def by_password(tmp_path: Path) -> Iterator[Mosquitto]:
    passwords = tmp_path / "passwd"
    passwords.touch()
    for user in USERS:
        subprocess.run(
            [program("mosquitto_passwd"), "-b", str(passwords), user, "secret"], check=True
        )
    with Mosquitto(tmp_path, *shipped_lines(tmp_path)).running() as broker:
        yield broker


async def test_table_person_and_surveillance_do_their_work(by_password: Mosquitto) -> None:
    table = table_at(by_password, MemoryJournal(), username="T1")
    person = listener(by_password, TOPICS.below("replies", "floor-1"), username="floor-1")
    room = listener(by_password, "tables/+/events/#", username="surveillance", name="room")
    async with serving(table), person as (hand, told), room as (_, seen):
        await until(lambda: table.line.counters.up)
        assert table.line.counters.filters_refused == 0
        table.commit(150, Outputs(alarms={"A1": {}}, devices={"shoe": {}}))
        await until(lambda: len(seen) == 150)
        assert (await hand.publish(command("c1"))).delivered
        await until(lambda: len(told) == 1)
        assert table.line._parts.levels.refused == 0
        await table.line.stop()


async def test_the_rooms_recorder_does_its_work(by_password: Mosquitto, tmp_path: Path) -> None:
    table = table_at(by_password, MemoryJournal(), username="T1", recorder="surveillance")
    address = by_password.address("5", "surveillance", "secret")
    topics = ("recorders/+/status", "recorders/+/alarms/+")
    pit = listener(by_password, *topics, username="pit", name="pit")
    store = tmp_path / "room.sqlite"
    async with recording(address, store, principal="surveillance"), pit as (_, shown):
        async with serving(table):
            await until(lambda: table.line.counters.up)
            table.commit(50)
            await until(lambda: table.journal.cursors.get(STORE) == 50, 20)
        await until(lambda: any("/alarms/" in one.topic for one in shown), 20)


@pytest.mark.parametrize(
    ("user", "topic"),
    [
        ("floor-1", "tables/T1/commands/eye-1/annotate"),
        ("floor-1", "tables/T1/commands/floor-10/open"),
        ("floor-1", "tables/T1/events/round/dealt"),
        ("floor-1", "tables/T1/status"),
        ("floor-1", "tables/T1/replies/floor-1"),
        ("T2", "tables/T1/status"),
        ("T2", "tables/T1/events/round/dealt"),
        ("T1", "tables/T1/commands/floor-1/open"),
        ("surveillance", "tables/T1/state"),
        ("pit", "elsewhere"),
        ("pit", "recorders/surveillance/status"),
    ],
)
async def test_nobody_writes_where_he_should_not(
    by_password: Mosquitto, user: str, topic: str
) -> None:
    async with listener(by_password, username=user) as (one, _):
        assert (await one.publish(Outgoing(topic, b"x"))).refused


async def test_nobody_reads_another_ones_answers(by_password: Mosquitto) -> None:
    topic = TOPICS.below("replies", "floor-1")
    other = listener(by_password, topic, "tables/+/replies/#", username="eye-1", name="other")
    own = listener(by_password, topic, username="floor-1")
    async with other as (_, overheard), own as (_, heard):
        async with listener(by_password, username="T1", name="t") as (table, _):
            assert (await table.publish(Outgoing(topic, b"x"))).delivered
        await until(lambda: len(heard) == 1)
        await asyncio.sleep(0.05)
    assert overheard == []


async def test_a_video_system_hears_alarms_and_irregularities_and_nothing_else(
    by_password: Mosquitto,
) -> None:
    table = table_at(by_password, MemoryJournal(), username="T1", onvif=True)
    everything = ("tables/#", "recorders/#")
    async with listener(by_password, *everything, username="video") as (one, heard), serving(table):
        await until(lambda: table.line.counters.up)
        table.commit(20, Outputs(alarms={"A1": {}}))
        table.say(Event("irregularity.raised", IRREGULARITY))
        await until(lambda: len(heard) == 1)
        assert heard[0].topic.startswith("tables/T1/onvif-ej/")
        assert (await one.publish(Outgoing(heard[0].topic, b"x"))).refused


async def test_a_stranger_does_not_come_in(by_password: Mosquitto) -> None:
    plan = Plan(by_password.address(), "stranger")
    with pytest.raises(BrokerAway):
        async with connect(plan, lambda _: None):
            pass

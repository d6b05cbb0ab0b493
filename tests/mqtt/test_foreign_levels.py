"""Who else speaks on a table's topics is put right within 2 s and told; the table itself never."""

from __future__ import annotations

import asyncio
import json
import time

import pytest

from controller import broker_line, corrections
from controller.broker_address import Version
from controller.broker_port import Received
from controller.core.inputs import LevelCorrected
from controller.core.outputs import Outputs
from controller.corrections import BURST_CORRECTIONS_MAX
from controller.messages import Birth, Outgoing, status_message
from controller.mqtt import Connection
from tests.mqtt.mosquitto import Mosquitto, Wire, until
from tests.mqtt.rooms import TOPICS, MemoryJournal, Table, listener, serving, table_at
from tests.mqtt.test_broker_line import VERSIONS

OUTPUTS = Outputs(
    table={"round": 7}, prompt={"step": "deal"}, alarms={"A1": {"severity": 4}},
    devices={"shoe": {"link": "up"}},
)  # fmt: skip
KNOWN = ("state", "prompt", "health", "status", "alarms/A1", "devices/shoe")
UNKNOWN = ("locks", "alarms/Z1", "alarms/Z1/deep", "devices/ghost")
RIGHT_S_MAX = 2.0


def corrected(table: Table) -> list[tuple[str, str]]:
    return sorted((one.topic, one.cause) for one in table.door.facts(LevelCorrected))


def shown(heard: list[Received]) -> dict[str, bytes]:
    """What a subscriber believes: the last payload of each topic, without the cleared ones."""
    last = {one.topic.removeprefix(TOPICS.below("")): one.payload for one in heard}
    return {topic: payload for topic, payload in last.items() if payload}


async def at_rest(table: Table, heard: list[Received], outputs: Outputs = OUTPUTS) -> None:
    """Up, all levels told and heard."""
    await until(lambda: table.line.counters.up)
    table.commit(1, outputs)
    await until(lambda: set(KNOWN) <= set(shown(heard)))
    await asyncio.sleep(0.1)


async def say(person: Connection, *messages: Outgoing) -> None:
    await asyncio.gather(*(person.publish(message) for message in messages))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("payload", [b'{"forged":1}', b""])
async def test_every_level_that_somebody_forges_or_clears_is_right_again_within_two_seconds(
    broker: Mosquitto, version: Version, payload: bytes
) -> None:
    table = table_at(broker, MemoryJournal(), version=version)
    async with (
        listener(broker, TOPICS.below("#"), version=version) as (person, heard),
        serving(table),
    ):
        await at_rest(table, heard)
        truth = shown(heard)
        forged = KNOWN if not payload else (*KNOWN, *UNKNOWN)
        await say(person, *(Outgoing(TOPICS.below(one), payload, retain=True) for one in forged))
        begun = time.monotonic()
        await until(lambda: shown(heard) != truth)
        await until(lambda: shown(heard) == truth)
        took_s = time.monotonic() - begun
        await until(lambda: sum(times(table)) == len(forged), 70)
        named = [one for one in corrected(table) if one != ("several", "forged")]
        assert {one for one, _ in named} <= set(forged)
        assert len(named) >= min(len(forged), BURST_CORRECTIONS_MAX)
    assert took_s < RIGHT_S_MAX


def times(table: Table) -> list[int]:
    return [one.times for one in table.door.facts(LevelCorrected)]


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corrections, "TELL_S", 0.5)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_late_will_is_put_right_and_known_as_late(
    broker: Mosquitto, version: Version
) -> None:
    """Faults M05: of another client id, so that no broker can order it before the birth."""
    table = table_at(broker, MemoryJournal(), version=version, boot=3)
    async with (
        listener(broker, TOPICS.below("#"), version=version) as (person, heard),
        serving(table),
    ):
        await at_rest(table, heard)
        truth = shown(heard)
        for boot, session in ((2, 9), (3, 1)):
            will = status_message(TOPICS, Birth("T1", "j", boot, "1", "d", "p"), session, "lost")
            await say(person, will)
            await until(lambda: shown(heard) != truth)
            await until(lambda: shown(heard) == truth)
    assert corrected(table) == [("status", "stale"), ("status", "stale")]


@pytest.mark.parametrize("version", VERSIONS)
async def test_what_is_left_of_things_that_are_gone_is_cleared_and_told(
    broker: Mosquitto, version: Version
) -> None:
    left = ("locks", "alarms/A0", "devices/ghost")
    async with listener(broker, TOPICS.below("#"), version=version) as (person, heard):
        for one in (*left, "state", "prompt"):
            await say(person, Outgoing(TOPICS.below(one), b"{}", retain=True))
        table = table_at(broker, MemoryJournal(), version=version)
        # As a daemon does: what is true is known before the line comes up.
        table.commit(1, OUTPUTS)
        async with serving(table):
            await at_rest(table, heard)
            await until(lambda: not set(left) & set(shown(heard)))
    assert corrected(table) == sorted((one, "left_over") for one in left)


@pytest.mark.parametrize("version", VERSIONS)
async def test_a_table_never_takes_itself_for_a_stranger(
    broker: Mosquitto, version: Version
) -> None:
    """Through a burst of turns, alarms that come and go, cuts, a restart of broker and table."""
    wire, journal = Wire(broker), MemoryJournal()
    async with wire.laid():
        for boot in (1, 2):
            table = table_at(broker, journal, version=version, port=wire.port, boot=boot)
            async with serving(table):
                for cut in range(2):
                    await until(lambda: table.line.counters.up, 10)  # noqa: B023 - awaited here
                    for n in range(100):
                        alarms = {} if n % 3 else {f"A{n}": {"severity": 3}}
                        table.commit(1, Outputs(table={"round": n}, alarms=alarms))
                        await asyncio.sleep(0.003)
                    if cut == 0 and boot == 1:
                        broker.kill()
                        await until(lambda: not table.line.counters.up)  # noqa: B023 - awaited here
                        broker.start()
                    wire.cut()
                    await until(lambda: not table.line.counters.up)  # noqa: B023 - awaited here
            assert [one for one in corrected(table) if one[1] != "left_over"] == []


async def test_a_flood_of_forged_levels_leaves_a_bounded_trace_and_the_truth(
    broker: Mosquitto,
) -> None:
    # Fewer than a broker keeps for one client: what it drops nobody can count.
    table, count = table_at(broker, MemoryJournal()), 900
    async with listener(broker, TOPICS.below("#")) as (person, heard), serving(table):
        await at_rest(table, heard)
        truth = shown(heard)
        for first in range(0, count, 100):
            many = (
                Outgoing(TOPICS.status, json.dumps({"n": first + n}).encode(), retain=True)
                for n in range(100)
            )
            await say(person, *many)
        await until(lambda: sum(times(table)) == count, 30)
        await until(lambda: shown(heard) == truth, 30)
    # One by one, then two a second here (one a minute at a table), however long the flood took.
    assert len(times(table)) < BURST_CORRECTIONS_MAX + 100
    assert set(corrected(table)) == {("status", "forged")}


async def test_a_farewell_is_not_put_right(broker: Mosquitto) -> None:
    table = table_at(broker, MemoryJournal())
    async with listener(broker, TOPICS.below("#")) as (_, heard), serving(table):
        await at_rest(table, heard)
        await table.line.stop()
        await until(lambda: b'"stopped"' in shown(heard)["status"])
        await asyncio.sleep(broker_line.FAREWELL_S_MAX)
        assert b'"stopped"' in shown(heard)["status"]
    assert corrected(table) == []

"""The room's copy against real brokers: complete at the end, whatever happened on the way."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from controller.broker_address import Version
from controller.core.inputs import Replay
from controller.core.outputs import Outputs
from controller.journal.tables import STORE
from controller.recorder import inquiries
from tests.mqtt.mosquitto import Mosquitto, Wire, running, until
from tests.mqtt.recording import bodies, held, recording
from tests.mqtt.rooms import MemoryJournal, listener, serving, table_at

LONG_S = 40.0


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Minutes of an outage become seconds; what decides stays as it is."""
    monkeypatch.setattr("controller.broker_line.HEALTH_S", 1)
    monkeypatch.setattr("controller.backoff.MOST_S", 1.0)
    monkeypatch.setattr("controller.recorder.recorder.LOOK_S", 0.1)
    monkeypatch.setattr(inquiries, "STILL_S", 0.5)
    monkeypatch.setattr(inquiries, "ANSWER_S", 1.0)


@pytest.mark.parametrize("version", ["5", "3.1.1"])
async def test_what_a_table_publishes_is_kept_and_confirmed(
    broker: Mosquitto, tmp_path: Path, version: Version
) -> None:
    journal, store = MemoryJournal(), tmp_path / "room.sqlite"
    table = table_at(broker, journal, recorder="eye-1", version=version)
    async with recording(broker.address(version), store) as room, serving(table):
        await until(lambda: table.line.counters.up)
        table.commit(300)
        await until(lambda: journal.cursors.get(STORE) == 300, LONG_S)
        assert room.kinds == []
    assert held(store) == bodies(journal.events)


async def test_a_recorder_that_comes_late_asks_for_the_beginning(
    broker: Mosquitto, tmp_path: Path
) -> None:
    journal, store = MemoryJournal(), tmp_path / "room.sqlite"
    table = table_at(broker, journal, recorder="eye-1")
    async with serving(table):
        await until(lambda: table.line.counters.up)
        table.commit(120)
        await until(lambda: table.line._parts.outboxes[0].depth == 0)
        async with recording(broker.address(), store) as room:
            # Nothing more happens at the table: its health alone tells what the room lacks.
            await until(lambda: journal.cursors.get(STORE) == 120, LONG_S)
            assert room.kinds == []
    assert held(store) == bodies(journal.events)


async def test_messages_that_the_broker_dropped_silently_are_asked_for(tmp_path: Path) -> None:
    """Faults M12: a queue of ten for a recorder that was cut off."""
    broker = Mosquitto(tmp_path, "allow_anonymous true", "max_queued_messages 10")
    broker.start()
    journal, store, wire = MemoryJournal(), tmp_path / "room.sqlite", Wire(broker)
    table = table_at(broker, journal, recorder="eye-1")
    try:
        async with wire.laid():
            address = dataclasses.replace(broker.address(), port=wire.port)
            async with recording(address, store) as room, serving(table):
                await until(lambda: table.line.counters.up)
                table.commit(20)
                await until(lambda: room.reached() == 20, LONG_S)
                wire.cut()
                table.commit(300)
                await until(lambda: table.line._parts.outboxes[0].depth == 0, LONG_S)
                await until(lambda: journal.cursors.get(STORE) == 320, LONG_S)
                assert not {"fork", "broken_chain", "lost"} & set(room.kinds)
                assert table.door.facts(Replay), "nothing was dropped: the test proves nothing"
    finally:
        broker.stop()
    assert held(store) == bodies(journal.events)


async def test_a_broker_that_lost_its_own_store_is_made_good(tmp_path: Path) -> None:
    """Acknowledged to the table, then gone with the broker's files: parts.md on mosquitto."""
    lines = ("allow_anonymous true", "persistence true", f"persistence_location {tmp_path}/")
    broker = Mosquitto(tmp_path, *lines)
    broker.start()
    journal, store, wire = MemoryJournal(), tmp_path / "room.sqlite", Wire(broker)
    table = table_at(broker, journal, recorder="eye-1")
    try:
        async with wire.laid():
            address = dataclasses.replace(broker.address(), port=wire.port)
            async with recording(address, store) as room, serving(table):
                await until(lambda: table.line.counters.up)
                table.commit(20)
                await until(lambda: room.reached() == 20, LONG_S)
                wire.cut()
                table.commit(200)
                await until(lambda: table.line._parts.outboxes[0].depth == 0, LONG_S)
                broker.kill()
                (tmp_path / "mosquitto.db").unlink(missing_ok=True)
                broker.start()
                await until(lambda: journal.cursors.get(STORE) == 220, LONG_S)
                assert table.door.facts(Replay), "nothing was lost: the test proves nothing"
    finally:
        broker.stop()
    assert held(store) == bodies(journal.events)


async def test_an_edge_broker_killed_while_its_hub_is_down_loses_nothing(tmp_path: Path) -> None:
    homes = [tmp_path / name for name in ("hub", "edge")]
    for home in homes:
        home.mkdir()
    hub = Mosquitto(homes[0], "allow_anonymous true")
    edge = Mosquitto(
        homes[1], "allow_anonymous true", "connection hub", f"address 127.0.0.1:{hub.port}",
        "restart_timeout 1", "bridge_protocol_version mqttv50", "cleansession false",
        "topic tables/+/events/# out 1", "topic tables/+/status out 1",
        "topic tables/+/health out 1", "topic tables/+/replies/# out 1",
        "topic tables/+/replay/# out 1", "topic tables/+/commands/# in 1",
    )  # fmt: skip
    journal, store = MemoryJournal(), tmp_path / "room.sqlite"
    table = table_at(edge, journal, recorder="eye-1")
    hub.start()
    edge.start()
    try:
        async with recording(hub.address(), store) as room, serving(table):
            await until(lambda: table.line.counters.up, LONG_S)
            table.commit(20)
            await until(lambda: room.reached() == 20, LONG_S)
            hub.kill()
            table.commit(500)
            await until(lambda: table.line._parts.outboxes[0].depth == 0, LONG_S)
            edge.kill()
            hub.start()
            edge.start()
            await until(lambda: journal.cursors.get(STORE) == 520, LONG_S)
            assert table.door.facts(Replay), "nothing was lost: the test proves nothing"
    finally:
        edge.stop()
        hub.stop()
    assert held(store) == bodies(journal.events)


async def test_restarts_of_all_three_and_a_cut_leave_one_whole_record(
    broker: Mosquitto, tmp_path: Path
) -> None:
    journal, store, wire = MemoryJournal(), tmp_path / "room.sqlite", Wire(broker)
    async with wire.laid():
        async with recording(broker.address(), store) as room:
            first = table_at(broker, journal, recorder="eye-1", port=wire.port)
            async with serving(first):
                await until(lambda: first.line.counters.up)
                first.commit(100)
                await until(lambda: room.reached() >= 10, LONG_S)
                wire.cut()
                first.commit(100)
            second = table_at(broker, journal, recorder="eye-1", port=wire.port, boot=2)
            async with serving(second):
                broker.stop()
                second.commit(50)
                broker.start()
                await until(lambda: room.reached() == 250, LONG_S)
        second = table_at(broker, journal, recorder="eye-1", port=wire.port, boot=3)
        async with serving(second):
            await until(lambda: second.line.counters.up, LONG_S)
            second.commit(50)
            async with recording(broker.address(), store) as room:
                await until(lambda: journal.cursors.get(STORE) == 300, LONG_S)
                assert room.kinds == []
    assert held(store) == bodies(journal.events)


async def test_a_second_history_is_an_alarm_and_the_first_stays_the_witness(
    broker: Mosquitto, tmp_path: Path
) -> None:
    first, other, store = MemoryJournal(), MemoryJournal(), tmp_path / "room.sqlite"
    first.add(10)
    other.add(3)
    other.chain = dataclasses.replace(other.chain, prevhash="7" * 64)
    other.add(7)
    table = table_at(broker, first)
    async with recording(broker.address(), store) as room:
        async with serving(table):
            await until(lambda: room.reached() == 10, LONG_S)
            # Its word reached the table, so nothing is on its way any more.
            await until(lambda: first.cursors.get(STORE) == 10, LONG_S)
        other.cursors.clear()
        forged = table_at(broker, other, boot=2)
        async with serving(forged):
            await until(lambda: "fork" in room.kinds or "differs" in room.kinds, LONG_S)
        assert room.reached() == 10
    assert held(store) == bodies(first.events)


async def test_a_journal_that_was_put_back_is_noticed_by_both(
    broker: Mosquitto, tmp_path: Path
) -> None:
    journal, store = MemoryJournal(), tmp_path / "room.sqlite"
    table = table_at(broker, journal)
    async with recording(broker.address(), store) as room:
        async with serving(table):
            await until(lambda: table.line.counters.up)
            table.commit(10)
            await until(lambda: journal.cursors.get(STORE) == 10, LONG_S)
        older = MemoryJournal()
        older.add(6)
        older.cursors["broker"] = 6
        restored = table_at(broker, older, boot=2)
        async with serving(restored):
            await until(lambda: "rolled_back" in room.kinds, LONG_S)
            disputed = [type(item).__name__ for _, _, item in restored.door.items]
            assert "RecordDisputed" in disputed
    assert held(store) == bodies(journal.events)


async def test_a_copy_that_was_emptied_while_nobody_recorded_says_so_and_is_filled_again(
    broker: Mosquitto, tmp_path: Path
) -> None:
    """The table is the witness: it holds the room's own word for ten events."""
    journal, store = MemoryJournal(), tmp_path / "room.sqlite"
    table = table_at(broker, journal, recorder="eye-1")
    async with serving(table):
        await until(lambda: table.line.counters.up)
        async with recording(broker.address(), store) as room:
            table.commit(10)
            await until(lambda: journal.cursors.get(STORE) == 10, LONG_S)
            assert room.kinds == []
        for file in tmp_path.glob("room.sqlite*"):
            file.unlink()
        async with recording(broker.address(), store) as room:
            await until(lambda: room.kinds == ["forgotten"], LONG_S)
            await until(lambda: room.reached() == 10, LONG_S)
        # Such a finding outlasts the recorder, until a person closes it.
        async with recording(broker.address(), store) as room:
            assert room.kinds == ["forgotten"]
    assert held(store) == bodies(journal.events)


async def test_a_lost_table_is_an_alarm_that_is_retained_and_goes_when_it_is_back(
    broker: Mosquitto, tmp_path: Path
) -> None:
    journal = MemoryJournal()
    table = table_at(broker, journal)
    topics = ("recorders/eye-1/status", "recorders/eye-1/alarms/+")
    async with listener(broker, *topics) as (_, heard):
        async with recording(broker.address(), tmp_path / "room.sqlite") as room:
            async with serving(table):
                await until(lambda: table.line.counters.up)
                table.commit(1)
                await until(lambda: room.reached() == 1, LONG_S)
            await until(lambda: "silence" in room.kinds, LONG_S)
            alarm = "recorders/eye-1/alarms/1"
            await until(lambda: any(one.topic == alarm and one.payload for one in heard), LONG_S)
            async with serving(table_at(broker, journal, boot=2)):
                await until(lambda: room.kinds == [], LONG_S)
                last: list[bytes] = []
                await until(
                    lambda: (
                        [last.append(x.payload) for x in heard if x.topic == alarm]
                        and last[-1] == b""
                    ),
                    LONG_S,
                )
        await until(lambda: b'"stopped"' in heard[-1].payload, LONG_S)
    shown = [json.loads(one.payload) for one in heard if one.topic == alarm and one.payload]
    assert shown[0]["code"] == "silence"


async def test_a_retained_alarm_passes_a_backlog_that_is_drained(tmp_path: Path) -> None:
    """Order is kept, so the event itself comes last; the level is what a room looks at."""
    journal = MemoryJournal()
    journal.add(2_000)
    # As shipped: with its default the broker drops what a slow listener does not take in time.
    async with running(tmp_path, "allow_anonymous true", "max_queued_messages 100000") as broker:
        table = table_at(broker, journal)
        ear = listener(broker, "tables/T1/events/#", "tables/T1/alarms/+")
        async with ear as (_, heard), serving(table):
            await until(lambda: len(heard) > 0, LONG_S)
            table.commit(1, Outputs(alarms={"A1": {"severity": 4}}))
            await until(lambda: len(heard) == 2_002, LONG_S)
    order = [one.topic.rsplit("/", 1)[1] for one in heard]
    assert order.index("A1") < 2_001 - 100
    events = [one for one in heard if "/events/" in one.topic]
    assert [int(json.loads(one.payload)["sequence"]) for one in events] == list(range(1, 2_002))
    assert all(one.historical for one in events)

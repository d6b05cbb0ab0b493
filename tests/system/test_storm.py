"""Fifty daemons and a broker that restarts: how they come back (faults M03)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.broker_port import Plan, Received
from controller.mqtt import connect
from tests.bench.process import proportional_kb, resident_kb
from tests.mqtt.counting_wire import CountingWire, most_within
from tests.mqtt.mosquitto import Mosquitto, running, until
from tests.system import table_process
from tests.system.table_process import TableProcess

TABLES = 50
# As many as start side by side: each takes half a second of a core to begin.
STARTS = 4
AWAY_S = 6.0
SOON_S = 300.0


def table_file(home: Path, name: str, port: int) -> Path:
    """A table without devices: dealt by hand, as a house begins."""
    file = home / "table.toml"
    file.write_text(
        f'[table]\nid = "{name}"\nseats = 6\n'
        '[game]\nname = "dj-wild"\ndeal = "hand"\nstart = "shaker"\n'
        f'[mqtt]\nhost = "127.0.0.1"\nport = {port}\n'
        f'[journal]\npath = "{home}/journal.sqlite"\nkey = "{home}/seal.key"\n'
        '[roster]\nrivera = { role = "floorperson", key = "K-1" }\n'
    )
    return file


@contextlib.asynccontextmanager
async def floor(home: Path, port: int) -> AsyncIterator[list[TableProcess]]:
    """All daemons, ready; killed at the end."""
    tables = []
    for number in range(TABLES):
        place = home / f"T{number}"
        place.mkdir()
        tables.append(TableProcess(place, table_file(place, f"T{number}", port)))
    try:
        for at in range(0, TABLES, STARTS):
            await asyncio.gather(*(table.start() for table in tables[at : at + STARTS]))
        yield tables
    finally:
        for table in tables:
            await table.close()


@contextlib.asynccontextmanager
async def told_online(broker: Mosquitto) -> AsyncIterator[set[str]]:
    """The tables that have said since then that they are there."""
    there: set[str] = set()

    def hear(received: Received) -> None:
        status = json.loads(received.payload)
        if status["status"] == "online":
            there.add(received.topic)

    async with connect(Plan(broker.address(), "room"), hear) as one:
        assert await one.subscribe(["tables/+/status"]) == []
        yield there


@pytest.mark.heavy
async def test_fifty_daemons_come_back_to_a_restarted_broker(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table_process, "READY_S_MAX", SOON_S)
    loop = asyncio.get_running_loop()
    async with running(tmp_path, "allow_anonymous true", "max_queued_messages 100000") as broker:
        wire = CountingWire(broker)
        async with wire.laid(), floor(tmp_path, wire.port) as tables:
            async with told_online(broker) as there:
                await until(lambda: len(there) == TABLES, SOON_S)
            pids = [table.process.pid for table in tables if table.process is not None]
            resident = sum(map(resident_kb, pids)) / TABLES / 1024
            together = sum(map(proportional_kb, pids)) / 1024
            wire.asked_s.clear()
            broker.kill()
            gone_s = loop.time()
            await asyncio.sleep(AWAY_S)
            await asyncio.to_thread(broker.start)
            back_s = loop.time()
            async with told_online(broker) as there:
                await until(lambda: len(there) == TABLES, SOON_S)
            took_s = loop.time() - back_s
            asked = [moment - gone_s for moment in wire.asked_s]
            assert all(table.process and table.process.returncode is None for table in tables)
    after = [moment for moment in asked if moment >= back_s - gone_s]
    with capsys.disabled():
        print(
            f"\n{TABLES} daemons, broker away {back_s - gone_s:.1f} s: {len(asked)} connects, "
            f"at most {most_within(asked, 1.0)} in a second, {most_within(after, 1.0)} once it was "
            f"back, all back after {took_s:.1f} s; resident {resident:.0f} MB "
            f"each, {together:.0f} MB of all together"
        )
    # A try waits for at least half of 1, 2, 4 s …; a busy machine may hear two at once.
    assert most_within(asked, 1.0) <= 2 * TABLES
    assert len(asked) <= TABLES * 6

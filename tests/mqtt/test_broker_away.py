"""A day without a broker: what waits is on the disk, and the memory stays as it was."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

GROWTH_OCTETS_MAX = 5_000_000
# 60 rounds an hour for a day at some 30 events a round.
DAY_EVENTS = 60 * 24 * 30

DAY = """
import asyncio, random, sys
from pathlib import Path
from controller.broker_address import BrokerAddress
from controller.broker_line import LineSettings
from controller.commands import Moment
from controller.core.events import Event
from controller.core.inputs import Arrived, Open
from controller.core.outputs import Outputs
from controller.health import _resident_octets
from controller.journal.record import seal
from controller.journal.store import Entry, Store
from controller.line_of import line_of
from controller.messages import Birth, Topics
from tests.mqtt.mosquitto import free_port
from tests.mqtt.rooms import Door, only_delivery

async def main(home, count):
    store = await Store.open(Path(home) / "journal.sqlite", "T1")
    line = line_of(
        LineSettings(BrokerAddress("127.0.0.1", free_port())), Topics("tables", "T1"),
        Birth("T1", store.journal, 1, "1", "d", "p"), store=store, tail=0, door=Door(), roster={},
        now=lambda: Moment(0, True), known=lambda by, command: None, measure=only_delivery("j"),
        jitter=random.Random(1), recorder="eye-1")
    running = asyncio.create_task(line.run())
    before = None
    for made in range(0, count, 15):
        entries = []
        chain = store.chain
        for _ in range(15):
            arrived = Arrived(chain.inputs + 1, 0, 0, 1, True, "floorperson", "f", Open())
            turn = seal(chain, arrived, (Event("round.dealt", {"text": "x" * 300}),), ())
            chain = turn.chain
            entries.append(Entry(turn))
        await store.commit(entries)
        events = [event for entry in entries for event in entry.turn.events]
        line.committed(events, Outputs(table={"n": made}), chain.sequence)
        if made >= 3_000 and before is None:
            before = _resident_octets()
    print(line._parts.outboxes[0].depth, _resident_octets() - before)
    running.cancel()
    await store.close()

asyncio.run(main(sys.argv[1], int(sys.argv[2])))
"""


async def day(home: Path, count: int) -> tuple[int, int]:
    """Depth of the outbox and growth of the memory after `count` events without a broker."""
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", DAY, str(home), str(count)],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    depth, growth = done.stdout.split()
    return int(depth), int(growth)


@pytest.mark.parametrize(
    "count", [6_000, pytest.param(DAY_EVENTS, marks=pytest.mark.heavy)], ids=["hours", "day"]
)
async def test_the_memory_does_not_grow_without_a_broker(tmp_path: Path, count: int) -> None:
    depth, growth = await day(tmp_path, count)
    assert depth == count
    assert growth < GROWTH_OCTETS_MAX

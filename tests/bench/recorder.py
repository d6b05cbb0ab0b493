"""`python -m tests.bench.recorder`: what the room's recorder takes in, and how a backlog drains.

A light generator publishes the sealed events of many tables while the recorder is away; then the
recorder, a process as in a room, takes the broker's queue as fast as it can. Processor time an
event says more than the rate where the machine is shared.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from controller.broker_port import Plan
from controller.core.events import Event
from controller.core.inputs import Arrived, Open
from controller.journal.record import Chain, seal
from controller.messages import Outgoing, Topics
from controller.mqtt import connect
from tests.mqtt.mosquitto import Mosquitto, running, until
from tests.mqtt.rooms import MemoryJournal, serving, table_at

LINES = ("allow_anonymous true", "max_queued_messages 1000000", "max_inflight_messages 64")
# An event of 780 octets, as the daemon's bench has it.
TEXT = "x" * 180
PATIENCE_S = 300
DRAINED_EVENTS = 5_000


def messages_of(tables: int, each: int) -> Iterator[Outgoing]:
    """Events of all tables by turns, each table a chain of its own."""
    chains = [Chain(f"journal-{n}", f"t-{n}") for n in range(tables)]
    for number in range(1, each + 1):
        for n, chain in enumerate(chains):
            arrived = Arrived(number, number, number, 1, True, "floorperson", "f", Open())
            turn = seal(chain, arrived, (Event("round.dealt", {"text": TEXT}),), ())
            chains[n] = turn.chain
            topic = Topics("tables", chain.table_id).event("round.dealt")
            yield Outgoing(topic, turn.events[0].body)


async def publish(broker: Mosquitto, tables: int, each: int) -> None:
    """All of them, at the broker's pace."""
    async with connect(Plan(broker.address(), "generator"), lambda _: None) as connection:
        sent = []
        for message in messages_of(tables, each):
            while connection.free == 0:
                await asyncio.sleep(0.001)
            sent.append(connection.publish(message))
        for delivery in await asyncio.gather(*sent):
            assert delivery.delivered


async def record(broker: Mosquitto, store: Path) -> asyncio.subprocess.Process:
    """A recorder as a room starts it, once it is recording."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "record", "--broker", broker.url, "--as", "eye-1",
        "--store", str(store), stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    assert process.stderr is not None
    await process.stderr.readline()
    return process


def held(store: Path) -> int:
    """Events that are durable."""
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as connection:
        (count,) = connection.execute("SELECT coalesce(sum(reached), 0) FROM journals").fetchone()
    return int(count)


def used(pid: int) -> tuple[float, float]:
    """Processor seconds and resident MB of a process."""
    ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    tick = os.sysconf("SC_CLK_TCK")
    return (int(ticks[11]) + int(ticks[12])) / tick, pages * os.sysconf("SC_PAGE_SIZE") / 1e6


async def end(process: asyncio.subprocess.Process) -> None:
    """In order, so that the broker keeps its queue."""
    process.send_signal(signal.SIGTERM)
    assert await process.wait() == 0


async def measure_recorder(home: Path, tables: int, each: int) -> None:
    """Rate, processor time and memory for one number of tables."""
    store, wanted = home / f"room-{tables}.sqlite", tables * each
    async with running(home, *LINES) as broker:
        await end(await record(broker, store))
        await publish(broker, tables, each)
        process = await record(broker, store)
        cpu_s, _ = used(process.pid)
        began_s = time.monotonic()
        await until(lambda: held(store) >= wanted, PATIENCE_S)
        took_s = time.monotonic() - began_s
        after_s, resident = used(process.pid)
        await end(process)
    micros = (after_s - cpu_s) / wanted * 1e6
    size = store.stat().st_size / wanted
    sys.stdout.write(
        f"{tables} tables, {wanted} events: {wanted / took_s:.0f} events/s, {micros:.0f} us of "
        f"processor an event, {resident:.0f} MB resident, {size:.0f} octets an event in the store\n"
    )


async def measure_drain(home: Path) -> None:
    """A backlog from a table's outbox to the broker."""
    journal = MemoryJournal()
    journal.add(DRAINED_EVENTS)
    async with running(home, *LINES) as broker:
        table = table_at(broker, journal)
        async with serving(table):
            await until(lambda: table.line.counters.up)
            began_s = time.monotonic()
            await until(lambda: table.line._parts.outboxes[0].depth == 0, PATIENCE_S)
            rate = DRAINED_EVENTS / (time.monotonic() - began_s)
    sys.stdout.write(f"drain of {DRAINED_EVENTS} events: {rate:.0f} events/s\n")


async def main(words: list[str] | None = None) -> None:
    """All of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recorder", description=__doc__)
    parser.add_argument("--events", type=int, default=20_000, help="in all, for each row")
    parser.add_argument("--tables", type=int, nargs="*", default=[50, 200])
    given = parser.parse_args(words)
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    sys.stdout.write(f"load {load} before\n")
    with tempfile.TemporaryDirectory(prefix="recorder-", dir="/var/tmp") as home:
        await measure_drain(Path(home))
        for tables in given.tables:
            await measure_recorder(Path(home), tables, given.events // tables)


if __name__ == "__main__":
    asyncio.run(main())

"""Fifty tables and a broker that was away: how they come back (faults M03)."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path

import pytest

from controller.backoff import FIRST_S, MOST_S, Backoff
from controller.broker_address import BrokerAddress
from controller.broker_line import LineSettings
from tests.mqtt.counting_wire import CountingWire, most_within
from tests.mqtt.mosquitto import running, until
from tests.mqtt.rooms import MemoryJournal, Table, serving, table_of

TABLES = 50
AWAY_S = 6.0
SOON_S = 120.0


def knocks(away_s: float) -> list[float]:
    """When fifty tables whose broker went away at 0 ask for it again, up to its return."""
    found = []
    for table in range(TABLES):
        backoff, now_s = Backoff(random.Random(table)), 0.0
        while now_s < away_s:
            now_s += backoff.after(0.0)
            found.append(now_s)
    return found


def test_fifty_tables_come_back_to_a_restarted_broker_at_a_bounded_rate() -> None:
    """What is asked for in any one second, by the back-off alone; the jitter here is fixed."""
    assert most_within([0.0, 0.5, 1.0, 1.4], 1.0) == 3
    assert min(knocks(600)) >= FIRST_S / 2
    # At first each table once a second; then ever less, and never in step.
    assert most_within([moment for moment in knocks(600) if moment < 3], 1.0) <= TABLES
    assert most_within([moment for moment in knocks(600) if moment > 10], 1.0) <= 20
    assert most_within([moment for moment in knocks(600) if moment > 60], 1.0) <= 10
    # Nobody waits longer than the bound for a broker that is back.
    assert all(max(knocks(away_s)) <= away_s + MOST_S for away_s in (1, 10, 100, 600))


def a_table(number: int, wire: CountingWire) -> Table:
    settings = LineSettings(BrokerAddress("127.0.0.1", wire.port))
    return table_of(settings, MemoryJournal(), name=f"T{number}", seed=number)


@pytest.mark.heavy
async def test_fifty_lines_at_a_real_broker_that_restarts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with running(tmp_path) as broker:
        wire = CountingWire(broker)
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(wire.laid())
            tables = [a_table(number, wire) for number in range(TABLES)]
            for table in tables:
                await stack.enter_async_context(serving(table))
            await until(lambda: all(table.line.counters.up for table in tables), SOON_S)
            loop = asyncio.get_running_loop()
            wire.asked_s.clear()
            broker.kill()
            gone_s = loop.time()
            await asyncio.sleep(AWAY_S)
            broker.start()
            back_s = loop.time()
            await until(lambda: all(table.line.counters.up for table in tables), SOON_S)
            took_s = loop.time() - back_s
            for table in tables:
                table.commit(2)
            await until(
                lambda: all(table.line._parts.outboxes[0].cursor == 2 for table in tables), SOON_S
            )
        asked = [moment - gone_s for moment in wire.asked_s]
    with capsys.disabled():
        print(
            f"\n{TABLES} tables, broker away {back_s - gone_s:.1f} s: {len(asked)} connects, "
            f"at most {most_within(asked, 1.0)} in a second, "
            f"{most_within([one for one in asked if one >= AWAY_S], 1.0)} once it was back, "
            f"all back after {took_s:.1f} s"
        )
    assert most_within(asked, 1.0) <= 2 * TABLES
    assert len(asked) <= TABLES * 6

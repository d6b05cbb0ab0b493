"""The room's copy against real brokers: complete at the end, whatever happened on the way."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from pathlib import Path

import pytest

from controller.broker_address import Version
from controller.journal.tables import STORE
from controller.recorder import inquiries
from controller.recorder.recorder import Recorder
from tests.mqtt.mosquitto import Mosquitto, Wire, until
from tests.mqtt.recording import Recording, bodies, held, recording
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
        await until(lambda: table.line._parts.outbox.depth == 0)
        async with recording(broker.address(), store) as room:
            # Nothing more happens at the table: its health alone tells what the room lacks.
            await until(lambda: journal.cursors.get(STORE) == 120, LONG_S)
            assert room.kinds == []
    assert held(store) == bodies(journal.events)

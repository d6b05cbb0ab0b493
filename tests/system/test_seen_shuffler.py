"""A daemon whose shuffler is seen: lamps at pins, a run, and a red light, as they are on record."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from controller.broker_address import BrokerAddress
from controller.demo.stage import Stage
from controller.journal.source import open_source
from controller.journal.verify import verify
from tests.controller.test_parts import seen
from tests.hal.wires import until
from tests.system.table_process import table_process

SHUFFLER = 'driver = "lamp"\ncounts = false\ncycle_s_min = 1\ncycle_s_max = 3600\n'
# Long enough for any machine to make, short enough for a test.
HALF_BLINK_S = 0.15


class Hand:
    """Whoever lights the lamps of the shuffler: contacts of the two sensors, over a socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer

    def leave(self) -> None:
        self._writer.close()

    async def light(self, name: str, lit: bool) -> None:
        # The contact of red opens when it sees light, that of green closes.
        do = "hold" if lit == (name == "green") else "let_go"
        self._writer.write(json.dumps({"do": do, "name": f"lamp_{name}"}).encode() + b"\n")
        assert json.loads(await self._reader.readline()) == {"done": True}


def events(journal: Path) -> list[dict[str, Any]]:
    """What is on record now, while the daemon goes on writing."""
    with open_source(journal) as source:
        return [json.loads(event) for turn in source.turns() for event in turn.events]


def red_lamps(journal: Path) -> int:
    """How often a red lamp was told beside a shuffler that says nothing of it."""
    faults = [one["data"] for one in events(journal) if one["type"] == "device.fault"]
    return sum(data["code"] == "red_lamp" for data in faults)


async def recorded(journal: Path, kind: str, **data: object) -> None:
    """Wait until such an event is on record."""
    async with asyncio.timeout(60):
        while not any(
            one["type"] == kind and data.items() <= one["data"].items() for one in events(journal)
        ):
            await asyncio.sleep(0.05)


async def test_a_run_that_is_seen_makes_a_token_and_a_red_light_an_alarm(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "dj-wild", BrokerAddress("127.0.0.1", 9), 100.0, 1, ())
    seen(stage.config, SHUFFLER)
    async with table_process(tmp_path, stage.config) as daemon:
        await daemon.start()
        await until(stage.hand.exists, 60)
        hand = Hand(*await asyncio.open_unix_connection(str(stage.hand)))
        await hand.light("red", False)
        await hand.light("green", True)
        await recorded(stage.journal, "device.fault", code="restarted")

        enough = asyncio.Event()

        async def blink() -> None:
            while not enough.is_set():
                for lit in (False, True):
                    await hand.light("green", lit)
                    await asyncio.sleep(HALF_BLINK_S)

        blinking = asyncio.create_task(blink())
        await recorded(stage.journal, "shuffle.started", method="device", batch="A")
        await asyncio.sleep(1)
        enough.set()
        await blinking
        await hand.light("green", True)
        await recorded(stage.journal, "token.made", method="device", batch="A")
        before = red_lamps(stage.journal)
        await hand.light("red", True)
        async with asyncio.timeout(60):
            while red_lamps(stage.journal) == before:
                await asyncio.sleep(0.05)
        hand.leave()
        code, _ = await daemon.end()
    assert code == 0
    assert verify(stage.journal).problem is None
    with open_source(stage.journal) as source:
        told = [json.loads(turn.body)["type"] for turn in source.turns()]
    run = ["loaded", "cycle_started", "cycle_ended", "ejected", "lamp"]
    assert [one for one in told if one in run][-5:] == run

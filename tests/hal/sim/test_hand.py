"""A hand over a socket acts on the panel of the process that serves it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from hal import facts
from hal.panel import Panel
from hal.pins import PanelSettings
from hal.ports import Heard
from hal.sim.hand import VISITORS_MAX, HandServer
from hal.sim.panel import BENCH_PINS

SETTINGS = PanelSettings(pins=BENCH_PINS, factory="mock", self_test_step_ms=0)


class Visit:
    """One connection to a hand, and what the panel under it told."""

    def __init__(self, path: Path, panel: Panel, heard: list[Heard]) -> None:
        self.path, self.panel, self.heard = path, panel, heard

    async def ask(self, line: str) -> dict[str, object]:
        reader, writer = await asyncio.open_unix_connection(self.path)
        writer.write(line.encode() + b"\n")
        answer = await asyncio.wait_for(reader.readline(), 5)
        writer.close()
        await writer.wait_closed()
        given = json.loads(answer or b"{}")
        assert isinstance(given, dict)
        return given

    @property
    def facts(self) -> list[object]:
        return [one.fact for one in self.heard]


@asynccontextmanager
async def _visiting(home: Path) -> AsyncIterator[Visit]:
    heard: list[Heard] = []
    server = HandServer(home / "hand", SETTINGS)
    panel = Panel(SETTINGS, heard.append, server.board)
    server.ready()
    tasks = [asyncio.create_task(server.run()), asyncio.create_task(panel.run())]
    while not (home / "hand").exists():
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    try:
        yield Visit(home / "hand", panel, heard)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        panel.close()
    assert not (home / "hand").exists(), "the socket file goes with its server"


async def test_a_press_is_a_press_and_the_key_a_key(tmp_path: Path) -> None:
    async with _visiting(tmp_path) as visit:
        assert await visit.ask('{"do": "press", "name": "done", "held_ms": 60}') == {"done": True}
        assert await visit.ask('{"do": "key", "on": true}') == {"done": True}
        await asyncio.sleep(0.1)
        assert visit.facts.count(facts.Pressed(button="done")) == 1
        assert facts.Key(on=True, id="key-1") in visit.facts


async def test_an_eye_sees_what_the_panel_shows(tmp_path: Path) -> None:
    async with _visiting(tmp_path) as visit:
        visit.panel.show("5")
        visit.panel.lamps("on", "off", "off")
        await asyncio.sleep(0.1)
        seen = await visit.ask('{"do": "look"}')
        assert seen["digit"] == "5"
        assert seen["lamps"] == {"red": "on", "amber": "off", "green": "off"}


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"do": "dance"}',
        '{"do": "press", "name": "no_such_button"}',
        '{"do": "press", "name": "done", "held_ms": 10001}',
        '{"do": "press", "name": "done", "held_ms": -1}',
        "[" * 900,
    ],
)
async def test_nonsense_is_answered_and_the_hand_lives_on(line: str, tmp_path: Path) -> None:
    async with _visiting(tmp_path) as visit:
        assert "error" in await visit.ask(line)
        assert "digit" in await visit.ask('{"do": "look"}')


async def test_more_visitors_than_there_is_room_for_are_sent_away(tmp_path: Path) -> None:
    async with _visiting(tmp_path) as visit:
        inside = [await asyncio.open_unix_connection(visit.path) for _ in range(VISITORS_MAX)]
        await asyncio.sleep(0.05)
        reader, late = await asyncio.open_unix_connection(visit.path)
        assert await asyncio.wait_for(reader.read(), 5) == b""
        late.close()
        for _, writer in inside:
            writer.close()
            await writer.wait_closed()
        await asyncio.sleep(0.05)
        assert "digit" in await visit.ask('{"do": "look"}')


async def test_a_visitor_who_stays_does_not_hold_up_the_end(tmp_path: Path) -> None:
    async with asyncio.timeout(5), _visiting(tmp_path) as visit:
        reader, writer = await asyncio.open_unix_connection(visit.path)
        writer.write(b'{"do": "look"}\n')
        assert b"digit" in await reader.readline()
    with suppress(ConnectionError):
        assert await asyncio.wait_for(reader.read(), 5) == b""
    writer.close()

"""A dealer with real devices and a real panel; the table is played by the test."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from controller.demo.dealer import Dealer
from controller.demo.hands import Hands
from controller.demo.terminal import Terminals
from controller.demo.view import TableView, View
from hal import facts
from hal.panel import Panel
from hal.pins import PanelSettings
from hal.ports import Heard
from hal.sim.hand import HandServer
from hal.sim.panel import BENCH_PINS
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler
from hal.sim.wire import PtyEnd

SETTINGS = PanelSettings(pins=BENCH_PINS, factory="mock", self_test_step_ms=0)


class Sent:
    """Terminals that note what was sent."""

    def __init__(self) -> None:
        self.commands: list[tuple[str, str, dict[str, object]]] = []

    async def send(self, principal: str, kind: str, **members: object) -> bool:
        self.commands.append((principal, kind, members))
        return True


class Room:
    """Dealer, devices and panel; the table is played by the test."""

    def __init__(self, home: Path) -> None:
        self.heard: list[Heard] = []
        self.moments: list[str] = []
        self.sent = Sent()
        self.view = View()
        self.shuffler = Shuffler(PtyEnd(home / "shuffler"), 2_000)
        self.shoe = Shoe(PtyEnd(home / "shoe"), 2_000, reads=True)
        self.server = HandServer(home / "hand", SETTINGS)
        self.panel = Panel(SETTINGS, self.heard.append, self.server.board)
        self.hands = Hands(home / "hand")
        self.dealer = self._dealer()

    def _dealer(self) -> Dealer:
        """The one who is tested."""
        terminals = cast("Terminals", self.sent)
        return Dealer(
            self.view, terminals, self.hands, self.shuffler, self.shoe, (53, 5), 1, self._moment
        )

    async def _moment(self, name: str) -> None:
        self.moments.append(name)

    def show(self, step: str, **changed: object) -> TableView:
        """The table prompts `step`."""
        state: dict[str, object] = {
            "sequence": self.view.version + 1,
            "phase": step,
            "prompt": {"step": step, "who": "dealer", "text": step},
            "round": {"number": 2, "open": True, "order": [1, 3, "dealer"], "dealt": 0},
            "methods": {"shuffle": "device", "deal": "auto_shoe", "start": "rng"},
        }
        self.view.take(json.dumps({**state, **changed}).encode())
        assert self.view.state is not None
        return self.view.state

    def pressed(self) -> list[str]:
        """Buttons as the real panel told them."""
        return [one.fact.button for one in self.heard if isinstance(one.fact, facts.Pressed)]


@asynccontextmanager
async def room_of(home: Path, kind: type[Room] = Room) -> AsyncIterator[Room]:
    """Everything on."""
    room = kind(home)
    room.server.ready()
    works = (room.shuffler.run(), room.shoe.run(), room.server.run(), room.panel.run())
    tasks = [asyncio.create_task(work) for work in works]
    await asyncio.sleep(0.05)
    try:
        yield room
    finally:
        room.hands.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        room.panel.close()

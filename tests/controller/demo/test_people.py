"""The people of the demo do what the prompt says, with real devices and a real panel under them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from controller.demo.crew import Crew, Stuck
from controller.demo.dealer import Dealer
from controller.demo.hands import Hands, NoPanel
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
        self.shoe = Shoe(PtyEnd(home / "shoe"), 2_000)
        self.server = HandServer(home / "hand", SETTINGS)
        self.panel = Panel(SETTINGS, self.heard.append, self.server.board)
        self.hands = Hands(home / "hand")
        self.dealer = Dealer(
            self.view, self.sent, self.hands, self.shuffler, self.shoe, (53, 5), 1, self._moment
        )  # type: ignore[arg-type]

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
async def _room(home: Path) -> AsyncIterator[Room]:
    room = Room(home)
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


async def test_the_dealer_brings_the_cards_from_the_rack_to_the_shoe(tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        for state in ("LOADED", "STORED", "IDLE"):
            await room.dealer.act(room.show("shuffle"))
            assert room.shuffler.state == state
        assert room.moments == ["shuffle"]
        await room.dealer.act(room.show("load"))
        assert (room.shoe.cards, room.shoe.state) == (53, "READY")


async def test_a_careless_dealer_loads_whatever_the_prompt_says_and_once(tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        room.dealer.careless = True
        for _ in range(3):
            await room.dealer.act(room.show("shuffle"))
        assert (room.shoe.cards, room.dealer.careless) == (53, False)


async def test_a_jammed_shuffler_is_cleared_and_runs_again(tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        room.shuffler.arm("shuffler-jam")
        states = []
        for _ in range(4):
            await room.dealer.act(room.show("shuffle"))
            states.append(room.shuffler.state)
        assert states == ["LOADED", "JAMMED", "LOADED", "STORED"]


async def test_the_deal_ends_when_the_table_says_something_else(tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        await room.shoe.load(53, "A")
        state = room.show("deal")
        dealing = asyncio.create_task(room.dealer.act(state))
        while room.shoe.stacks == 0:
            await asyncio.sleep(0.001)
        room.show("decide")
        await dealing
        assert room.shoe.stacks == 1
        assert room.moments == ["deal", "stack"]


async def test_a_face_up_card_is_reported_by_a_press_for_each(tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        await room.shoe.load(53, "A")
        room.dealer.boxed = 2
        state = room.show("deal")
        dealing = asyncio.create_task(room.dealer.act(state))
        while room.pressed().count("card_up") < 2:
            await asyncio.sleep(0.01)
        room.show("remainder")
        await dealing
        assert room.pressed() == ["card_up", "card_up"]


@pytest.mark.parametrize("step", ["cut", "raises_closed", "bonuses_settled", "wagers_returned"])
async def test_what_is_confirmed_is_confirmed_by_the_button(step: str, tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        await room.dealer.act(room.show(step))
        await asyncio.sleep(0.05)
        assert room.pressed() == ["done"]
        assert room.sent.commands == []


async def test_a_prompt_for_somebody_else_moves_nobody(tmp_path: Path) -> None:
    async with _room(tmp_path) as room:
        await room.dealer.act(room.show("confirm_void"))
        assert (room.pressed(), room.sent.commands, room.moments) == ([], [], [])


async def test_hands_find_no_panel_where_none_is(tmp_path: Path) -> None:
    with pytest.raises(NoPanel):
        await Hands(tmp_path / "hand").press("done")


class Idle:
    """A dealer and a floorperson who do nothing."""

    async def act(self, state: TableView) -> bool:
        return False


async def test_a_crew_ends_when_the_table_is_closed_after_its_rounds(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.panel.close()
    told: list[int] = []
    room.show("open", phase="closed", round={"number": 2, "open": False})
    crew = Crew(room.view, Idle(), Idle(), told.append, lambda: False)  # type: ignore[arg-type]
    await asyncio.wait_for(crew.play(2), 5)
    assert told == [2]


async def test_a_crew_does_not_wait_for_a_daemon_that_has_ended(tmp_path: Path) -> None:
    room = Room(tmp_path)
    room.panel.close()
    room.show("deal")
    crew = Crew(room.view, Idle(), Idle(), lambda n: None, lambda: True)  # type: ignore[arg-type]
    with pytest.raises(Stuck, match="has ended by itself"):
        await crew.play(1)

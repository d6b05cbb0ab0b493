"""The people of the demo do what the prompt says, with real devices and a real panel under them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.demo.crew import Crew, Stuck
from controller.demo.hands import Hands, NoPanel
from controller.demo.view import TableView
from tests.controller.demo.room import Room, room_of


async def test_the_dealer_brings_the_cards_from_the_rack_to_the_shoe(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
        for state in ("LOADED", "STORED", "IDLE"):
            await room.dealer.act(room.show("shuffle"))
            assert room.shuffler.state == state
        assert room.moments == ["shuffle"]
        await room.dealer.act(room.show("load"))
        assert (room.shoe.cards, room.shoe.state) == (53, "READY")


async def test_a_careless_dealer_loads_whatever_the_prompt_says_and_once(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
        room.dealer.careless = True
        for _ in range(3):
            await room.dealer.act(room.show("shuffle"))
        assert (room.shoe.cards, room.dealer.careless) == (53, False)


async def test_a_jammed_shuffler_is_cleared_and_runs_again(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
        room.shuffler.arm("shuffler-jam")
        states = []
        for _ in range(4):
            await room.dealer.act(room.show("shuffle"))
            states.append(room.shuffler.state)
        assert states == ["LOADED", "JAMMED", "LOADED", "STORED"]


async def test_the_deal_ends_when_the_table_says_something_else(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
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
    async with room_of(tmp_path) as room:
        await room.shoe.load(53, "A")
        room.shoe.boxed = 2
        state = room.show("deal")
        dealing = asyncio.create_task(room.dealer.act(state))
        while room.pressed().count("card_up") < 2:
            await asyncio.sleep(0.01)
        room.show("remainder")
        await dealing
        assert room.pressed() == ["card_up", "card_up"]


@pytest.mark.parametrize("step", ["cut", "raises_closed", "bonuses_settled", "wagers_returned"])
async def test_what_is_confirmed_is_confirmed_by_the_button(step: str, tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
        await room.dealer.act(room.show(step))
        await asyncio.sleep(0.05)
        assert room.pressed() == ["done"]
        assert room.sent.commands == []


async def test_a_prompt_for_somebody_else_moves_nobody(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
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


async def test_a_hasty_dealer_tries_a_shoe_that_gives_in_spite_of_its_lock(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
        await room.shoe.load(53, "A")
        room.shoe.locked = True
        room.shoe.arm("draw-while-locked")
        room.dealer.hasty = True
        closing = asyncio.create_task(room.dealer.act(room.show("no_more_bets")))
        while room.shoe.stacks == 0:
            await asyncio.sleep(0.001)
        room.show("decide")
        await closing
        assert (room.shoe.cards, room.dealer.hasty, room.sent.commands) == (48, False, [])


async def test_stacks_that_lie_on_the_table_are_not_dealt_again(tmp_path: Path) -> None:
    """A slow disk shows them late."""
    async with room_of(tmp_path) as room:
        await room.shoe.load(53, "A")
        for _ in range(2):
            dealing = asyncio.create_task(room.dealer.act(room.show("deal")))
            while room.shoe.stacks < 3:
                await asyncio.sleep(0.001)
            room.show("remainder")
            await dealing
        assert room.shoe.stacks == 3


async def test_the_last_stack_is_out_before_the_remainder_is_taken(tmp_path: Path) -> None:
    async with room_of(tmp_path) as room:
        await room.shoe.load(53, "A")
        await room.dealer.act(room.show("remainder"))
        assert (room.moments, room.shoe.cards) == (["last_card"], 0)

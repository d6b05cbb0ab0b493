"""The dealer at a shoe does what the prompt says, with a real shoe and panel under the hands."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path
from typing import cast

import pytest

from controller.demo.dealer import Dealer
from controller.demo.play import Blackjack, Minibaccarat, ShoeGame
from controller.demo.shoe_dealer import ShoeDealer
from controller.demo.terminal import Terminals
from controller.demo.view import TableView
from tests.controller.demo.room import Room, room_of

SEATS = [1, 3]


class ShoeRoom(Room):
    """At Blackjack with 20 of 104 cards above the cover card."""

    def _game(self) -> ShoeGame:
        return Blackjack(random.Random(1))

    def _dealer(self) -> Dealer:
        return ShoeDealer(
            self.view, cast("Terminals", self.sent), self.hands, self.shuffler, self.shoe,
            (104, 20), 1, self._moment, self._game(),
        )  # fmt: skip

    overdraws = False

    async def _moment(self, name: str) -> None:
        await super()._moment(name)
        if name == "last_card" and self.overdraws:
            self.shoe.arm("overdraw")

    def said(self) -> list[str]:
        return [kind for _, kind, _ in self.sent.commands]

    def round(self, number: int = 2, **changed: object) -> TableView:
        play = {"number": number, "open": True, "seats": SEATS, "cards": 99}
        return self.show("round_done", round=play, **changed)

    async def loaded(self) -> None:
        """Through the dealer's hands; the table says that a burn is due."""
        loading = asyncio.create_task(self.dealer.act(self.show("load")))
        while not self.shoe.cards:
            await asyncio.sleep(0.001)
        self.show("burn", device_locks={"shoe": True})
        await loading


class ReadingRoom(ShoeRoom):
    """At Minibaccarat."""

    def _game(self) -> ShoeGame:
        return Minibaccarat()


async def test_players_sit_down_before_the_first_shuffle(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        await room.dealer.act(room.show("shuffle"))
        assert [kind for _, kind, _ in room.sent.commands] == ["player_arrived"] * 3
        await room.dealer.act(room.show("shuffle", occupied=SEATS))
        assert len(room.sent.commands) == 3


async def test_two_batches_take_turns_in_the_shoe(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        for batch, lies in (("A", []), ("B", [{"batch": "A", "where": "shoe"}])):
            await room.dealer.act(room.show("confirm_void", batches=lies))
            room.shuffler.take_out()
            await room.dealer.act(room.show("shuffle", occupied=SEATS))
            assert room.shuffler.batch == batch


async def test_a_new_deck_takes_the_turn_of_the_one_that_left(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        for where in ("shoe", "removed"):
            lies = [{"batch": "A"}, {"batch": "B", "where": where}]
            await room.dealer.act(room.show("confirm_void", batches=lies))
        await room.dealer.act(room.show("shuffle", occupied=SEATS))
        assert room.shuffler.batch == "B"


async def test_the_bets_stay_open_until_the_other_batch_is_shuffled(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        lies = [{"batch": "A", "where": "shoe"}, {"batch": "B"}]
        for state in ("LOADED", "STORED"):
            await room.dealer.act(room.show("no_more_bets", batches=lies))
            assert (room.shuffler.batch, room.shuffler.state) == ("B", state)
        assert room.said() == []
        await room.dealer.act(room.show("no_more_bets", batches=lies))
        assert room.said() == ["no_more_bets"]


@pytest.mark.parametrize(
    ("text", "asked"), [("Offer the cut to seat 3", 3), ("Cut the cards", "dealer")]
)
async def test_the_cut_is_made_by_the_one_who_is_asked(
    text: str, asked: object, tmp_path: Path
) -> None:
    """Refused, told with its depth, or confirmed by the button: each comes, and nobody else's."""
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        for _ in range(20):
            prompt = {"step": "cut", "who": "dealer", "text": text}
            await room.dealer.act(room.show("cut", prompt=prompt))
        await asyncio.sleep(0.05)
        assert "done" in room.pressed()
        kinds = {"cut_made"} if asked == "dealer" else {"cut_made", "cut_refused"}
        assert set(room.said()) == kinds
        for _, _, members in room.sent.commands:
            assert members.get("cutter", members.get("seat")) == asked
            assert 10 <= cast("int", members.get("from_top", 10)) <= 94


async def test_the_cover_card_goes_in_above_what_is_not_dealt(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        await room.dealer.act(room.show("cover"))
        assert room.sent.commands[-1][1:] == ("cover_inserted", {"from_bottom": 84})


async def test_a_device_out_of_service_is_covered_before_that(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        devices = {"shuffler": {"state": "uncovered"}, "shoe": {}}
        await room.dealer.act(room.show("cover", devices=devices))
        assert room.sent.commands[-1][1:] == ("covered", {"device": "shuffler", "how": "cover"})


async def test_blackjack_burns_one_card_and_says_so(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        await room.loaded()
        await room.dealer.act(room.show("burn", device_locks={"shoe": True}))
        assert room.shoe.drawn == 1
        assert room.sent.commands[-1][1:] == ("burned", {"cards": 1})


async def test_minibaccarat_burns_by_the_first_card(tmp_path: Path) -> None:
    async with room_of(tmp_path, ReadingRoom) as room:
        assert isinstance(room, ShoeRoom)
        await room.loaded()
        await room.dealer.act(room.show("burn", device_locks={"shoe": True}))
        rank = room.shoe.out[0][0]
        cards = Minibaccarat().burned(rank)
        assert [one[1:] for one in room.sent.commands[-2:]] == [
            ("first_card", {"rank": rank}), ("burned", {"cards": cards}),
        ]  # fmt: skip
        assert room.shoe.drawn == cards


async def test_a_round_is_dealt_and_ended_by_the_button(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        await room.loaded()
        await room.dealer.act(room.round())
        await asyncio.sleep(0.05)
        assert 6 <= room.shoe.drawn <= 8
        assert room.pressed() == ["round_done"]
        assert room.moments == ["deal", *["stack"] * room.shoe.drawn, "last_card"]


async def test_a_round_that_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        await room.loaded()
        dealing = asyncio.create_task(room.dealer.act(room.round()))
        while not room.shoe.drawn:
            await asyncio.sleep(0)
        room.show("decide")
        await dealing
        before = room.shoe.drawn
        assert before < 6
        await room.dealer.act(room.round())
        assert 6 <= room.shoe.drawn <= 8


async def test_the_cover_card_is_told_with_its_place(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        room.shoe.arm("cover-card-early")
        await room.loaded()
        for number in range(2, 4):
            await room.dealer.act(room.round(number))
        (told,) = [one for one in room.sent.commands if one[1] == "cover_card_out"]
        assert told[2]["where"] in (*SEATS, "dealer")


async def test_a_cover_card_that_does_not_come_is_missed_once(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        room.shoe.arm("cover-card-never")
        await room.loaded()
        for number in range(2, 8):
            await room.dealer.act(room.round(number))
            assert ("call_floor" in room.said()) is (room.shoe.drawn > 20)
        assert room.said().count("call_floor") == 1


async def test_a_card_too_many_is_reported_where_the_table_cannot_know(tmp_path: Path) -> None:
    async with room_of(tmp_path, ShoeRoom) as room:
        assert isinstance(room, ShoeRoom)
        await room.loaded()
        room.overdraws = True
        dealing = asyncio.create_task(room.dealer.act(room.round()))
        while not room.said():
            await asyncio.sleep(0.01)
        room.show("decide")
        await dealing
        assert room.sent.commands == [("chen", "drawn_in_error", {"exposed": False})]

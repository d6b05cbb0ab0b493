"""The floorperson takes alarms, mends what they tell of, and decides what can be decided."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from controller.demo.floor import Floor
from controller.demo.view import TableView, View
from tests.controller.demo.room import Sent


class Helper:
    """A dealer who notes what the floorperson asks for."""

    def __init__(self) -> None:
        self.put_backs = 0
        self.emptied = 0

    def put_back(self) -> None:
        self.put_backs += 1

    async def take_everything_out(self) -> None:
        self.emptied += 1


class Pit:
    """A floorperson; the table is played by the test."""

    def __init__(self) -> None:
        self.view = View()
        self.sent = Sent()
        self.helper = Helper()
        self.rooms = 0
        props: tuple[Any, ...] = (self.view, self.sent, None, self.helper, self._make_room)
        self.floor = Floor(*props)

    def _make_room(self) -> None:
        self.rooms += 1

    def show(self, step: str, **changed: object) -> TableView:
        state: dict[str, object] = {
            "sequence": 7,
            "phase": "deal",
            "prompt": {"step": step, "who": "floorperson", "text": ""},
            "round": {"number": 2, "open": True},
            "methods": {"shuffle": "device", "deal": "auto_shoe", "start": "rng"},
        }
        self.view.take(json.dumps({**state, **changed}).encode())
        assert self.view.state is not None
        return self.view.state

    def alarm(self, code: str) -> TableView:
        return self.show("deal", alarms={"A1": {"alarm": "A1", "code": code, "text": code}})

    def said(self) -> list[tuple[str, dict[str, object]]]:
        return [one[1:] for one in self.sent.commands]


TAKEN = ("acknowledge", {"alarm": "A1", "note": "seen"})
HELD = [{"id": "H1", "code": "storage", "choices": ["resume", "void"]}]


async def test_a_dealer_who_calls_gets_a_shuffle_at_the_end_of_the_round() -> None:
    pit = Pit()
    assert await pit.floor.act(pit.alarm("floor_called"))
    assert pit.said() == [TAKEN, ("order_shuffle", {"reason": "floor_called"})]


async def test_somebody_makes_room_on_a_full_disk() -> None:
    pit = Pit()
    assert await pit.floor.act(pit.alarm("storage"))
    assert (pit.said(), pit.rooms) == ([TAKEN], 1)


async def test_nothing_is_decided_before_it_can_be_recorded() -> None:
    pit = Pit()
    deciding = asyncio.create_task(pit.floor.act(pit.show("decide", holds=HELD, recording=False)))
    await asyncio.sleep(0.05)
    assert pit.said() == []
    pit.show("decide", holds=HELD)
    await deciding
    assert [kind for kind, _ in pit.said()] == ["decide"]


async def test_a_stranger_is_sent_away_before_the_device_is_returned() -> None:
    pit = Pit()
    holds = [{"id": "H1", "code": "identity_changed", "choices": ["return_to_service", "void"]}]
    away = {"shoe": {"link": "down"}}
    deciding = asyncio.create_task(pit.floor.act(pit.show("decide", holds=holds, devices=away)))
    await asyncio.sleep(0.05)
    assert (pit.helper.put_backs, pit.said()) == (1, [])
    pit.show("decide", holds=holds)
    await deciding
    ((kind, members),) = pit.said()
    assert (kind, members["choice"]) == ("decide", "return_to_service")


async def test_the_batch_that_left_is_the_one_that_is_brought_anew() -> None:
    pit = Pit()
    batches = [{"batch": "A", "where": "table"}, {"batch": "B", "where": "removed"}]
    assert await pit.floor.act(pit.show("new_deck", batches=batches))
    assert pit.said() == [("new_deck", {"batch": "B", "ids": ["deck-7"]})]
    assert pit.helper.emptied == 1


async def test_a_cover_card_is_not_the_cover_of_a_device() -> None:
    pit = Pit()
    between = {"number": 2, "open": False}
    assert not await pit.floor.act(pit.show("cover", round=between))
    assert pit.said() == []

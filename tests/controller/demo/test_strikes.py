"""Faults strike one a round, at their moment, and are judged from there on."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from controller.demo.bad_disk import FULL, BadDisk
from controller.demo.strikes import Strikes
from controller.demo.view import View
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler
from hal.sim.wire import PtyEnd


class Scene:
    """Real devices that are switched off, a view, and an audience that the test fills."""

    def __init__(self, home: Path, *names: str) -> None:
        self.shuffler = Shuffler(PtyEnd(home / "shuffler"))
        self.shoe = Shoe(PtyEnd(home / "shoe"))
        self.view = View()
        self.audience = SimpleNamespace(last=0, events={})
        self.dealer = SimpleNamespace(careless=False, hasty=False)
        self.disk = BadDisk(home)
        stage = SimpleNamespace(shuffler=self.shuffler, shoe=self.shoe, disk=self.disk)
        props: tuple[Any, ...] = (stage, self.view, None, self.audience, None, self.dealer)
        self.strikes = Strikes(list(names), *props)

    async def round(self, number: int) -> None:
        """The moments of round `number`; before the deal it is still the round before."""
        self._show(number - 1)
        await self.strikes.moment("shuffle")
        await self.strikes.moment("bets")
        self._show(number)
        await self.strikes.moment("deal")
        await self.strikes.moment("stack")
        await self.strikes.moment("last_card")

    def _show(self, number: int) -> None:
        state = {
            "sequence": 1,
            "phase": "deal",
            "prompt": {"step": "deal", "who": "dealer", "text": ""},
            "round": {"number": number, "open": True},
            "methods": {"shuffle": "device", "deal": "auto_shoe", "start": "rng"},
        }
        self.view.take(json.dumps(state).encode())

    def came(self, kind: str, rule: str | None = None, **data: object) -> None:
        self.audience.last += 1
        event = {"type": kind, "data": data} | ({"rule": f"58 Pa. Code § {rule}"} if rule else {})
        self.audience.events[self.audience.last] = event


async def test_the_first_round_is_played_in_peace(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "shoe-jam")
    await scene.round(1)
    assert scene.strikes.left() == ["shoe-jam"]
    assert not scene.shoe._is_armed("shoe-jam")
    await scene.round(2)
    assert scene.strikes.left() == []
    assert scene.shoe._is_armed("shoe-jam")


async def test_one_fault_a_round_in_the_order_asked_for(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "shoe-jam", "shoe-stop")
    await scene.round(1)
    await scene.round(2)
    assert scene.strikes.left() == ["shoe-stop"]
    await scene.round(3)
    assert scene.strikes.left() == []


async def test_a_fault_of_the_wire_is_lifted_after_its_round(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "bad-crc")
    await scene.round(1)
    await scene.round(2)
    assert scene.shoe.wire.cruelty.bad_check > 0
    await scene.round(3)
    assert scene.shoe.wire.cruelty.bad_check == 0


async def test_a_fault_that_people_overlook_makes_the_dealer_careless(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sort-mode")
    await scene.round(1)
    await scene.round(2)
    assert (scene.dealer.careless, scene.dealer.hasty) == (True, False)


async def test_a_shoe_that_gives_in_spite_of_its_lock_needs_a_hasty_dealer(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "draw-while-locked")
    await scene.round(1)
    assert not scene.dealer.hasty
    await scene.round(2)
    assert scene.dealer.hasty
    assert scene.shoe._is_armed("draw-while-locked")


async def test_a_full_disk_stays_full_until_somebody_makes_room(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "disk-full")
    await scene.round(1)
    assert not (tmp_path / FULL).exists()
    await scene.round(2)
    assert (tmp_path / FULL).exists()
    scene.disk.fill(False)
    assert not (tmp_path / FULL).exists()


async def test_a_fault_is_judged_by_what_came_after_it(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "face-up-one")
    scene.came("irregularity.raised", "687a.13(a)", code="face_up", outcome="discard")
    scene.came("round.completed")
    await scene.round(2)
    (before,) = scene.strikes.findings("dj-wild")
    assert before.missing == "no irregularity.raised 687a.13(a)"
    scene.came("irregularity.raised", "687a.13(a)", code="face_up", outcome="discard")
    scene.came("round.completed")
    (after,) = scene.strikes.findings("dj-wild")
    assert after.missing == ""


async def test_a_fault_that_never_struck_is_not_as_demanded(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "shoe-jam")
    assert scene.strikes.is_waiting("dj-wild")
    assert scene.strikes.findings("dj-wild")[0].missing == "it never struck"


def test_a_fault_that_must_go_unnoticed_is_judged_by_what_must_not_come(tmp_path: Path) -> None:
    scene = Scene(tmp_path, "sequence-wrap")
    scene.strikes.at_start()
    assert scene.shoe._is_armed("sequence-wrap")
    for kind in ("token.made", "round.dealt", "round.completed"):
        scene.came(kind)
    assert scene.strikes.findings("dj-wild")[0].missing == ""
    assert not scene.strikes.is_waiting("dj-wild")
    scene.came("link.facts_missing")
    assert not scene.strikes.is_waiting("dj-wild")
    assert scene.strikes.findings("dj-wild")[0].missing == "link.facts_missing came"

"""Two sensors on mock pins: a shuffler's runs are seen, its wires may break, its pins are free."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from hal import facts
from hal.edges import STORM_EDGES_MAX
from hal.gpio import Board, BoardError, open_factory
from hal.lamp_device import LampDevice
from tests.hal.lampwork import SETTINGS, Lamps, watched


async def test_a_run_is_seen_from_its_first_blinks_to_green() -> None:
    lamps = Lamps()
    lamps.light(green=True)
    async with watched(lamps):
        await lamps.told(facts.Restarted())
        started = facts.CycleStarted(1, "shuffle")
        await lamps.blink("green", lambda: started in lamps.facts())
        lamps.light(green=True)
        await lamps.told(facts.Ejected("A"))
        assert lamps.facts() == [
            facts.Lamp("green"), facts.Link(up=True), facts.Restarted(),
            facts.ShufflerLoaded("A"), started,
            facts.CycleEnded(1, "shuffle", "ok"), facts.Ejected("A"),
        ]  # fmt: skip
        stamps = [one.mono_ns for one in lamps.heard]
        assert stamps == sorted(stamps)
        assert stamps[-1] <= time.monotonic_ns()
        assert lamps.device.status() == {
            "link": "up", "lamp": "green", "cycles": 1, "edges_lost": 0, "storms": 0,
        }  # fmt: skip
    assert all(one.source == "shuffler" and one.receipt is None for one in lamps.heard)


@pytest.mark.parametrize("active_low", [True, False])
@pytest.mark.parametrize("normally_closed", [True, False])
async def test_red_is_red_however_it_is_wired(active_low: bool, normally_closed: bool) -> None:
    settings = replace(SETTINGS, active_low=active_low, red_normally_closed=normally_closed)
    lamps = Lamps(settings)
    lamps.light(red=True)
    async with watched(lamps):
        await lamps.told(facts.Lamp("red"))
        lamps.light(red=False)
        assert not lamps.device._sees("red")


async def test_a_cut_wire_of_red_reads_as_a_red_lamp() -> None:
    lamps = Lamps()
    lamps.light(green=True)
    async with watched(lamps):
        await lamps.told(facts.Lamp("green"))
        # A cut wire leaves the line at its pull.
        lamps.line("red").pin.drive_high()  # type: ignore[attr-defined]
        await lamps.told(facts.Lamp("red"))


async def test_beside_a_port_it_tells_the_colour_alone() -> None:
    lamps = Lamps(alone=False)
    lamps.light(green=True)
    async with watched(lamps):
        await lamps.told(facts.Lamp("green"))
        lamps.light(red=True)
        await lamps.told(facts.Lamp("red"))
        assert lamps.facts() == [facts.Lamp("green"), facts.Lamp("red")]


async def test_an_edge_that_never_arrived_is_made_up_for() -> None:
    lamps = Lamps()
    lamps.light(green=True)
    async with watched(lamps):
        await lamps.told(facts.Lamp("green"))
        lamps.line("red").deafen()
        lamps.light(red=True)
        await lamps.told(facts.Lamp("red"))


async def test_a_storm_of_edges_makes_it_unknown_and_is_over_afterwards() -> None:
    lamps = Lamps(alone=False)
    lamps.light(green=True)
    async with watched(lamps):
        await lamps.told(facts.Lamp("green"))

        def storm() -> None:
            for step in range(2 * STORM_EDGES_MAX):
                lamps._close("red", step % 2 == 1)

        async with asyncio.timeout(30):
            # A machine that stands still in the middle of one makes no storm of it.
            while not lamps.device.status()["storms"]:
                await asyncio.to_thread(storm)
        lamps.light(red=True)
        await lamps.told(facts.Lamp("red"))


async def test_an_error_of_the_sink_ends_it() -> None:
    lamps = Lamps()
    lamps.light(green=True)

    def fail(_heard: object) -> None:
        raise ZeroDivisionError

    lamps.sink = fail
    with pytest.raises(ZeroDivisionError):
        async with asyncio.timeout(20):
            await lamps.device.run()
    lamps.device.close()
    lamps.board.close()


def test_it_cannot_be_locked_and_says_so_by_doing_nothing() -> None:
    lamps = Lamps()
    lamps.device.lock(True)
    assert lamps.device.status()["link"] == "down"
    assert lamps.facts() == []
    lamps.board.close()


def test_a_line_of_another_purpose_is_refused_in_words() -> None:
    board = Board(open_factory("mock"))
    board.input("done", 24, active_low=True)
    with pytest.raises(BoardError, match="line 24 is wanted for lamp_red and for done"):
        LampDevice(SETTINGS, lambda heard: None, board)
    board.close()


def test_a_board_of_its_own_is_let_go() -> None:
    device = LampDevice(SETTINGS, lambda heard: None)
    device.close()
    device.close()
    LampDevice(SETTINGS, lambda heard: None).close()

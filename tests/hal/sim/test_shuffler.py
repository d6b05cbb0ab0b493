"""The simulated shuffler holds real cards, takes its time and fails as shufflers do."""

from pathlib import Path

import pytest

from hal import facts
from hal.errors import DeviceRefused
from hal.sim.shuffler import Shuffler
from tests.hal.sim.benches import bench
from tests.hal.wires import until


def fast(end: object) -> Shuffler:
    return Shuffler(end, speed=1000)  # type: ignore[arg-type]


async def test_a_good_cycle_gives_out_what_went_in(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load("A", 53)
        assert await it.sim.cycle() == "ok"
        assert await it.sim.eject() == 53
        await until(
            lambda: (
                it.facts[2:]
                == [
                    facts.ShufflerLoaded("A"),
                    facts.CycleStarted(1, "shuffle"),
                    facts.CycleEnded(1, "shuffle", "ok", 53, "A"),
                    facts.Ejected("A", 53),
                ]
            )
        )


@pytest.mark.parametrize(
    ("fault", "ending", "shown"),
    [
        ("short-deck", "ok", facts.CycleEnded(1, "shuffle", "ok", 52, "A")),
        ("long-deck", "ok", facts.CycleEnded(1, "shuffle", "ok", 54, "A")),
        ("sort-mode", "ok", facts.CycleEnded(1, "sort", "ok", 53, "A")),
        ("foreign-back", "ok", facts.Fault("foreign_back", 4)),
        ("red-lamp-says-ok", "ok", facts.Lamp("red")),
        ("shuffler-jam", "jam", facts.Jam("carousel", 3)),
        ("shuffler-stop", "stopped", facts.Stopped()),
        ("incomplete-cycle", "incomplete", facts.CycleEnded(1, "shuffle", "incomplete", 53, "A")),
        ("reboot-mid-round", "restarted", facts.Restarted()),
    ],
)
async def test_a_fault_of_the_cycle(tmp_path: Path, fault: str, ending: str, shown: object) -> None:
    async with bench(fast, tmp_path / "port") as it:
        it.sim.arm(fault)
        await it.sim.load("A", 53)
        assert await it.sim.cycle() == ending
        await until(lambda: shown in it.facts)


async def test_a_cycle_that_never_ran_leaves_no_trace_of_itself(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        it.sim.arm("never-started")
        await it.sim.load("A", 53)
        assert await it.sim.cycle() == "ok"
        assert await it.sim.eject() == 53
        await until(lambda: facts.Ejected("A", 53) in it.facts)
        assert it.of(facts.CycleStarted, facts.CycleEnded) == []


async def test_cards_left_inside_are_shuffled_into_the_next_batch(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        it.sim.arm("residue")
        await it.sim.load("A", 53)
        await it.sim.cycle()
        assert await it.sim.eject() == 37
        await until(lambda: facts.Residue(16) in it.facts)
        await it.sim.load("B", 53)
        await it.sim.cycle()
        assert await it.sim.eject() == 69


async def test_a_jam_is_cleared_by_hand_and_aborts_the_cycle(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        it.sim.arm("shuffler-jam")
        await it.sim.load("A", 53)
        await it.sim.cycle()
        with pytest.raises(DeviceRefused, match="JAMMED"):
            await it.sim.eject()
        await it.sim.clear()
        await until(lambda: facts.CycleEnded(1, "shuffle", "aborted", 53, "A") in it.facts)
        assert facts.JamCleared() in it.facts
        assert it.sim.take_out() == 53
        await it.sim.load("A", 53)
        assert await it.sim.cycle() == "ok"


async def test_a_locked_shuffler_starts_nothing_and_gives_nothing(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load("A", 53)
        it.device.lock(True)
        await until(lambda: it.sim.locked)
        with pytest.raises(DeviceRefused, match="locked"):
            await it.sim.cycle()
        with pytest.raises(DeviceRefused, match="locked"):
            await it.sim.eject()
        with pytest.raises(DeviceRefused, match="inside"):
            await it.sim.load("B", 53)

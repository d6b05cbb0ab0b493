"""Every wire fault of the menu is survived without one false fact."""

import asyncio
from pathlib import Path

import pytest

from hal import facts
from hal.sim import faults
from hal.sim.shoe import Shoe
from tests.hal.sim.benches import bench
from tests.hal.wires import until

MENU = [
    "short-deck",
    "long-deck",
    "foreign-back",
    "sort-mode",
    "never-started",
    "shuffler-jam",
    "shuffler-stop",
    "incomplete-cycle",
    "residue",
    "red-lamp-says-ok",
    "shoe-jam",
    "shoe-stop",
    "not-all-dealt",
    "short-stack",
    "long-stack",
    "face-up-one",
    "face-up-two",
    "overdraw",
    "draw-while-locked",
    "cover-card-early",
    "cover-card-never",
    "bad-crc",
    "noise",
    "split-frames",
    "triple-frames",
    "lost-frames",
    "silence-then-burst",
    "reboot-mid-round",
    "sequence-wrap",
    "unplug",
    "counterfeit",
    "slow-clock",
]


def fast(end: object) -> Shoe:
    return Shoe(end, speed=1000, seed=5)  # type: ignore[arg-type]


def test_the_menu_is_that_of_the_command_line() -> None:
    assert sorted(faults.FAULTS) == sorted(MENU)


def test_a_fault_of_the_other_device_is_refused() -> None:
    with pytest.raises(KeyError):
        faults.apply("shuffler-jam", fast(None))


@pytest.mark.parametrize(
    "fault",
    ["bad-crc", "noise", "split-frames", "triple-frames", "lost-frames", "silence-then-burst",
     "slow-clock"],
)  # fmt: skip
async def test_a_cruel_wire_makes_no_false_fact(tmp_path: Path, fault: str) -> None:
    async with bench(fast, tmp_path / "port") as it:
        faults.apply(fault, it.sim)
        await it.sim.load(53, "A")
        for _ in range(8):
            await it.sim.dispense(5)
            await asyncio.sleep(0.02)
        # Every event got through or is declared missing; then the wire is healed.
        await until(lambda: _accounted(it.facts) == 9, 6)
        faults.lift(it.sim)
        stacks = it.of(facts.StackDispensed)
        assert stacks == sorted(set(stacks), key=lambda stack: stack.number)
        assert all(stack.cards == 5 for stack in stacks)
        assert it.of(facts.Restarted, facts.IdentityChanged, facts.CardDrawn) == []


def _accounted(found: list[object]) -> int:
    events = sum(isinstance(fact, (facts.ShoeLoaded, facts.StackDispensed)) for fact in found)
    return events + sum(fact.count for fact in found if isinstance(fact, facts.FactsMissing))


async def test_a_counterfeit_is_noticed_and_not_believed(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await until(lambda: len(it.of(facts.Identity)) == 1)
        faults.apply("counterfeit", it.sim)
        await until(lambda: facts.IdentityChanged("Bench", "Shoe-1", "copy-1") in it.facts)
        await it.sim.load(53, "A")
        await asyncio.sleep(0.1)
        assert it.of(facts.ShoeLoaded) == []


async def test_a_pulled_plug_is_a_lost_link_and_comes_back(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53, "A")
        await it.sim.dispense(5)
        faults.apply("unplug", it.sim)
        await it.sim.dispense(5)
        # What it said before the host was back is given with its repeats, or declared missing.
        await until(lambda: _accounted(it.facts) == 3, 6)
        assert [fact.up for fact in it.of(facts.Link)] == [True, False, True]

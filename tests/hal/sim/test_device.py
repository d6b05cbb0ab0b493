"""Numbers, repeats, heartbeats and boots of a simulated device, heard by the real one."""

import asyncio
from pathlib import Path

from hal import facts
from hal.sim.device import REPEATS_MAX
from hal.sim.shoe import Shoe
from tests.hal.sim.benches import bench
from tests.hal.wires import until


def fast_shoe(end: object) -> Shoe:
    return Shoe(end, speed=200)  # type: ignore[arg-type]


async def test_an_acknowledged_event_is_said_once(tmp_path: Path) -> None:
    async with bench(fast_shoe, tmp_path / "shoe") as it:
        it.sim.lid(True)
        await until(lambda: it.sim.acknowledged == 1)
        await asyncio.sleep(0.3)
        assert it.device.status()["repeats"] == 0
        assert it.of(facts.Lid) == [facts.Lid(True)]


async def test_an_unacknowledged_event_is_repeated_three_times_and_heard_once(
    tmp_path: Path,
) -> None:
    async with bench(fast_shoe, tmp_path / "shoe", receipts=False) as it:
        it.sim.lid(True)
        await until(lambda: it.sim.unacknowledged == 1, 2)
        await until(lambda: it.device.status()["repeats"] == REPEATS_MAX)
        assert it.of(facts.Lid) == [facts.Lid(True)]


async def test_heartbeats_keep_their_time_whatever_the_speed(tmp_path: Path) -> None:
    async with bench(fast_shoe, tmp_path / "shoe") as it:
        before = it.device.status()["beats"]
        await asyncio.sleep(1.1)
        assert it.device.status()["beats"] in (before + 2, before + 3)  # type: ignore[operator]
        it.sim.arm("slow-clock")
        await asyncio.sleep(2.0)
        assert it.of(facts.Link) == [facts.Link(True)]


async def test_a_reboot_forgets_the_lock_and_the_host_holds_it_again(tmp_path: Path) -> None:
    async with bench(fast_shoe, tmp_path / "shoe") as it:
        it.device.lock(True)
        await until(lambda: it.sim.locked)
        boot = it.sim.boot
        await it.sim.reboot()
        assert it.sim.boot != boot
        await until(lambda: it.of(facts.Restarted) == [facts.Restarted()])
        await until(lambda: it.sim.locked)


async def test_numbers_that_wrap_lose_nothing(tmp_path: Path) -> None:
    def wrapping(end: object) -> Shoe:
        shoe = fast_shoe(end)
        shoe.arm("sequence-wrap")
        return shoe

    async with bench(wrapping, tmp_path / "shoe") as it:
        for _ in range(10):
            it.sim.lid(True)
        await until(lambda: len(it.of(facts.Lid)) == 10)
        assert it.sim.seq < 10
        assert it.of(facts.FactsMissing) == []


async def test_the_same_fault_codes_come_and_go(tmp_path: Path) -> None:
    async with bench(fast_shoe, tmp_path / "shoe") as it:
        it.sim.fault_on("301", 3)
        it.sim.fault_off("301")
        await until(
            lambda: (
                it.of(facts.Fault, facts.FaultCleared)
                == [facts.Fault("301", 3), facts.FaultCleared("301")]
            )
        )

"""The simulated shoe holds real cards, gives stacks and cards, and fails as shoes do."""

from pathlib import Path

import pytest

from hal import facts
from hal.errors import DeviceRefused
from hal.sim.shoe import EARLY_COVER_CARDS, Shoe
from tests.hal.sim.benches import bench
from tests.hal.wires import until


def fast(end: object) -> Shoe:
    return Shoe(end, speed=1000)  # type: ignore[arg-type]


async def test_stacks_and_remainder_add_up(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53, "A")
        for _ in range(7):
            assert await it.sim.dispense(7) == "ok"
        await it.sim.take_stack()
        with pytest.raises(DeviceRefused, match="4 cards left"):
            await it.sim.dispense(7)
        assert await it.sim.remainder() == 4
        await until(
            lambda: (
                it.facts[2:]
                == [
                    facts.ShoeLoaded(53, "A"),
                    *(facts.StackDispensed(n, 7) for n in range(1, 8)),
                    facts.StackTaken(7),
                    facts.RemainderRemoved(4),
                ]
            )
        )


@pytest.mark.parametrize(
    ("fault", "ending", "shown"),
    [
        ("short-stack", "ok", facts.StackDispensed(2, 4)),
        ("long-stack", "ok", facts.StackDispensed(2, 6)),
        ("shoe-jam", "jam", facts.Jam("exit", 2)),
        ("shoe-stop", "stopped", facts.Stopped()),
        ("not-all-dealt", "incomplete", facts.Incomplete(1)),
        ("reboot-mid-round", "restarted", facts.Restarted()),
    ],
)
async def test_a_fault_of_the_deal(tmp_path: Path, fault: str, ending: str, shown: object) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53, "A")
        assert await it.sim.dispense(5) == "ok"
        it.sim.arm(fault)
        assert await it.sim.dispense(5) == ending
        await until(lambda: shown in it.facts)


@pytest.mark.parametrize(("fault", "number"), [("face-up-one", 1), ("face-up-two", 2)])
async def test_boxed_cards_pass_the_sensor_face_up(tmp_path: Path, fault: str, number: int) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53, "A")
        it.sim.arm(fault)
        await it.sim.dispense(5)
        await until(lambda: facts.StackDispensed(1, 5) in it.facts)
        cards = it.of(facts.CardDrawn)
        assert [card.face for card in cards] == ["up"] * number


async def test_a_card_too_many_comes_out_after_the_last_stack(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53)
        await it.sim.dispense(5)
        it.sim.arm("overdraw")
        assert await it.sim.remainder() == 47
        await until(lambda: it.facts[-2:] == [
            facts.StackDispensed(2, 1), facts.RemainderRemoved(47)
        ])  # fmt: skip


async def test_a_locked_shoe_gives_nothing_unless_it_is_broken(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53)
        it.device.lock(True)
        await until(lambda: it.sim.locked)
        with pytest.raises(DeviceRefused, match="locked"):
            await it.sim.dispense(5)
        it.sim.arm("draw-while-locked")
        assert await it.sim.dispense(5) == "ok"
        it.device.lock(False)
        await until(lambda: not it.sim.locked)
        assert await it.sim.dispense(5) == "ok"


@pytest.mark.parametrize(
    ("fault", "before_cover"), [(None, 40), ("cover-card-early", EARLY_COVER_CARDS)]
)
async def test_the_cover_card_comes_where_it_lies(
    tmp_path: Path, fault: str | None, before_cover: int
) -> None:
    async with bench(fast, tmp_path / "port") as it:
        if fault is not None:
            it.sim.arm(fault)
        await it.sim.load(52, "A", cover_from_bottom=12)
        for _ in range(52):
            await it.sim.draw()
        await until(lambda: facts.Emptied() in it.facts)
        cards = it.of(facts.CardDrawn, facts.CoverCardSeen)
        assert cards.index(facts.CoverCardSeen()) == before_cover


async def test_a_jam_is_cleared_through_the_lid(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(53)
        it.sim.jam()
        with pytest.raises(DeviceRefused, match="JAMMED"):
            await it.sim.dispense(5)
        await it.sim.clear()
        await until(lambda: it.facts[-3:] == [
            facts.Lid(True), facts.Lid(False), facts.JamCleared()
        ])  # fmt: skip
        assert await it.sim.dispense(5) == "ok"


@pytest.mark.parametrize(
    ("fault", "state", "shown"),
    [
        ("shoe-jam", "JAMMED", facts.Jam("exit", 2)),
        ("shoe-stop", "HALTED", facts.Stopped()),
        ("reboot-mid-round", "READY", facts.Restarted()),
    ],
)
async def test_a_fault_of_the_draw_comes_after_the_first_card(
    tmp_path: Path, fault: str, state: str, shown: object
) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(52, "A")
        it.sim.arm(fault)
        assert await it.sim.draw() == 1
        assert await it.sim.draw() == 1
        assert (it.sim.state, it.sim.cards) == (state, 51)
        await until(lambda: shown in it.facts)


async def test_a_reading_shoe_reads_what_is_exposed_and_nothing_else(tmp_path: Path) -> None:
    def reading(end: object) -> Shoe:
        return Shoe(end, speed=1000, reads=True)  # type: ignore[arg-type]

    async with bench(reading, tmp_path / "port") as it:
        await it.sim.load(52, "A")
        await it.sim.draw()
        await it.sim.draw("up")
        up = facts.CardDrawn(2, "up", *it.sim.out[1])  # type: ignore[arg-type]
        await until(lambda: it.of(facts.CardDrawn) == [facts.CardDrawn(1, "down"), up])


async def test_a_shoe_without_eyes_tells_no_rank(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(52, "A")
        await it.sim.draw("up")
        await until(lambda: it.of(facts.CardDrawn) == [facts.CardDrawn(1, "up")])


@pytest.mark.parametrize(("fault", "faces"), [
    ("face-up-one", ["up", "down", "down"]), ("face-up-two", ["up", "up", "down"]),
])  # fmt: skip
async def test_boxed_cards_are_drawn_one_by_one(
    tmp_path: Path, fault: str, faces: list[str]
) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(52, "A")
        it.sim.arm(fault)
        for _ in range(3):
            await it.sim.draw()
        assert it.sim.boxed == faces.count("up")
        await until(lambda: [card.face for card in it.of(facts.CardDrawn)] == faces)


async def test_two_cards_come_out_at_once(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(52, "A")
        it.sim.arm("overdraw")
        assert [await it.sim.draw() for _ in range(2)] == [2, 3]
        assert (it.sim.cards, it.sim.dealt) == (49, 3)


async def test_a_card_slips_out_after_the_last_one(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        await it.sim.load(52, "A")
        await it.sim.draw()
        assert await it.sim.rest() == 0
        it.sim.arm("overdraw")
        assert await it.sim.rest() == 1
        assert (it.sim.drawn, it.sim.cards) == (2, 50)
        await until(lambda: len(it.of(facts.CardDrawn)) == 2)


async def test_a_cover_card_that_never_comes(tmp_path: Path) -> None:
    async with bench(fast, tmp_path / "port") as it:
        it.sim.arm("cover-card-never")
        await it.sim.load(52, "A", cover_from_bottom=26)
        for _ in range(52):
            await it.sim.draw()
        await until(lambda: facts.Emptied() in it.facts)
        assert it.sim.covers == 0
        assert it.of(facts.CoverCardSeen) == []

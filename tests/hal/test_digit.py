"""The digit on mock pins: what stands, what reads back, and darkness where the two disagree."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from hal.digit import Digit
from hal.gpio import Input
from hal.segments import SEGMENTS, glyph_of
from hal.sim.panel import SimBoard

SETTLED_S = 0.03


@dataclass
class Bench:
    """A digit, its board, and what it said."""

    digit: Digit
    board: SimBoard
    senses: dict[str, Input]
    shown: list[tuple[int, int]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def seen(self) -> str:
        lit = {name for name in SEGMENTS if self.board.outputs[f"segment_{name}"].reads_on()}
        return glyph_of(frozenset(lit)) or "?"

    def sense(self, segment: str, on: bool) -> None:
        pin = self.senses[segment].pin
        (pin.drive_high if on else pin.drive_low)()  # type: ignore[attr-defined]


def bench_of(common_anode: bool = False, sensed: bool = False) -> Bench:
    board = SimBoard()
    outputs = {
        name: board.output(f"segment_{name}", line, common_anode)
        for line, name in enumerate(SEGMENTS)
    }
    senses = {
        name: board.input(f"sense_{name}", line, active_low=False)
        for line, name in enumerate(SEGMENTS if sensed else (), start=10)
    }
    shown: list[tuple[int, int]] = []
    faults: list[str] = []
    digit = Digit(outputs, senses, 5, lambda *both: shown.append(both), faults.append)
    return Bench(digit, board, senses, shown, faults)


@pytest.fixture(params=[False, True], ids=["common cathode", "common anode"])
async def bench(request: pytest.FixtureRequest) -> AsyncIterator[Bench]:
    bench = bench_of(common_anode=request.param)
    yield bench
    bench.digit.close()
    bench.board.close()


async def test_a_digit_is_dark_before_it_is_opened_and_after_it_is_closed(bench: Bench) -> None:
    assert bench.seen() == " "
    bench.digit.show("5")
    assert bench.seen() == " "
    bench.digit.open(asyncio.get_running_loop())
    assert bench.seen() == "5"
    bench.digit.close()
    assert bench.seen() == " "


@pytest.mark.parametrize("number", range(1, 8))
async def test_each_number_of_a_draw_stands_and_reads_back(bench: Bench, number: int) -> None:
    bench.digit.open(asyncio.get_running_loop())
    bench.digit.show(str(number))
    await asyncio.sleep(SETTLED_S)
    assert bench.seen() == str(number)
    assert bench.shown == [(number, number)]
    assert bench.faults == []


async def test_a_dash_and_a_blank_are_no_number(bench: Bench) -> None:
    bench.digit.open(asyncio.get_running_loop())
    for glyph in "- ":
        bench.digit.show(glyph)
        await asyncio.sleep(SETTLED_S)
        assert bench.seen() == glyph
    assert bench.shown == []


async def test_the_same_glyph_again_is_no_second_showing(bench: Bench) -> None:
    bench.digit.open(asyncio.get_running_loop())
    for _ in range(3):
        bench.digit.show("4")
        await asyncio.sleep(SETTLED_S)
    bench.digit.show(" ")
    bench.digit.show("4")
    await asyncio.sleep(SETTLED_S)
    assert bench.shown == [(4, 4), (4, 4)]


async def test_a_seven_that_would_look_like_a_one_goes_dark_and_is_told(bench: Bench) -> None:
    bench.digit.open(asyncio.get_running_loop())
    bench.board.outputs["segment_a"].dead = True
    bench.digit.show("7")
    await asyncio.sleep(SETTLED_S)
    assert bench.seen() == " "
    assert bench.shown == [(7, 1)]
    assert bench.faults == ["a"]
    bench.digit.show("7")
    await asyncio.sleep(SETTLED_S)
    assert bench.shown == [(7, 1)]


async def test_a_pattern_that_is_no_number_reads_back_as_zero(bench: Bench) -> None:
    bench.digit.open(asyncio.get_running_loop())
    bench.board.outputs["segment_g"].dead = True
    bench.digit.show("2")
    await asyncio.sleep(SETTLED_S)
    assert bench.shown == [(2, 0)]


async def test_a_number_without_the_dead_segment_is_right_and_stands(bench: Bench) -> None:
    bench.digit.open(asyncio.get_running_loop())
    bench.board.outputs["segment_a"].dead = True
    bench.digit.show("1")
    await asyncio.sleep(SETTLED_S)
    assert bench.seen() == "1"
    assert bench.shown == [(1, 1)]


async def test_a_wire_that_comes_off_while_a_number_stands_makes_it_dark(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hal.digit.WATCH_S", 0.02)
    bench.digit.open(asyncio.get_running_loop())
    bench.digit.show("3")
    await asyncio.sleep(SETTLED_S)
    bench.board.outputs["segment_b"].dead = True
    await asyncio.sleep(0.06)
    assert bench.seen() == " "
    assert bench.faults == ["b"]


async def test_the_self_test_lights_every_segment_and_ends_dark(bench: Bench) -> None:
    seen: set[str] = set()

    async def watch() -> None:
        while True:
            seen.update(
                name for name in SEGMENTS if bench.board.outputs[f"segment_{name}"].reads_on()
            )
            await asyncio.sleep(0.001)

    watcher = asyncio.create_task(watch())
    await bench.digit.self_test(10)
    watcher.cancel()
    assert seen == set(SEGMENTS)
    assert bench.seen() == " "
    assert bench.faults == []


@pytest.mark.parametrize("segment", SEGMENTS)
async def test_the_self_test_finds_any_dead_segment_and_clears_it_when_mended(
    bench: Bench, segment: str
) -> None:
    bench.board.outputs[f"segment_{segment}"].dead = True
    await bench.digit.self_test(0)
    assert bench.faults == [segment]
    assert bench.digit.failing == (segment,)
    bench.board.outputs[f"segment_{segment}"].dead = False
    await bench.digit.self_test(0)
    assert bench.digit.failing == ()


async def test_a_test_pattern_may_not_replace_what_is_shown(bench: Bench) -> None:
    bench.digit.open(asyncio.get_running_loop())
    with pytest.raises(AssertionError, match="test pattern"):
        await bench.digit.self_test(0)


async def test_a_sense_line_that_sees_no_light_outvotes_the_driver() -> None:
    bench = bench_of(sensed=True)
    bench.digit.open(asyncio.get_running_loop())
    bench.digit.show("7")
    for segment in "bc":
        bench.sense(segment, on=True)
    await asyncio.sleep(SETTLED_S)
    assert bench.shown == [(7, 1)]
    assert bench.faults == ["a"]
    bench.digit.close()
    bench.board.close()


async def test_sense_lines_that_see_the_light_agree() -> None:
    bench = bench_of(sensed=True)
    bench.digit.open(asyncio.get_running_loop())
    bench.digit.show("7")
    for segment in "abc":
        bench.sense(segment, on=True)
    await asyncio.sleep(SETTLED_S)
    assert bench.shown == [(7, 7)]
    bench.digit.close()
    bench.board.close()


async def test_a_table_without_a_digit_can_show_no_number() -> None:
    shown: list[tuple[int, int]] = []
    digit = Digit({}, {}, 0, lambda *both: shown.append(both), lambda _segment: None)
    await digit.self_test(0)
    digit.open(asyncio.get_running_loop())
    digit.show("3")
    await asyncio.sleep(SETTLED_S)
    assert shown == [(3, 0)]
    digit.close()

"""Switches on mock pins that worker threads drive, with asyncio's own checks on."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from hal.debounce import STABLE_MS, Change
from hal.gpio import Board, Input, open_factory
from hal.switches import Switches

LINES = {"rng": 17, "done": 27, "key": 16, "case": 26}
BUTTONS = frozenset({"rng", "done"})


@dataclass
class Bench:
    """Switches under test, what they said, and the metal to drive from other threads."""

    switches: Switches
    inputs: dict[str, Input]
    heard: list[tuple[str, Change]] = field(default_factory=list)

    def set(self, name: str, closed: bool) -> None:
        pin = self.inputs[name].pin
        # The library looks for the listener and calls it in two steps, between which the loop may
        # have taken it away: then nobody listens, and nothing is to be told.
        with contextlib.suppress(TypeError):
            (pin.drive_low if closed else pin.drive_high)()  # type: ignore[attr-defined]

    async def until(self, count: int) -> None:
        """Wait until so many changes were heard, on a machine of any load."""
        async with asyncio.timeout(5):
            while len(self.heard) < count:
                await asyncio.sleep(0.005)

    async def in_thread(self, act: Callable[[], None]) -> None:
        await asyncio.to_thread(act)


@pytest.fixture
async def bench() -> AsyncIterator[Bench]:
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    board = Board(open_factory("mock"))
    inputs = {name: board.input(name, line, active_low=True) for name, line in LINES.items()}
    heard: list[tuple[str, Change]] = []
    home = threading.get_ident()

    def hear(name: str, change: Change, _at_ns: int) -> None:
        assert threading.get_ident() == home
        heard.append((name, change))

    switches = Switches(inputs, BUTTONS, STABLE_MS, hear)
    bench = Bench(switches, inputs, heard)
    switches.open(loop)
    yield bench
    switches.close()
    board.close()


async def test_a_press_from_another_thread_is_heard_once_on_the_loop(bench: Bench) -> None:
    await bench.in_thread(lambda: bench.set("rng", True))
    await bench.until(1)
    assert bench.heard == [("rng", Change.DOWN)]
    await bench.in_thread(lambda: bench.set("rng", False))
    await bench.until(2)
    assert bench.heard == [("rng", Change.DOWN), ("rng", Change.UP)]


async def test_four_threads_on_four_lines_give_a_change_each(bench: Bench) -> None:
    def bounce(name: str) -> None:
        for index in range(21):
            bench.set(name, index % 2 == 0)
            threading.Event().wait(0.0003)

    await asyncio.gather(*(bench.in_thread(lambda name=name: bounce(name)) for name in LINES))
    await asyncio.sleep(0.08)
    assert sorted(bench.heard) == sorted((name, Change.DOWN) for name in LINES)


async def test_a_stalled_loop_still_judges_by_the_stamps_of_the_edges(bench: Bench) -> None:
    def touch_and_press() -> None:
        bench.set("rng", True)
        threading.Event().wait(0.01)
        bench.set("rng", False)
        bench.set("done", True)
        threading.Event().wait(0.08)
        bench.set("done", False)

    thread = threading.Thread(target=touch_and_press)
    thread.start()
    thread.join()  # the loop sees nothing of this until it is over
    await asyncio.sleep(0.06)
    assert bench.heard == [("done", Change.DOWN), ("done", Change.UP)]


async def test_a_storm_is_told_once_and_the_line_serves_again_after_it(bench: Bench) -> None:
    def storm() -> None:
        for index in range(5_000):
            bench.set("rng", index % 2 == 0)
        bench.set("rng", False)

    await bench.in_thread(storm)
    await bench.until(1)
    await asyncio.sleep(0.3)
    assert bench.heard == [("rng", Change.STUCK)]
    assert bench.switches.storms == 1
    await bench.in_thread(lambda: bench.set("rng", True))
    await bench.until(2)
    assert bench.heard[1:] == [("rng", Change.DOWN)]


async def test_a_storm_on_one_line_does_not_keep_another_from_being_heard(bench: Bench) -> None:
    over = threading.Event()

    def storm() -> None:
        index = 0
        while not over.wait(0.0001):
            index += 1
            bench.set("rng", index % 2 == 0)

    task = asyncio.create_task(bench.in_thread(storm))
    await asyncio.sleep(0.15)
    await bench.in_thread(lambda: bench.set("done", True))
    await asyncio.sleep(0.1)
    over.set()
    await task
    assert ("done", Change.DOWN) in bench.heard
    assert ("rng", Change.DOWN) not in bench.heard


async def test_a_line_that_lost_edges_in_anothers_storm_is_read_again_and_not_blamed(
    bench: Bench,
) -> None:
    def storm() -> None:
        for index in range(5_000):
            bench.set("rng", index % 2 == 0)
        bench.set("done", True)

    thread = threading.Thread(target=storm)
    thread.start()
    thread.join()  # the queue is full before the loop sees any of it
    await asyncio.sleep(0.06)
    assert bench.switches.edges_lost > 3_000
    assert bench.heard == [("rng", Change.STUCK), ("done", Change.DOWN)]


async def test_lost_edges_that_no_line_is_to_blame_for_are_told_of_each(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.switches._edges, "_edges_max", 2)

    def touch_all() -> None:
        for name in LINES:
            bench.set(name, True)

    thread = threading.Thread(target=touch_all)
    thread.start()
    thread.join()
    await asyncio.sleep(0)
    assert [change for _, change in bench.heard] == [Change.STUCK, Change.STUCK]
    await asyncio.sleep(0.3)
    # Nothing was lost in the end: every line is read again.
    assert sorted(name for name, change in bench.heard if change is Change.DOWN) == sorted(LINES)


async def test_five_thousand_edges_in_a_tenth_of_a_second_cost_less_than_fifty_milliseconds(
    bench: Bench,
) -> None:
    asyncio.get_running_loop().set_debug(False)
    pin = bench.inputs["rng"].pin

    def storm() -> None:
        start = time.monotonic()
        for index in range(5_000):
            bench.set("rng", index % 2 == 0)
            if index % 500 == 499:
                threading.Event().wait(max(0, start + (index + 1) / 50_000 - time.monotonic()))

    def cost_of_the_mock_alone() -> float:
        other = Board(open_factory("mock")).input("x", 5, active_low=True).pin
        before = time.thread_time()
        for index in range(5_000):
            (other.drive_low if index % 2 else other.drive_high)()  # type: ignore[attr-defined]
        return time.thread_time() - before

    mock_s = cost_of_the_mock_alone()
    before = time.process_time()
    await bench.in_thread(storm)
    await asyncio.sleep(0.05)
    assert time.process_time() - before - mock_s < 0.05
    assert pin.when_changed is None, "a line in a storm is listened to"


async def test_an_edge_that_was_merged_away_cannot_make_a_press(bench: Bench) -> None:
    pin = bench.inputs["rng"].pin
    await bench.in_thread(lambda: bench.set("rng", True))
    # The release reaches the metal, but no callback comes of it.
    pin._edges = "none"  # type: ignore[attr-defined]
    await bench.in_thread(lambda: bench.set("rng", False))
    await asyncio.sleep(0.1)
    assert bench.heard == []


async def test_a_stuck_button_is_told_and_a_key_left_in_is_not(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hal.switches.STUCK_MS", 100)
    bench.switches.open(asyncio.get_running_loop())
    await bench.in_thread(lambda: (bench.set("done", True), bench.set("key", True)))
    await asyncio.sleep(0.25)
    assert sorted(name for name, change in bench.heard if change is Change.STUCK) == ["done"]


async def test_nothing_is_heard_after_close(bench: Bench) -> None:
    await bench.in_thread(lambda: bench.set("rng", True))
    bench.switches.close()
    await asyncio.sleep(0.06)
    assert bench.heard == []

"""The bounded way from the pins' threads to the loop."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from hal.edges import STORM_EDGES_MAX, STORM_WINDOW_NS, Edges, Storm


async def test_edges_of_four_threads_arrive_complete_in_order_on_the_loop() -> None:
    loop = asyncio.get_running_loop()
    loop.set_debug(True)
    edges, taken, home = Edges(), [], threading.get_ident()

    def wake() -> None:
        assert threading.get_ident() == home
        taken.extend(edges.take().edges)

    edges.open(loop, wake)

    def drive(name: str) -> None:
        for index in range(200):
            edges.put(name, index % 2 == 0)

    threads = [threading.Thread(target=drive, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while len(taken) < 800:
        await asyncio.sleep(0.001)
    for thread in threads:
        thread.join()
    assert [stamp for _, stamp, _ in taken] == sorted(stamp for _, stamp, _ in taken)
    for name in "abcd":
        levels = [closed for line, _, closed in taken if line == name]
        assert levels == [index % 2 == 0 for index in range(200)]


def test_a_full_queue_counts_what_it_loses_for_each_line() -> None:
    edges = Edges(edges_max=3)
    for name in "aabbb":
        edges.put(name, True)
    taken = edges.take()
    assert [name for name, _, _ in taken.edges] == ["a", "a", "b"]
    assert taken.lost == {"b": 2}
    assert edges.lost_total == 2
    edges.put("a", False)
    assert edges.take().lost == {}


async def test_the_loop_is_woken_once_for_many_edges_and_again_after_a_take() -> None:
    edges, wakes = Edges(), []
    edges.open(asyncio.get_running_loop(), lambda: wakes.append(1))
    for _ in range(500):
        edges.put("a", True)
    await asyncio.sleep(0.01)
    assert len(wakes) == 1
    edges.take()
    edges.put("a", False)
    await asyncio.sleep(0.01)
    assert len(wakes) == 2


def test_no_later_edge_is_stamped_before_the_time_of_a_take() -> None:
    edges, stop = Edges(), threading.Event()

    def drive() -> None:
        while not stop.is_set():
            edges.put("a", True)

    thread = threading.Thread(target=drive)
    thread.start()
    now_ns = 0
    for _ in range(300):
        taken = edges.take()
        assert all(now_ns <= at_ns <= taken.now_ns for _, at_ns, _ in taken.edges)
        now_ns = taken.now_ns
    stop.set()
    thread.join()


def test_an_edge_after_the_loop_was_closed_harms_nobody() -> None:
    loop = asyncio.new_event_loop()
    edges = Edges()
    edges.open(loop, lambda: None)
    loop.close()
    edges.put("a", True)
    edges.close()
    edges.put("a", False)
    assert len(edges.take().edges) == 2


@pytest.mark.parametrize(
    ("edges", "storm"), [(STORM_EDGES_MAX, False), (STORM_EDGES_MAX + 1, True)]
)
def test_more_edges_in_a_window_than_a_switch_can_make_are_a_storm(edges: int, storm: bool) -> None:
    counter = Storm()
    step_ns = (STORM_WINDOW_NS - 1) // STORM_EDGES_MAX
    results = [counter.breaks_out("a", index * step_ns) for index in range(edges)]
    assert results[-1] is storm
    assert not any(results[:-1])


def test_a_storm_on_one_line_does_not_count_for_another() -> None:
    counter = Storm()
    assert not any(counter.breaks_out(f"line-{index % 2}", 0) for index in range(512))


def test_putting_five_thousand_edges_costs_less_than_fifty_milliseconds() -> None:
    edges = Edges()
    before = time.thread_time()
    for index in range(5_000):
        edges.put("a", index % 2 == 0)
    assert time.thread_time() - before < 0.05

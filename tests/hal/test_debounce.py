"""The debounce machine against its bounds and against an independent model of whole traces."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.debounce import (
    NS_PER_MS,
    STABLE_MS,
    STABLE_MS_MAX,
    STABLE_MS_MIN,
    STUCK_MS,
    Change,
    Debouncer,
    Settled,
)

# One edge: ms after the one before, and the level that follows.
Edges = list[tuple[int, bool]]


def ms(value: int) -> int:
    return value * NS_PER_MS


def fed(debouncer: Debouncer, edges: Edges, end_ms: int) -> list[tuple[Change, int]]:
    """Everything that settles while `edges` arrive and time passes up to `end_ms`."""
    now_ms, out = 0, []
    for after_ms, down in edges:
        now_ms += after_ms
        out += debouncer.edge(ms(now_ms), down)
    out += debouncer.check(ms(end_ms))
    return [(settled.change, settled.at_ns // NS_PER_MS) for settled in out]


@pytest.mark.parametrize(
    ("held_ms", "pressed"), [(1, False), (29, False), (30, True), (31, True), (200, True)]
)
def test_a_press_is_one_that_lasts_thirty_milliseconds(held_ms: int, pressed: bool) -> None:
    changes = fed(Debouncer(False, 0), [(10, True), (held_ms, False)], 1_000)
    assert (Change.DOWN in [change for change, _ in changes]) is pressed


@pytest.mark.parametrize("pause_ms", [1, 5, 29])
def test_a_short_release_inside_a_press_makes_no_second_press(pause_ms: int) -> None:
    changes = fed(Debouncer(False, 0), [(10, True), (100, False), (pause_ms, True)], 1_000)
    assert changes == [(Change.DOWN, 40)]


@pytest.mark.parametrize("glitch_ms", range(1, 30))
def test_a_glitch_just_before_a_press_does_not_disable_it(glitch_ms: int) -> None:
    changes = fed(Debouncer(False, 0), [(10, True), (glitch_ms, False), (1, True)], 1_000)
    assert changes == [(Change.DOWN, 10 + glitch_ms + 1 + STABLE_MS)]


def test_a_long_train_of_glitches_makes_no_press_and_the_next_one_counts() -> None:
    train: Edges = [(1, index % 2 == 0) for index in range(5_000)]
    changes = fed(Debouncer(False, 0), [*train, (40, True)], 5_040 + STABLE_MS)
    assert changes == [(Change.DOWN, 5_040 + STABLE_MS)]


# Gaps in ms between the edges of a contact that closes or opens, worn and new.
@pytest.mark.parametrize(
    "gaps",
    [
        [0, 1],
        [1, 1, 1, 2, 1, 3],
        [4, 1, 7, 1, 1, 1, 12, 2],
        [1, 25, 1, 25, 1, 25],
    ],
)
def test_a_bouncing_contact_gives_one_press_and_one_release(gaps: list[int]) -> None:
    down: Edges = [(gap, index % 2 == 0) for index, gap in enumerate(gaps)] + [(1, True)]
    up: Edges = [(100, False)] + [(gap, index % 2 == 0) for index, gap in enumerate(gaps)]
    up += [(1, False)]
    changes = fed(Debouncer(False, 0), down + up, 2_000)
    assert [change for change, _ in changes] == [Change.DOWN, Change.UP]


# Orders of magnitude of usual contacts, none recorded by us: (edges, gap in us at most).
SHAPES = {
    "gold contact": (2, 60),
    "tact switch": (10, 400),
    "key switch": (14, 1_500),
    "dirty contact": (40, 3_000),
    "loose spade terminal": (24, 9_000),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_two_thousand_bouncing_presses_are_each_heard_once(shape: str) -> None:
    """Random gaps of each shape; finger and contact rest between as long as they must at least."""
    edges_max, gap_us_max = SHAPES[shape]
    source, debouncer, now_us = random.Random(7), Debouncer(False, 0), 0
    heard: list[tuple[Change, int]] = []
    for press in range(2_000):
        for level in (True, False):
            for edge in range(2 * source.randint(0, edges_max // 2) + 1):
                now_us += source.randint(20, gap_us_max)
                closed = level if edge % 2 == 0 else not level
                heard += [(one.change, press) for one in debouncer.edge(now_us * 1_000, closed)]
            now_us += source.randint(STABLE_MS * 1_000, 400_000)
            heard += [(one.change, press) for one in debouncer.check(now_us * 1_000)]
    expected = [(change, press) for press in range(2_000) for change in (Change.DOWN, Change.UP)]
    assert heard == expected


@pytest.mark.parametrize(("end_ms", "stuck"), [(STUCK_MS - 1, 0), (STUCK_MS, 1), (60_000, 1)])
def test_a_button_is_stuck_once_after_five_seconds(end_ms: int, stuck: int) -> None:
    changes = fed(Debouncer(False, 0), [(0, True)], STABLE_MS + end_ms)
    assert [change for change, _ in changes].count(Change.STUCK) == stuck


def test_a_button_that_came_free_can_be_pressed_and_stick_again() -> None:
    edges: Edges = [(0, True), (6_000, False), (100, True), (6_000, False)]
    changes = [change for change, _ in fed(Debouncer(False, 0), edges, 20_000)]
    assert changes == 2 * [Change.DOWN, Change.STUCK, Change.UP]


def test_a_button_found_down_was_not_pressed_but_may_be_stuck() -> None:
    debouncer = Debouncer(True, 0)
    assert fed(debouncer, [], STUCK_MS) == [(Change.STUCK, STUCK_MS)]
    assert fed(debouncer, [(STUCK_MS + 1, False)], 9_000) == [(Change.UP, STUCK_MS + 1 + STABLE_MS)]


def test_a_switch_that_may_rest_down_is_never_stuck() -> None:
    debouncer = Debouncer(True, 0, stuck_ms=None)
    assert debouncer.check_at_ns is None
    assert fed(debouncer, [], 3_600_000) == []


def test_lost_edges_void_what_was_about_to_settle() -> None:
    debouncer = Debouncer(False, 0)
    debouncer.edge(ms(10), True)
    assert debouncer.missed(ms(100), True) == ()
    assert debouncer.check(ms(100 + STABLE_MS) - 1) == ()
    assert debouncer.check(ms(100 + STABLE_MS)) == (Settled(Change.DOWN, ms(100 + STABLE_MS)),)


def test_stamps_that_run_backwards_between_threads_do_not_bring_time_back() -> None:
    debouncer = Debouncer(False, 0)
    debouncer.edge(ms(100), True)
    debouncer.edge(ms(90), False)
    debouncer.edge(ms(95), True)
    assert debouncer.check_at_ns == ms(100 + STABLE_MS)


@pytest.mark.parametrize("stable_ms", [STABLE_MS_MIN - 1, STABLE_MS_MAX + 1])
def test_a_stable_time_outside_of_twenty_to_fifty_is_refused(stable_ms: int) -> None:
    with pytest.raises(ValueError, match="20 to 50"):
        Debouncer(False, 0, stable_ms=stable_ms)


@pytest.mark.parametrize("stable_ms", [STABLE_MS_MIN, STABLE_MS_MAX])
def test_twenty_and_fifty_are_lawful(stable_ms: int) -> None:
    changes = fed(Debouncer(False, 0, stable_ms=stable_ms), [(0, True)], stable_ms)
    assert changes == [(Change.DOWN, stable_ms)]


def model(down: bool, edges: Edges, end_ms: int, stable_ms: int) -> list[tuple[Change, int]]:
    """What a person with the whole trace on paper would mark: long stretches, then long holds."""
    times, now = [(0, down)], 0
    for after_ms, level in edges:
        now += after_ms
        times.append((now, level))
    stretches = zip(times, [*(at for at, _ in times[1:]), end_ms], strict=True)
    marks: list[tuple[Change, int]] = []
    held, holds = down, [0] if down else []
    releases: list[int] = []
    for (start, level), stop in stretches:
        if level != held and stop - start >= stable_ms:
            held = level
            (holds if level else releases).append(start + stable_ms)
    released = [*releases, *([end_ms + STUCK_MS + 1] * (len(holds) - len(releases)))]
    for start, stop in zip(holds, released, strict=True):
        if start + STUCK_MS < stop and start + STUCK_MS <= end_ms:
            marks.append((Change.STUCK, start + STUCK_MS))
    marks += [(Change.DOWN, at) for at in (holds[1:] if down else holds)]
    marks += [(Change.UP, at) for at in releases]
    return sorted(marks, key=lambda mark: mark[1])


GAPS = st.one_of(
    st.integers(0, 60), st.sampled_from([29, 30, 31, STUCK_MS - 30, STUCK_MS, STUCK_MS + 30])
)


@given(
    down=st.booleans(),
    edges=st.lists(st.tuples(GAPS, st.booleans()), max_size=40),
    rest_ms=GAPS,
    looks=st.lists(st.integers(0, 20_000), max_size=20),
    stable_ms=st.integers(STABLE_MS_MIN, STABLE_MS_MAX),
)
def test_any_trace_looked_at_at_any_times_gives_what_the_model_marks(
    down: bool, edges: Edges, rest_ms: int, looks: list[int], stable_ms: int
) -> None:
    end_ms = sum(gap for gap, _ in edges) + rest_ms
    debouncer = Debouncer(down, 0, stable_ms=stable_ms)
    out: list[Settled] = []
    now_ms, left = 0, sorted(looks)
    for gap, level in edges:
        now_ms += gap
        while left and left[0] < now_ms:
            out += debouncer.check(ms(left.pop(0)))
        out += debouncer.edge(ms(now_ms), level)
    out += debouncer.check(ms(end_ms))
    got = [(settled.change, settled.at_ns // NS_PER_MS) for settled in out]
    assert got == model(down, edges, end_ms, stable_ms)


@given(edges=st.lists(st.tuples(st.integers(0, 60), st.booleans()), max_size=40))
def test_whoever_only_looks_when_told_to_misses_nothing(edges: Edges) -> None:
    told, often = Debouncer(False, 0), Debouncer(False, 0)
    by_told, by_often, now_ms = [], [], 0
    for gap, level in [*edges, (6_000, False)]:
        for _ in range(gap):
            now_ms += 1
            by_often += often.check(ms(now_ms) - 1)
            if told.check_at_ns is not None and told.check_at_ns < ms(now_ms):
                by_told += told.check(told.check_at_ns)
        by_often += often.edge(ms(now_ms), level)
        by_told += told.edge(ms(now_ms), level)
    assert by_told == by_often

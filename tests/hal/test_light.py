"""A sensor's edges become lit, dark or blinking, whatever the mains and a camera add."""

from __future__ import annotations

import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal.light import EDGES_MAX, STEADY_NS, WINDOW_NS, Light, Pattern
from tests.hal.traces import MS, Edge, S, blinking, flickering, merged, spikes

MAINS = (50, 60, 100, 120)


def seen(edges: list[Edge], end_ns: int, lit: bool = False) -> Light:
    light = Light(0, lit)
    for at_ns, is_lit in edges:
        light.edge(at_ns, is_lit)
    light.advance(end_ns)
    return light


@pytest.mark.parametrize("lit", [False, True])
def test_a_light_is_steady_after_a_second_and_a_half_and_not_before(lit: bool) -> None:
    light = Light(0, lit)
    light.advance(STEADY_NS - 1)
    assert light.pattern is None
    light.advance(STEADY_NS)
    assert light.pattern is (Pattern.LIT if lit else Pattern.DARK)
    assert light.due_ns is None


@pytest.mark.parametrize(("lit_ms", "level"), [(24, False), (25, True)])
def test_a_quarter_of_the_window_is_light(lit_ms: int, level: bool) -> None:
    light = seen([(2 * S, True), (2 * S + lit_ms * MS, False)], 2 * S + 50 * MS)
    assert light.level is level


@pytest.mark.parametrize("hertz", MAINS)
@pytest.mark.parametrize(("share", "pattern"), [(0.11, Pattern.DARK), (0.28, Pattern.LIT)])
def test_mains_flicker_is_steady_light_or_none(hertz: int, share: float, pattern: Pattern) -> None:
    trace = list(flickering([(0, 10 * S)], hertz, share, random.Random(hertz)))
    light = Light(0, False)
    told = set()
    for at_ns, lit in trace:
        light.edge(at_ns, lit)
        told.add(light.pattern)
    assert told <= {None, pattern}
    assert light.pattern is pattern


@pytest.mark.parametrize(("lit_ms", "dark_ms"), [(125, 125), (250, 250), (500, 500), (1000, 1000)])
def test_three_blinks_are_a_blinking_light_from_half_a_hertz_to_four(
    lit_ms: int, dark_ms: int
) -> None:
    whole_ns = (lit_ms + dark_ms) * MS
    trace = list(blinking(2 * S, 2 * S + 3 * whole_ns, lit_ms, dark_ms))
    assert seen(trace[:5], trace[4][0] + 50 * MS).pattern is Pattern.DARK
    assert seen(trace, trace[5][0] + WINDOW_NS).pattern is Pattern.BLINK
    assert seen(trace, trace[5][0] + WINDOW_NS + STEADY_NS).pattern is Pattern.DARK


def test_a_hand_that_passes_twice_is_no_blinking() -> None:
    passing = [(3 * S, False), (3 * S + 400 * MS, True), (4 * S, False), (4 * S + 300 * MS, True)]
    light = Light(0, True)
    for at_ns, lit in passing:
        light.edge(at_ns, lit)
        assert light.pattern is Pattern.LIT
    light.advance(9 * S)
    assert light.pattern is Pattern.LIT


@pytest.mark.parametrize("hertz", MAINS)
def test_a_blinking_lamp_on_the_mains_with_spikes_blinks(hertz: int) -> None:
    chance = random.Random(hertz)
    stretches = [(at_ns, at_ns + 500 * MS) for at_ns in range(2 * S, 10 * S, 1 * S)]
    trace = merged(flickering(stretches, hertz, 0.4, chance), spikes(0, 10 * S, chance))
    light = Light(0, False)
    told = []
    for at_ns, lit in trace:
        light.edge(at_ns, lit)
        told.append((light.pattern, at_ns))
    assert {pattern for pattern, _ in told} == {None, Pattern.DARK, Pattern.BLINK}
    first_ns = next(at_ns for pattern, at_ns in told if pattern is Pattern.BLINK)
    assert first_ns <= 5 * S
    assert all(pattern is Pattern.BLINK for pattern, at_ns in told if at_ns >= first_ns)


def test_lost_edges_make_it_settle_anew() -> None:
    light = Light(0, True)
    light.advance(5 * S)
    light.lost()
    assert light.pattern is None
    light.advance(5 * S + STEADY_NS - 1)
    assert light.pattern is None
    light.advance(5 * S + STEADY_NS)
    assert light.pattern is Pattern.LIT


def test_faster_dimming_than_is_followed_never_settles_and_stays_bounded() -> None:
    light = Light(0, False)
    for step in range(40_000):
        light.edge(step * 50_000, step % 2 == 0)
        assert len(light._edges) <= EDGES_MAX
        # Joined edges never make a share that cannot be.
        assert 0 <= light._lit_ns <= WINDOW_NS
    assert light.pattern is None
    light.advance(4 * S)
    assert light.pattern is Pattern.DARK


TRACES = st.lists(st.tuples(st.integers(1, 300), st.booleans()), max_size=60)


@settings(max_examples=200, deadline=None)
@given(gaps=TRACES, looks=st.lists(st.integers(0, 20_000), max_size=40))
def test_looking_more_often_sees_the_same(gaps: list[tuple[int, bool]], looks: list[int]) -> None:
    edges: list[Edge] = []
    at_ns = 0
    for gap_ms, lit in gaps:
        at_ns += gap_ms * MS
        edges.append((at_ns, lit))
    end_ns = at_ns + 20 * S

    def story(times: list[int]) -> list[tuple[int, object, bool]]:
        light, told = Light(0, False), []

        def advance(to_ns: int) -> None:
            while (due_ns := light.due_ns) is not None and due_ns <= to_ns:
                light.advance(due_ns)
                told.append((due_ns, light.pattern, light.level))
            light.advance(to_ns)

        steps: list[tuple[int, bool | None]] = [*edges, *((ms * MS, None) for ms in times)]
        for at, lit in sorted(steps, key=lambda step: step[0]):
            advance(at)
            if lit is not None:
                light.edge(at, lit)
        advance(end_ns)
        kept = [told[0]] if told else []
        kept += [new for old, new in itertools.pairwise(told) if new[1:] != old[1:]]
        return kept

    assert story([]) == story(looks)

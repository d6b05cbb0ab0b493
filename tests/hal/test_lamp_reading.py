"""Green, red and blinking lamps with noise become a shuffler's facts, and nothing else does."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hal import facts
from hal.lamp_reading import SENSORS, UNKNOWN_NS_MAX, LampReading, Seen
from tests.hal.traces import MS, Edge, S, blinking, flickering, merged, spikes

UP = [facts.Link(up=True), facts.Restarted()]
STARTED = [facts.ShufflerLoaded("A"), facts.CycleStarted(1, "shuffle")]
ENDED = [facts.CycleEnded(1, "shuffle", "ok"), facts.Ejected("A")]


def seen(
    green: Iterable[Edge] = (),
    red: Iterable[Edge] = (),
    end_ns: int = 60 * S,
    lit: tuple[bool, bool] = (False, False),
    batch: str | None = "A",
    looks: Iterable[int] = (),
) -> list[Seen]:
    """What is told until `end_ns`; `lit` is how both begin, `looks` are times of idle looks."""
    reading = LampReading(0, *lit, batch)
    steps = [
        *((at_ns, "green", is_lit) for at_ns, is_lit in green),
        *((at_ns, "red", is_lit) for at_ns, is_lit in red),
        *((at_ns, "", False) for at_ns in looks),
    ]
    told: list[Seen] = []
    for at_ns, sensor, is_lit in sorted(steps, key=lambda step: step[0]):
        told += reading.edge(sensor, at_ns, is_lit) if sensor else reading.advance(at_ns)
    return told + reading.advance(end_ns)


def told(found: Iterable[Seen]) -> list[object]:
    return [one.fact for one in found]


def a_run(began_ns: int, ended_ns: int, lit_ms: int = 500, dark_ms: int = 500) -> list[Edge]:
    """Green: ready, a run, ready again."""
    return [(0, True), (began_ns, False), *blinking(
        began_ns + dark_ms * MS, ended_ns, lit_ms, dark_ms), (ended_ns, True)]  # fmt: skip


# ---- green, red, blinking ----------------------------------------------------------------------
def test_a_green_lamp_is_a_shuffler_that_is_there() -> None:
    assert told(seen(lit=(True, False))) == [facts.Lamp("green"), *UP]


def test_a_red_lamp_is_told_at_once() -> None:
    found = seen(red=[(5 * S, True)], green=[(5 * S, False)], lit=(True, False))
    assert told(found) == [facts.Lamp("green"), *UP, facts.Lamp("red")]
    assert found[-1].at_ns <= 5 * S + 100 * MS


def test_a_red_lamp_that_blinks_is_red_at_once_and_never_off_between() -> None:
    red = list(blinking(5 * S, 30 * S, 500, 500))
    found = seen(red=red, green=[(5 * S, False), (30 * S, True)], lit=(True, False))
    assert told(found)[3:] == [facts.Lamp("red"), facts.Lamp("blink"), facts.Lamp("green")]
    assert found[-1].at_ns >= 31 * S


def test_a_red_lamp_goes_out_only_when_it_is_certain() -> None:
    found = seen(red=[(0, True), (20 * S, False)], green=[(20 * S, True)])
    assert told(found) == [facts.Lamp("red"), *UP, facts.Lamp("green")]
    assert found[-1].at_ns >= 21 * S + 500 * MS


@pytest.mark.parametrize(("lit_ms", "dark_ms"), [(150, 150), (300, 500), (500, 500), (1000, 1000)])
def test_green_that_blinks_is_a_run(lit_ms: int, dark_ms: int) -> None:
    found = seen(green=a_run(10 * S, 40 * S, lit_ms, dark_ms))
    assert told(found) == [facts.Lamp("green"), *UP, *STARTED, *ENDED]
    times = {type(one.fact): one.at_ns for one in found}
    assert 10 * S < times[facts.CycleStarted] <= 17 * S
    assert 40_500 * MS <= times[facts.CycleEnded] <= 42 * S


def test_runs_are_counted() -> None:
    green = [*a_run(10 * S, 40 * S), *a_run(50 * S, 80 * S)[1:]]
    cycles = [fact for fact in told(seen(green=green, end_ns=90 * S))
              if isinstance(fact, facts.CycleStarted | facts.CycleEnded)]  # fmt: skip
    assert [fact.cycle for fact in cycles] == [1, 1, 2, 2]


def test_a_run_that_turns_red_was_none() -> None:
    green = [edge for edge in a_run(10 * S, 40 * S) if edge[0] < 25 * S]
    found = seen(green=[*green, (25 * S, False)], red=[(25 * S, True)])
    assert told(found)[3:] == [
        *STARTED, facts.Lamp("red"), facts.CycleEnded(1, "shuffle", "incomplete"),
    ]  # fmt: skip


def test_after_a_warning_the_next_run_counts_again() -> None:
    first = [edge for edge in a_run(10 * S, 40 * S) if edge[0] < 25 * S]
    again = [(45 * S, True), (55 * S, False), *blinking(56 * S, 80 * S, 500, 500), (80 * S, True)]
    found = told(seen([*first, (25 * S, False), *again], [(25 * S, True), (45 * S, False)], 90 * S))
    assert found[-4:] == [
        facts.ShufflerLoaded("A"), facts.CycleStarted(2, "shuffle"),
        facts.CycleEnded(2, "shuffle", "ok"), facts.Ejected("A"),
    ]  # fmt: skip


# ---- what is not known -------------------------------------------------------------------------
def test_no_lamp_is_no_shuffler() -> None:
    found = seen()
    assert found == [
        Seen(facts.Lamp("off"), 1_500 * MS), Seen(facts.Link(up=False), UNKNOWN_NS_MAX),
    ]  # fmt: skip


@pytest.mark.parametrize("red_from", [0, 20 * S])
def test_both_lit_is_red_and_not_known(red_from: int) -> None:
    found = told(seen(red=[(red_from, True)], lit=(True, False)))
    assert found[-2:] == [facts.Lamp("red"), facts.Link(up=False)]


def test_both_dark_for_less_than_nine_seconds_is_a_change_of_lamps() -> None:
    gap = [(20 * S, False), (20 * S + UNKNOWN_NS_MAX - 1_600 * MS, True)]
    assert told(seen(green=gap, lit=(True, False))) == [
        facts.Lamp("green"), *UP, facts.Lamp("off"), facts.Lamp("green"),
    ]  # fmt: skip


def test_a_wire_of_green_that_is_cut_during_a_run_ends_it_unknown() -> None:
    green = [edge for edge in a_run(10 * S, 40 * S) if edge[0] < 25 * S]
    found = told(seen(green=[*green, (25 * S, False)]))
    assert found[3:] == [*STARTED, facts.Lamp("off"), facts.Link(up=False)]


def test_a_wire_of_red_that_is_cut_reads_as_red() -> None:
    # The sensor of red opens when it sees light, so an open wire is a lit lamp.
    found = told(seen(green=a_run(10 * S, 40 * S), red=[(30 * S, True)]))
    assert found[3:7] == [
        *STARTED, facts.Lamp("red"), facts.CycleEnded(1, "shuffle", "incomplete"),
    ]  # fmt: skip
    assert facts.CycleEnded(1, "shuffle", "ok") not in found
    assert found[-1] == facts.Link(up=False)


def test_a_run_whose_beginning_was_not_seen_is_none() -> None:
    green = [*blinking(0, 30 * S, 500, 500), (30 * S, True)]
    assert told(seen(green=green)) == [facts.Lamp("green"), *UP]


def test_a_run_after_the_lamps_were_away_needs_a_rest_before_it() -> None:
    green = [(15 * S, False), *blinking(40 * S, 60 * S, 500, 500), (60 * S, True)]
    found = told(seen(green=green, end_ns=90 * S, lit=(True, False)))
    assert found[3:] == [
        facts.Lamp("off"), facts.Link(up=False), facts.Lamp("green"), facts.Link(up=True),
    ]  # fmt: skip


def test_edges_that_were_lost_for_long_make_it_not_known() -> None:
    reading = LampReading(0, True, False, "A")
    found = reading.advance(5 * S)
    for at_ns in range(5 * S, 30 * S, 200 * MS):
        found += reading.lost("green", at_ns)
    assert told(found) == [facts.Lamp("green"), *UP, facts.Link(up=False)]
    assert told(reading.advance(60 * S)) == [facts.Link(up=True)]


# ---- noise -------------------------------------------------------------------------------------
@pytest.mark.parametrize("hertz", [50, 60, 100, 120])
def test_mains_flicker_and_spikes_change_nothing(hertz: int) -> None:
    chance = random.Random(hertz)
    blinks = [(at_ns, at_ns + 500 * MS) for at_ns in range(11 * S, 40 * S, S)]
    lamp = flickering([(0, 10_500 * MS), *blinks, (40 * S, 60 * S)], hertz, 0.4, chance)
    stray = flickering([(0, 60 * S)], hertz, 0.08, chance)
    found = seen(merged(lamp, spikes(0, 60 * S, chance)), stray)
    assert told(found) == [facts.Lamp("green"), *UP, *STARTED, *ENDED]


def test_a_red_lamp_on_the_mains_is_red() -> None:
    chance = random.Random(7)
    found = seen(red=flickering([(0, 60 * S)], 50, 0.3, chance))
    assert told(found) == [facts.Lamp("red"), *UP]


# ---- beside a port -----------------------------------------------------------------------------
def test_beside_a_port_only_the_colour_is_told() -> None:
    green = a_run(10 * S, 40 * S)
    found = told(seen(green=green, red=[(50 * S, True)], batch=None))
    assert found == [facts.Lamp("green"), facts.Lamp("red")]


def test_beside_a_port_lamps_that_are_dark_are_off_and_no_lost_link() -> None:
    assert told(seen(batch=None)) == [facts.Lamp("off")]


# ---- whatever the light does -------------------------------------------------------------------
GAPS = st.lists(
    st.tuples(st.sampled_from((5, 40, 110, 250, 500, 990, 2_000, 9_500)), st.sampled_from(SENSORS)),
    max_size=120,
)


def toggled(gaps: list[tuple[int, str]]) -> tuple[list[Edge], list[Edge], int]:
    levels = {"green": False, "red": False}
    edges: dict[str, list[Edge]] = {"green": [], "red": []}
    at_ns = 0
    for gap_ms, sensor in gaps:
        at_ns += gap_ms * MS
        levels[sensor] = not levels[sensor]
        edges[sensor].append((at_ns, levels[sensor]))
    return edges["green"], edges["red"], at_ns + 30 * S


@settings(max_examples=150, deadline=None)
@given(gaps=GAPS, looks=st.lists(st.integers(0, 60_000), max_size=40))
def test_looking_more_often_tells_the_same(gaps: list[tuple[int, str]], looks: list[int]) -> None:
    green, red, end_ns = toggled(gaps)
    often = [ms * MS for ms in looks if ms * MS < end_ns]
    assert seen(green, red, end_ns) == seen(green, red, end_ns, looks=often)


@settings(max_examples=300, deadline=None)
@given(gaps=GAPS)
def test_whatever_the_light_does_a_good_run_is_one_that_began_and_rested_green(
    gaps: list[tuple[int, str]],
) -> None:
    green, red, end_ns = toggled(gaps)
    found = seen(green, red, end_ns)
    assert [one.at_ns for one in found] == sorted(one.at_ns for one in found)
    up, running, colour = False, 0, "off"
    for one in found:
        fact = one.fact
        if isinstance(fact, facts.Lamp):
            assert fact.colour != colour or one is found[0]
            colour = fact.colour
        elif isinstance(fact, facts.Link):
            assert fact.up is not up or one.at_ns <= UNKNOWN_NS_MAX
            up, running = fact.up, running if fact.up else 0
        elif isinstance(fact, facts.CycleStarted):
            assert up
            assert not running
            running = fact.cycle
        elif isinstance(fact, facts.CycleEnded):
            assert fact.cycle == running
            assert fact.result == "incomplete" or lit_throughout(green, red, one.at_ns)
            assert fact.result == "ok" or colour in ("red", "blink")
            running = 0


def lit_throughout(green: list[Edge], red: list[Edge], at_ns: int) -> bool:
    """Whether green was lit and red dark for most of the last second and a half."""

    def lit_ns(edges: list[Edge]) -> int:
        total, level, since_ns = 0, False, 0
        for edge_ns, lit in [*edges, (at_ns, False)]:
            if edge_ns > at_ns:
                edge_ns = at_ns
            if level:
                total += max(0, edge_ns - max(since_ns, at_ns - 1_500 * MS))
            level, since_ns = lit, edge_ns
        return total

    return lit_ns(green) > 180 * MS and lit_ns(red) < 375 * MS

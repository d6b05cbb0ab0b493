"""The simulated person: bounces that repeat by seed, acts in order, eyes that are not fooled."""

from __future__ import annotations

import time

import pytest

from hal.panel import Panel
from hal.sim.panel import BENCH_PINS, SimPanel


def wired(person: SimPanel) -> Panel:
    """The real panel on the person's board; it does not run, so the lines stay ours to look at."""
    panel = Panel(person.settings, lambda _heard: None, person.board)
    person.ready()
    return panel


def levels_of(seed: int, faults: tuple[str, ...] = ()) -> list[bool]:
    person = SimPanel(seed=seed, faults=faults)
    panel = wired(person)
    pin = person.board.inputs["rng"].pin
    person.press("rng", held_ms=20).result()
    states = [bool(state.state) for state in pin.states]  # type: ignore[attr-defined]
    panel.close()
    person.close()
    return states


def test_the_same_seed_bounces_the_same_way_and_another_differently() -> None:
    assert levels_of(3) == levels_of(3)
    assert len({len(levels_of(seed)) for seed in range(6)}) > 1


def test_a_worn_contact_bounces_more_than_a_good_one() -> None:
    good = sum(len(levels_of(seed)) for seed in range(8))
    worn = sum(len(levels_of(seed, ("button-bounce",))) for seed in range(8))
    assert worn > 2 * good


def test_acts_happen_in_the_order_in_which_they_were_asked_for() -> None:
    person = SimPanel()
    panel = wired(person)
    acts = [person.hold("rng"), person.let_go("rng"), person.hold("rng")]
    for act in acts:
        act.result()
    assert person.board.inputs["rng"].closed()
    panel.close()
    person.close()


def test_an_unknown_fault_and_an_unwired_purpose_are_told() -> None:
    with pytest.raises(ValueError, match="button-lost"):
        SimPanel(faults=["button-lost"])
    person = SimPanel()
    panel = wired(person)
    with pytest.raises(KeyError):
        person.press("seat_9").result()
    panel.close()
    person.close()


def test_a_person_leaves_at_once_in_the_middle_of_a_press() -> None:
    person = SimPanel()
    panel = wired(person)
    person.press("rng", held_ms=60_000)
    person.press("done")
    before = time.monotonic()
    person.close()
    assert time.monotonic() - before < 2
    panel.close()


def test_a_bench_uses_every_line_of_the_header_at_most_once() -> None:
    lines = list(BENCH_PINS.lines.values())
    assert sorted(lines) == sorted(set(lines))
    assert set(lines) <= set(range(28))


def test_a_digit_with_a_strange_pattern_reads_as_a_question() -> None:
    person = SimPanel()
    panel = wired(person)
    person.board.outputs["segment_d"].set(True)
    assert person.digit() == "?"
    panel.close()
    person.close()


def test_mock_pins_do_not_remember_for_ever() -> None:
    person = SimPanel()
    panel = wired(person)
    output = person.board.outputs["red"]
    for index in range(3_000):
        output.set(index % 2 == 0)
    assert len(output.pin.states) < 1_100  # type: ignore[attr-defined]
    panel.close()
    person.close()

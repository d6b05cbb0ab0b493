"""A port and sensors that differ about a lamp: what must not be ignored is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal import facts
from hal.lamp_witness import GRAVITY, WARNINGS, LampWitness
from hal.member_types import Colour
from hal.ports import Heard


class Bench:
    def __init__(self) -> None:
        self.heard: list[Heard] = []
        self.witness = LampWitness(self.heard.append)

    def say(self, colour: Colour, mark: str | None = None) -> None:
        self.witness.said(Heard("shuffler", facts.Lamp(colour), 1, mark=mark))

    def see(self, colour: Colour) -> None:
        self.witness.seen(Heard("shuffler", facts.Lamp(colour), 2))

    def colours(self) -> list[str]:
        return [one.fact.colour for one in self.heard if isinstance(one.fact, facts.Lamp)]


def test_a_port_that_says_all_is_well_turns_no_red_lamp_off() -> None:
    bench = Bench()
    bench.say("green")
    bench.see("red")
    bench.say("green", mark="1A2B:0007")
    assert bench.colours() == ["green", "red", "red"]
    assert bench.heard[-1].mark == "1A2B:0007"
    assert bench.witness.disagreements == 1
    bench.see("green")
    assert bench.colours()[-1] == "green"


def test_sensors_that_see_nothing_do_not_hide_what_the_port_says() -> None:
    bench = Bench()
    bench.say("red")
    bench.see("off")
    bench.see("green")
    assert bench.colours() == ["red"]
    assert bench.witness.disagreements == 1


def test_other_facts_pass_as_they_are() -> None:
    bench = Bench()
    bench.see("red")
    jam = Heard("shuffler", facts.Jam(), 3, lambda: None, "1A2B:0008")
    bench.witness.said(jam)
    assert bench.heard[-1] is jam


@given(st.lists(st.tuples(st.booleans(), st.sampled_from(GRAVITY)), max_size=40))
def test_the_graver_of_both_is_always_the_last_that_was_told(
    steps: list[tuple[bool, Colour]],
) -> None:
    bench = Bench()
    latest: dict[bool, Colour] = {True: "off", False: "off"}
    for by_port, colour in steps:
        latest[by_port] = colour
        (bench.say if by_port else bench.see)(colour)
        told = (["off", *bench.colours()])[-1]
        assert (told in WARNINGS) is any(one in WARNINGS for one in latest.values())
        assert told == max(latest.values(), key=GRAVITY.index)


@pytest.mark.parametrize("colour", GRAVITY)
def test_every_colour_of_the_facts_has_its_gravity(colour: Colour) -> None:
    assert set(GRAVITY) == {"off", "green", "amber", "red", "blink"}
    bench = Bench()
    bench.see(colour)
    assert bench.colours() == ([] if colour == "off" else [colour])

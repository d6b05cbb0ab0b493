"""A device that floods with good frames is let through as far as any table needs, then counted."""

from __future__ import annotations

from controller.core.inputs import Overrun
from controller.flood_gate import (
    FACTS_BURST_MAX,
    FACTS_PER_S,
    FACTS_TO_OPEN,
    NS_PER_S,
    TOLD_EVERY_S,
    FloodGate,
)
from hal.facts import CardDrawn
from hal.ports import Heard


class Flood:
    def __init__(self) -> None:
        self.passed = 0
        self.told: list[int] = []
        self.gate = FloodGate(self._pass, self._tell)

    def _pass(self, heard: Heard) -> None:
        self.passed += 1

    def _tell(self, overrun: Overrun) -> None:
        self.told.append(overrun.lost)

    def say(self, facts: int, at_ns: int) -> None:
        for _ in range(facts):
            self.gate(Heard("shoe", CardDrawn(1, "down"), at_ns))


def test_a_burst_passes_whole_and_the_first_fact_beyond_it_is_told_at_once() -> None:
    flood = Flood()
    flood.say(FACTS_BURST_MAX, 7)
    assert (flood.passed, flood.told) == (FACTS_BURST_MAX, [])
    flood.say(1, 7)
    assert (flood.passed, flood.told) == (FACTS_BURST_MAX, [1])


def test_a_flood_of_any_length_brings_one_input_a_minute() -> None:
    flood, seconds = Flood(), 10 * TOLD_EVERY_S
    for second in range(1, seconds + 1):
        flood.say(512, second * NS_PER_S)
    assert flood.passed < FACTS_BURST_MAX + 30 * FACTS_PER_S
    assert len(flood.told) == 10
    assert 0 <= 512 * seconds - flood.passed - sum(flood.told) <= 512 * TOLD_EVERY_S


def test_a_device_below_the_rate_is_never_stopped() -> None:
    flood = Flood()
    for second in range(1, 600):
        flood.say(FACTS_PER_S, second * NS_PER_S)
    assert flood.told == []


def test_a_device_that_came_to_rest_is_heard_again() -> None:
    flood = Flood()
    flood.say(FACTS_BURST_MAX + 1, 0)
    enough_ns = FACTS_TO_OPEN * NS_PER_S // FACTS_PER_S
    flood.say(1, enough_ns - NS_PER_S // 2)
    assert flood.passed == FACTS_BURST_MAX
    flood.say(1, 2 * enough_ns)
    assert flood.passed == FACTS_BURST_MAX + 1


def test_a_clock_that_stands_still_gives_nothing() -> None:
    flood = Flood()
    flood.say(FACTS_BURST_MAX, 9)
    flood.say(1, 8)
    assert flood.told == [1]

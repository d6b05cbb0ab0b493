"""A table whose shuffler is seen, not heard: light on two sensors decides whether it is dealt."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

import pytest

from controller.core.setup import ShufflerSetup
from hal import facts
from hal.lamp_reading import LampReading, Seen
from hal.lamp_witness import LampWitness
from hal.ports import Heard
from tests.hal.traces import MS, Edge, S, blinking
from tests.play import BEGIN_MS, Play

SEEN_ONLY = ShufflerSetup(counts=False, cycle_ms_min=20_000, cycle_ms_max=90_000)


def table() -> Play:
    return Play("dj-wild", shuffler=SEEN_ONLY)


def tell(day: Play, fact: object, at_ns: int | None = None) -> None:
    """A fact of hardware into the rules; `at_ns` counts from the beginning of the play."""
    assert dataclasses.is_dataclass(fact)
    if at_ns is not None:
        # `say` adds the second that it takes to say something.
        day.at_ms = max(day.at_ms, BEGIN_MS + at_ns // MS - 1000)
    members = {
        field.name: value
        for field in dataclasses.fields(fact)
        if (value := getattr(fact, field.name)) is not None
    }
    day.do("shuffler", type(fact).TYPE, **members)  # type: ignore[attr-defined]


def watch(day: Play, green: Iterable[Edge], red: Iterable[Edge] = (), until_ns: int = 0) -> None:
    """Light falls on the sensors; both lamps begin dark, green is lit at 0."""
    reading = LampReading(0, True, False, "A")
    steps = [(at, "green", lit) for at, lit in green] + [(at, "red", lit) for at, lit in red]
    seen: list[Seen] = []
    for at_ns, sensor, lit in sorted(steps):
        seen += reading.edge(sensor, at_ns, lit)
    for one in seen + reading.advance(until_ns):
        tell(day, one.fact, one.at_ns)


def a_run(seconds: int) -> list[Edge]:
    """From 60 s on."""
    end_ns = (60 + seconds) * S
    return [(60 * S, False), *blinking(60 * S + 500 * MS, end_ns, 500, 500), (end_ns, True)]


def test_a_run_that_was_seen_is_a_shuffle_and_the_round_is_dealt() -> None:
    day = table().opened()
    watch(day, a_run(30), until_ns=120 * S)
    assert day.last("shuffle.completed")["method"] == "device"
    assert day.last("token.made")["method"] == "device"
    day.loaded().bets(1)
    assert "round.deal_progress" in day.types(day.stack())


def test_without_a_count_the_rest_of_the_deck_must_be_counted() -> None:
    day = table().opened()
    watch(day, a_run(30), until_ns=120 * S)
    assert day.state.cycle.counted is False


@pytest.mark.parametrize(
    ("seconds", "reason"), [(19, "too_fast"), (23, None), (90, None), (95, "too_slow")]
)
def test_a_run_that_is_too_short_or_too_long_makes_no_token(
    seconds: int, reason: str | None
) -> None:
    day = table().opened()
    watch(day, a_run(seconds), until_ns=200 * S)
    if reason is None:
        assert day.of("token.made")
        return
    assert day.last("shuffle.failed")["reason"] == reason
    day.do("shoe", "loaded", cards=53, batch="A")
    assert day.last("token.refused")["reason"] == reason
    assert day.refused("dealer", "no_more_bets", seats=[1])


def test_a_run_that_ends_red_makes_no_token_and_an_alarm() -> None:
    day = table().opened()
    green = [edge for edge in a_run(60) if edge[0] < 80 * S]
    watch(day, [*green, (80 * S, False)], [(80 * S, True)], 120 * S)
    assert day.last("shuffle.failed")["reason"] == "incomplete"
    assert day.of("alarm.raised")
    day.do("shoe", "loaded", cards=53, batch="A")
    assert day.of("token.refused")


def test_a_sensor_that_is_cut_during_a_run_makes_no_token() -> None:
    day = table().opened()
    green = [edge for edge in a_run(60) if edge[0] < 80 * S]
    watch(day, [*green, (80 * S, False)], until_ns=200 * S)
    assert day.of("link.lost")
    assert day.last("shuffle.failed")["reason"] == "link_lost"
    assert not day.of("token.made")


def test_a_red_lamp_while_the_port_says_ok_is_told_and_keeps_the_cards_out() -> None:
    day = Play("dj-wild").opened()
    witness = LampWitness(lambda heard: tell(day, heard.fact))

    def port(fact: object) -> None:
        witness.said(Heard("shuffler", fact, 0))

    port(facts.Lamp("green"))
    port(facts.ShufflerLoaded("A"))
    port(facts.CycleStarted(1, "shuffle"))
    witness.seen(Heard("shuffler", facts.Lamp("red"), 0))
    assert day.last("device.fault")["code"] == "red_lamp"
    assert day.of("alarm.raised")
    port(facts.CycleEnded(1, "shuffle", "ok", 53, "A"))
    port(facts.Lamp("green"))
    port(facts.Ejected("A", 53))
    day.do("shoe", "loaded", cards=53, batch="A")
    assert day.last("token.refused")["reason"] == "unknown_state"
    assert not day.of("shoe.loaded")
    assert not day.of("alarm.cleared")
    assert witness.disagreements == 1

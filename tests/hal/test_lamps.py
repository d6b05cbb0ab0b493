"""Rhythms of lamps and sounder as functions of time."""

from __future__ import annotations

import asyncio

import pytest

from hal.gpio import Board, open_factory
from hal.lamps import LAMP_WORDS, RHYTHMS, SOUNDER_WORDS, Beacon, level_at


@pytest.mark.parametrize(
    ("word", "now_ms", "level"),
    [
        ("off", 123, (False, None)),
        ("on", 123, (True, None)),
        ("blink", 0, (True, 500)),
        ("blink", 499, (True, 1)),
        ("blink", 500, (False, 500)),
        ("blink", 1_000, (True, 500)),
        ("chirp", 59, (True, 1)),
        ("chirp", 60, (False, 1_940)),
        ("alarm", 250, (False, 250)),
    ],
)
def test_the_level_of_a_rhythm_and_how_long_it_lasts(
    word: str, now_ms: int, level: tuple[bool, int | None]
) -> None:
    assert level_at(RHYTHMS[word], now_ms) == level


def test_every_word_of_lamp_and_sounder_has_a_rhythm() -> None:
    assert {*LAMP_WORDS, *SOUNDER_WORDS} == set(RHYTHMS)


def test_no_rhythm_flashes_three_times_a_second() -> None:
    for word in LAMP_WORDS:
        period_ms = sum(length_ms for _, length_ms in RHYTHMS[word])
        assert period_ms == 0 or period_ms > 334


async def test_two_lamps_that_began_at_different_times_blink_together() -> None:
    board = Board(open_factory("mock"))
    outputs = [board.output(name, line, active_low=False) for name, line in (("x", 5), ("y", 6))]
    beacons = [Beacon(output) for output in outputs]
    loop = asyncio.get_running_loop()
    for beacon in beacons:
        beacon.open(loop)
        beacon.set("alarm")
        await asyncio.sleep(0.1)
    seen = set()
    for _ in range(60):
        await asyncio.sleep(0.01)
        # Both timers of one turn of the loop have run when a sleeper of it goes on.
        await asyncio.sleep(0)
        seen.add(tuple(output.reads_on() for output in outputs))
    assert {(True, True), (False, False)} <= seen
    for beacon in beacons:
        beacon.close()
    assert [output.reads_on() for output in outputs] == [False, False]
    board.close()


def test_a_lamp_without_a_loop_is_steady() -> None:
    board = Board(open_factory("mock"))
    output = board.output("red", 5, active_low=True)
    beacon = Beacon(output)
    assert not output.reads_on()
    for word in ("on", "blink", "alarm"):
        beacon.set(word)
        assert output.reads_on()
    with pytest.raises(AssertionError, match="purple"):
        beacon.set("purple")
    board.close()

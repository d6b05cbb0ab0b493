"""The long day: every line of it is lawful, and it goes on as long as it is asked to."""

import json
from pathlib import Path

import pytest

from tests.bench.long_day import GAMES, SAMPLE_OCTETS, Replayed, lines_of, replayed, told

# Some ten rounds.
INPUTS = 150


@pytest.mark.parametrize("game", GAMES)
def test_no_input_of_a_long_day_is_refused(game: str, tmp_path: Path) -> None:
    file = tmp_path / "day.jsonl"
    file.write_bytes(b"".join(lines_of(game, INPUTS)))
    cost = replayed(game, file, INPUTS)
    assert cost.refused == 0
    assert 0 < cost.octets < SAMPLE_OCTETS


def test_a_long_day_has_as_many_inputs_as_were_asked_for_and_time_goes_on() -> None:
    lines = [json.loads(line) for line in lines_of("dj-wild", INPUTS)]
    assert len(lines) == INPUTS
    times = [line["at"] for line in lines]
    assert times == sorted(set(times))
    assert sum(line["type"] == "round_done" for line in lines) >= 5


def test_the_figures_name_start_middle_end_and_most() -> None:
    said = told("dj-wild", Replayed(1000, 0, 2.0, 5_000_000, 1.5, (10, 40, 20)))
    assert "500 a second" in said
    assert "processor time 1,500 us an input" in said
    assert "10 kB at the start, 40 in the middle, 20 at the end, 40 at most" in said

"""The benchmark itself: a smoke run, and the parts that a figure stands on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.__main__ import main
from tests.bench.figures import percentile
from tests.bench.stages import STOPS, VARIABLE, _ways


@pytest.mark.heavy
def test_a_quick_run_gives_every_figure_and_nothing_unasked(tmp_path: Path) -> None:
    figures = tmp_path / "figures.json"
    assert main(["--quick", "--home", str(tmp_path), "--json", str(figures)]) == 0
    told = json.loads(figures.read_text())
    names = {one["name"] for one in told["figures"]}
    assert {"ratio disk p50", "ratio memory p99", "resident after start"} <= names
    assert all(one["samples"] > 0 for one in told["figures"])
    assert set(STOPS[1:]) <= told["stops_us"].keys()


@pytest.mark.parametrize(("hundredths", "value"), [(50, 50), (90, 90), (99, 99), (100, 100)])
def test_a_percentile_is_a_value_that_was_measured(hundredths: int, value: int) -> None:
    assert percentile(list(range(100, 0, -1)), hundredths) == value


def test_a_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7.0], 50) == percentile([7.0], 99) == 7.0


def test_every_stop_is_still_a_function_of_the_daemon(tmp_path: Path) -> None:
    # Whoever renames one sees it here, and not when somebody wants the figures.
    stamps = tmp_path / "stamps"
    command = (sys.executable, "-m", "tests.bench.stages", "version")
    subprocess.run(command, env=os.environ | {VARIABLE: str(stamps)}, check=True, timeout=120)
    assert stamps.exists()


def test_only_whole_ways_of_lone_frames_count() -> None:
    whole = [(stop, at) for at, stop in enumerate(STOPS)]
    broken = [entry for entry in whole if entry[0] != "synced"]
    assert list(_ways([*broken, *whole, *broken])) == [dict(whole)]

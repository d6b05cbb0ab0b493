"""Every mistake of `mistakes.toml` is told in the words that stand there, and no word more."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from config.loader import examine

HERE = Path(__file__).parent
GOOD = (HERE / "good.toml").read_text(encoding="utf-8")
MISTAKES = tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))["mistake"]


def test_the_good_file_is_good() -> None:
    assert examine(GOOD.encode()).problems == []


@pytest.mark.parametrize("row", MISTAKES, ids=lambda row: repr(row["write"]))
def test_the_whole_answer_is_as_written_down(row: dict[str, object]) -> None:
    before, after = str(row["instead_of"]), str(row["write"])
    assert before in GOOD
    reading = examine(GOOD.replace(before, after, 1).encode())
    assert [problem.line("").removeprefix(":") for problem in reading.problems] == row["says"]
    only_warnings = all(problem.warning for problem in reading.problems)
    assert (reading.settings is not None) is only_warnings

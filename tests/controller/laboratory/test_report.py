"""The report says how it went in its last line, and a machine reads the same."""

from __future__ import annotations

import json
import random

import pytest

from controller.laboratory.judgement import judge, sequential
from controller.laboratory.origins import ControlNumbers
from controller.laboratory.report import BAR_COLUMNS, histogram, object_of, text_of

FAIR = bytes(random.Random(1).choices(range(1, 8), k=20_000))


def test_a_pass_is_said_last_and_every_test_has_its_line() -> None:
    judgement = judge(FAIR)
    lines = text_of(judgement, "kernel", False).splitlines()
    assert lines[-1] == "PASS at 95 % and 99 % after 20000 numbers"
    assert lines[0] == "source   kernel"
    assert all(any(line.startswith(one.finding.test) for line in lines) for one in judgement.judged)
    assert "kolmogorov_smirnov   not run: needs 70000 numbers" in lines


def test_a_failure_names_the_tests_that_saw_it_and_after_how_many() -> None:
    judgement = sequential(ControlNumbers("stuck", 1).take, 10_000)
    last = text_of(judgement, "control:stuck", True).splitlines()[-1]
    assert last.startswith("FAIL after 1000 numbers (this look may spend 0.005 of an error of 0.01")
    assert "frequency" in last


def test_too_few_numbers_are_no_pass() -> None:
    assert text_of(judge(b"\x01"), "file", False).splitlines()[-1].endswith("too few for any test")


def test_a_machine_reads_the_same() -> None:
    judgement = judge(FAIR)
    record = json.loads(json.dumps(object_of(judgement, "kernel", False)))
    assert record["passes"] is True
    assert record["failed"] == []
    assert sum(record["counts"]) == record["numbers"] == 20_000
    assert {one["test"] for one in record["tests"]} == {
        one.finding.test for one in judgement.judged
    }


@pytest.mark.parametrize("counts", [(0,) * 7, (7, 0, 0, 0, 0, 0, 0), (1_000,) * 7])
def test_bars_stay_inside_their_field(counts: tuple[int, ...]) -> None:
    lines = histogram(counts)
    assert len(lines) == 7
    for line in lines:
        assert line.index("]") - line.index("[") == BAR_COLUMNS + 2

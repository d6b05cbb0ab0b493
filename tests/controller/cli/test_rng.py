"""`tablectl rng` from the command line: codes, files, and what is said where."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.cli import main


def test_a_draw_is_one_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rng", "draw", "--source", "kernel", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["source"] == "kernel"
    assert 1 <= record["number"] <= 7


@pytest.mark.parametrize("what", [["draw"], ["test"], ["collect", "--raw", "--count", "1"]])
def test_a_source_that_is_not_there_could_not_be_reached(
    what: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = ["--out", str(tmp_path / "out")] if what[0] == "collect" else []
    absent = str(tmp_path / "absent")
    assert main(["rng", *what, *out, "--source", absent]) == 3
    assert absent in capsys.readouterr().err


def test_a_raw_source_that_is_stuck_is_found(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stuck = tmp_path / "stuck"
    stuck.write_bytes(b"\xa5" * 4_096)
    assert main(["rng", "test", "--source", str(stuck), "--count", "1000"]) == 1
    assert "the raw source failed: repetition" in capsys.readouterr().err


def test_numbers_go_into_a_file_and_pass(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "numbers"
    collect = ["rng", "collect", "--final", "--whole-blocks", "--count", "20000"]
    assert main([*collect, "--source", "kernel", "--form", "text", "--out", str(file)]) == 0
    assert "collected 20000 from kernel (whole blocks)" in capsys.readouterr().err
    assert len(file.read_text().split()) == 20_000
    code = main(["rng", "test", str(file), "--json"])
    record = json.loads(capsys.readouterr().out)
    # A fair sample fails once in a hundred runs; its report must agree with its code either way.
    assert (code == 0) is record["passes"]
    assert record["numbers"] == 20_000
    assert min(one["chance"] for one in record["tests"] if one["chance"] is not None) > 1e-7


@pytest.mark.parametrize("what", ["--raw", "--conditioned"])
def test_octets_go_into_a_file(what: str, tmp_path: Path) -> None:
    file = tmp_path / "octets"
    collect = ["rng", "collect", what, "--count", "5000", "--source", "kernel"]
    assert main([*collect, "--out", str(file)]) == 0
    assert file.stat().st_size == 5_000


def test_a_known_fault_fails_and_says_by_what_and_when(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rng", "test", "--source", "control:repeating", "--sequential"]) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("FAIL after 16000 numbers")
    assert "long_repeats" in last


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["test", "--source", "control:even"], "no control 'even'"),
        (["test", "absent-file"], "absent-file"),
        (["collect", "--raw", "--count", "0", "--out", "-"], "1 or more"),
        (["collect", "--count", "5", "--out", "-"], "--raw"),
        (["collect", "--raw", "--count", "5", "--source", "kernel", "--out", "no/such"], "no/such"),
    ],
)
def test_what_cannot_be_used_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rng", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_a_file_that_holds_no_numbers_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "page"
    file.write_text("1 2 nine")
    assert main(["rng", "test", str(file)]) == 2
    assert "octet 4 is 0x6e" in capsys.readouterr().err

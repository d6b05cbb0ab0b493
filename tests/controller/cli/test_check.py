"""`tablectl check`: what scripts and editors get, and with which exit code."""

import json
from pathlib import Path

import pytest

from controller.cli import main

EXAMPLE = Path(__file__).parents[3] / "config" / "examples" / "dj-wild.toml"


def test_a_file_in_order_says_so_and_exits_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLE)]) == 0
    assert capsys.readouterr().out == f"{EXAMPLE}: table t-12, dj-wild: in order\n"


def test_mistakes_are_lines_that_editors_jump_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.toml"
    file.write_text(EXAMPLE.read_text().replace("seats = 6", "seats = 60"))
    assert main(["check", str(file)]) == 1
    assert capsys.readouterr().out == f"{file}:5:9: [table] seats must be at most 16, not 60\n"


def test_warnings_alone_are_printed_and_exit_0(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.toml"
    file.write_text(EXAMPLE.read_text().replace("/dev/table/t-12-shoe", "/dev/ttyUSB0"))
    assert main(["check", str(file)]) == 0
    assert ": warning: [shoe] port /dev/ttyUSB0" in capsys.readouterr().out


def test_json_has_one_object_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "t.toml"
    file.write_text("[table]\nid = 5\n")
    assert main(["check", "--json", str(file)]) == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"file", "line", "column", "severity", "message"} == set(found[0])
    assert any(item["message"] == "section [game] is missing" for item in found)


def test_a_file_that_cannot_be_read_exits_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", str(tmp_path / "none.toml")]) == 2
    assert "No such file" in capsys.readouterr().err

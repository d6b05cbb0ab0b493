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


DRIVER = EXAMPLE.parents[1] / "drivers" / "example-shuffler.toml"


def test_a_driver_file_is_checked_by_itself(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--driver", str(DRIVER)]) == 0
    assert capsys.readouterr().out == f"{DRIVER}: a shuffler with 14 lines: in order\n"
    file = tmp_path / "d.toml"
    file.write_text(DRIVER.read_text().replace("baud = 9600", "baud = 9601"))
    assert main(["check", "--driver", str(file)]) == 1
    assert f"{file}:9:8: [line] baud must be" in capsys.readouterr().out


def test_a_driver_is_tried_on_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sample = tmp_path / "lines.txt"
    sample.write_text("LAMP R\nSHUFFLED 53 CARDS\n")
    assert main(["check", "--driver", str(DRIVER), "--lines", str(sample)]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told[0] == {"line": "LAMP R", "facts": [{"fact": "lamp", "colour": "red"}]}
    sample.write_text("LAMP R\nWHAT\n")
    assert main(["check", "--driver", str(DRIVER), "--lines", str(sample)]) == 1
    assert json.loads(capsys.readouterr().out.splitlines()[1]) == {
        "line": "WHAT", "facts": [], "not_understood": "unknown_line",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([str(EXAMPLE), "--lines", "x"], "add --driver"),
        (["--driver", str(DRIVER), "--lines", "/nowhere"], "/nowhere: No such file"),
        (["--driver", "/nowhere.toml"], "/nowhere.toml: No such file"),
    ],
)
def test_what_cannot_be_tried_is_said(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", *arguments]) == 2
    assert said in capsys.readouterr().err

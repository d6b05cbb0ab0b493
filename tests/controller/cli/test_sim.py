"""`tablectl sim`: a bench device from the command line, with its mistakes in words."""

import json
from pathlib import Path

import pytest

from controller.cli import main


def test_a_script_runs_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "day.jsonl"
    script.write_text('{"do": "load", "cards": 53}\n\n{"do": "dispense", "cards": 5, "times": 2}\n')
    port = f"pty:{tmp_path / 'shoe'}"
    code = main(["sim", "shoe", "--port", port, "--script", str(script), "--speed", "500"])
    assert code == 0
    shown = capsys.readouterr()
    assert shown.err == f"shoe on {port}: speaking; Ctrl-C ends it\n"
    lines = [json.loads(line) for line in shown.out.splitlines()]
    assert lines == [{"do": "load", "outcome": "done"}] + [{"do": "dispense", "outcome": "ok"}] * 2


def test_a_shoe_gives_card_by_card_and_reads(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "day.jsonl"
    script.write_text(
        '{"do": "load", "cards": 416, "cover_from_bottom": 14}\n'
        '{"do": "draw", "face": "up", "times": 3}\n'
    )
    arguments = ["--port", f"pty:{tmp_path / 'shoe'}", "--script", str(script), "--speed", "500"]
    assert main(["sim", "shoe", *arguments, "--reads", "--fault", "overdraw"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line["outcome"] for line in lines] == ["done", "2", "3", "4"]


def test_a_shuffler_reads_no_cards(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sim", "shuffler", "--port", "pty:/tmp/x", "--reads"]) == 2
    assert "a shoe reads cards" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--port", "shoe"], 2, "expected an absolute path"),
        (["--port", "/nowhere/shoe"], 3, "nothing is plugged in"),
        (["--port", "pty:/nowhere/shoe"], 3, "No such file"),
        (["--port", "tcp://127.0.0.1:1"], 3, "tcp://127.0.0.1:1"),
        (["--port", "pty:/tmp/x", "--fault", "shuffler-jam"], 2, "no fault 'shuffler-jam'"),
        (["--port", "pty:/tmp/x", "--speed", "0"], 2, "above 0"),
        (["--port", "pty:/tmp/x", "--script", "/nowhere.jsonl"], 2, "/nowhere.jsonl"),
    ],
)
def test_a_mistake_is_said(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["sim", "shoe", *arguments]) == code
    assert message in capsys.readouterr().err


def test_a_wrong_line_is_named_before_anything_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "day.jsonl"
    script.write_text('{"do": "load", "cards": 53}\n{"do": "fly"}\n')
    port = f"pty:{tmp_path / 'shoe'}"
    assert main(["sim", "shoe", "--port", port, "--script", str(script)]) == 2
    shown = capsys.readouterr()
    assert f"{script}:2:1: do: expected one of" in shown.err
    assert shown.out == ""

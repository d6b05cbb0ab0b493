"""`tablectl replay` as a person meets it: output, places of mistakes, exit codes."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.replay import book_for
from controller.errors import UserError

DAYS = Path(__file__).parents[2] / "scenarios" / "days"


@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker"])
def test_a_worked_day_is_replayed(game: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    assert main(["replay", "--game", game, str(DAYS / f"{game}.inputs.jsonl")]) == 0
    out = capsysbinary.readouterr().out
    assert all(len(json.loads(line)) == 1 for line in out.splitlines())
    assert main(["replay", "--game", game, str(DAYS / f"{game}.inputs.jsonl")]) == 0
    assert capsysbinary.readouterr().out == out


def test_a_line_that_is_no_object_is_named_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "day.jsonl"
    file.write_text('{"at":"2026-01-05T18:00:00Z","from":"floorperson","type":"open"}\n{"x"\n')
    assert main(["replay", "--game", "dj-wild", str(file)]) == 2
    told = capsys.readouterr()
    assert f"{file}:2:5: " in told.err
    assert "table.opening" in told.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--game", "faro", "-"], "no game 'faro'"),
        (["-"], "name the game with --game"),
        (["--game", "dj-wild"], "name a file of inputs"),
        (["--game", "dj-wild", "/nowhere/day.jsonl"], "No such file"),
        (["--game", "dj-wild", "--journal", "/nowhere/j", "-"], "name a file of inputs"),
    ],
)
def test_mistakes_on_the_command_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["replay", *arguments]) == 2
    assert told in capsys.readouterr().err


def test_a_reader_that_had_enough_is_no_mistake() -> None:
    day = DAYS / "dj-wild.inputs.jsonl"
    command = f'"{sys.executable}" -m controller replay --game dj-wild "{day}" | head -n 1'
    ended = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True)
    assert (ended.stdout.count("\n"), ended.stderr) == (1, "")


def test_inputs_come_from_standard_input(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    octets = (DAYS / "dj-wild.inputs.jsonl").read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(octets)))
    assert main(["replay", "--game", "dj-wild", "-"]) == 0
    assert "round.completed" in capsys.readouterr().out


def test_a_game_that_is_not_known_lists_those_that_are() -> None:
    with pytest.raises(UserError, match="dj-wild"):
        book_for("faro", None)

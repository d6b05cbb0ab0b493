"""`tablectl demo` refuses what cannot be played, in words, before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.demo import GAMES
from controller.demo import demands
from controller.demo.faults import FAULTS


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "chess"], "'chess'; there are: dj-wild fortune-asia-poker blackjack mini"),
        (["--game", "blackjack", "--shoe-cards", "16"], "--shoe-cards: expected 17 to 234"),
        (["--game", "blackjack", "--shoe-cards", "235"], "--shoe-cards: expected 17 to 234"),
        (["--game", "minibaccarat", "--shoe-cards", "403"], "--shoe-cards: expected 17 to 402"),
        (["--speed", "0"], "--speed"),
        (["--rounds", "0"], "--rounds: expected 1 to 2000"),
        (["--rounds", "2001"], "--rounds: expected 1 to 2000"),
        (["--rounds", "1", "--fault", "shoe-jam"], "--rounds: expected 2 to 2000 for 1 faults"),
        (["--fault", "no-such"], "no 'no-such'; there are: shuffler-jam"),
        (["--fault", "rng-stuck"], "cannot happen in dj-wild, only in: fortune-asia-poker"),
        (["--fault", "cover-card-never"], "cannot happen in dj-wild, only in: blackjack mini"),
        (
            ["--game", "blackjack", "--fault", "short-stack"],
            "cannot happen in blackjack, only in: dj-wild fortune-asia-poker",
        ),
        (["--fault", "broker-away", "--broker", "mqtt://localhost"], "of the demo's own"),
        (["--broker", "http://localhost"], "mqtt://host:port"),
    ],
)
def test_what_cannot_be_played_is_said(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", *arguments]) == 2
    assert words in capsys.readouterr().err


def test_a_broker_that_is_not_there_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--quiet", "--broker", "mqtt://127.0.0.1:9"]) == 3
    assert "broker" in capsys.readouterr().err


def test_the_help_names_every_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--help"]) == 0
    assert set(FAULTS) <= set(capsys.readouterr().out.split())


def test_what_is_kept_is_kept_in_a_new_directory_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An older demo's journal would be played on; the two would be one record."""
    assert main(["demo", "--quiet", "--rounds", "1", "--keep", str(tmp_path)]) == 2
    assert f"--keep {tmp_path}: File exists" in capsys.readouterr().err


def test_what_is_kept_can_be_verified_and_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    day = tmp_path / "day"
    assert main(["demo", "--quiet", "--rounds", "1", "--speed", "500", "--keep", str(day)]) == 0
    journal, table = str(day / "journal.sqlite"), str(day / "table.toml")
    assert main(["journal", "verify", journal]) == 0
    assert main(["replay", "--table", table, "--journal", journal]) == 0
    assert "byte by byte" in capsys.readouterr().out


def test_the_games_of_the_help_are_those_that_are_played() -> None:
    """Named twice, so that the help needs nothing of the demo."""
    assert GAMES == demands.GAMES

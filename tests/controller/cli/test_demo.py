"""`tablectl demo` refuses what cannot be played, in words, before anything starts."""

from __future__ import annotations

import pytest

from controller.cli import main


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "blackjack"], "plays dj-wild and fortune-asia-poker"),
        (["--speed", "0"], "--speed"),
        (["--rounds", "0"], "--rounds: expected 1 to 1000"),
        (["--rounds", "1001"], "--rounds: expected 1 to 1000"),
        (["--rounds", "1", "--fault", "shoe-jam"], "--rounds: expected 2 to 1000 for 1 faults"),
        (["--fault", "no-such"], "no 'no-such'; there are: shuffler-jam"),
        (["--fault", "rng-stuck"], "plays in fortune-asia-poker only"),
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

"""`tablectl rules`: every paragraph of every game, for people and for scripts."""

import json

import pytest

from controller.catalogue import paragraphs_of
from controller.cli import main
from controller.cli.rules import PRINTERS


@pytest.mark.parametrize("form", sorted(PRINTERS))
def test_every_paragraph_is_printed(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--game", "dj-wild", "--format", form]) == 0
    text = capsys.readouterr().out
    assert all(one.cite in text for one in paragraphs_of("687a"))


def test_json_says_where_how_and_whether_it_was_read(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--game", "fortune-asia-poker", "--format", "json"]) == 0
    lines = {one["paragraph"]: one for one in json.loads(capsys.readouterr().out)}
    cut = lines["659a.5(c)"]
    assert cut["status"] == "seed"
    assert {one["id"] for one in cut["rules"]} >= {"CUT-DEPTH", "CUT-BY-DEALER"}
    assert cut["tests"]
    leaf = next(one for one in cut["profile"] if one["leaf"] == "cut.cards_min_top")
    assert (leaf["value"], leaf["verified"]) == (10, True)


def test_all_games_are_printed_without_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules"]) == 0
    text = capsys.readouterr().out
    assert "DJ Wild" in text
    assert "Fortune Asia" in text


def test_a_game_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rules", "--game", "faro"]) == 2
    assert "no game 'faro'" in capsys.readouterr().err

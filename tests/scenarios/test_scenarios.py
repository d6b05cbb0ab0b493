"""Every paragraph that was read, played as sentences; and the worked days of the product."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.catalogue import paragraphs_of
from controller.cli.replay import book_for
from controller.day import Day
from tests.scenarios.reading import Case, Scenario, begun, play_step, scenario, scenarios

FOLDER = Path(__file__).parent
ALL = scenarios()
CHAPTERS = ("627a", "633a", "659a", "687a")


@pytest.mark.parametrize(("one", "case"), [row[1:] for row in ALL], ids=[row[0] for row in ALL])
def test_the_case_ends_as_its_file_says(one: Scenario, case: Case) -> None:
    play = begun(case, one.game)
    for step in case.step:
        play_step(play, step)


def test_every_paragraph_that_was_read_in_full_has_a_scenario() -> None:
    read = {
        one.cite
        for chapter in CHAPTERS
        for one in paragraphs_of(chapter)
        if one.status == "seed" and one.disposition != "prompt"
    }
    played = {scenario(file).paragraph for file in FOLDER.glob("*.toml")}
    assert read - played == set()


def test_an_unknown_key_of_a_scenario_is_a_mistake(tmp_path: Path) -> None:
    file = tmp_path / "x.toml"
    text = 'paragraph="p"\ngame="dj-wild"\nduty="d"\n[[case]]\nname="n"\nbegin="open"\n'
    file.write_text(text + '[[case.step]]\nsay="dealer done"\nexpected=[]\n', encoding="utf-8")
    with pytest.raises(TypeError, match="expected"):
        scenario(file)


@pytest.mark.parametrize("game", ["blackjack", "dj-wild", "fortune-asia-poker", "minibaccarat"])
def test_a_worked_day_gives_its_events_in_their_order(game: str) -> None:
    lines = (FOLDER / "days" / f"{game}.inputs.jsonl").read_bytes().splitlines()
    wanted = [
        json.loads(line)
        for line in (FOLDER / "days" / f"{game}.expect.jsonl").read_text("utf-8").splitlines()
    ]
    given = [json.loads(line) for line in Day(book_for(game, None)).play_lines(lines)]
    assert not [line for line in given if "refused" in line]
    events = iter(line["event"] for line in given if "event" in line)
    for want in wanted:
        kind, data = want["event"], want.get("data", {})
        assert any(one["type"] == kind and data.items() <= one["data"].items() for one in events), (
            f"{want} does not come in its turn"
        )


@pytest.mark.parametrize("game", ["blackjack", "dj-wild", "fortune-asia-poker", "minibaccarat"])
def test_a_worked_day_gives_the_same_bytes_twice(game: str) -> None:
    lines = (FOLDER / "days" / f"{game}.inputs.jsonl").read_bytes().splitlines()
    first, second = (list(Day(book_for(game, None)).play_lines(lines)) for _ in range(2))
    assert first == second

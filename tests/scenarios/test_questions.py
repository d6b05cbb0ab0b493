"""Every open question of the law: a row for counsel, a place in the code, a file that shows it."""

from __future__ import annotations

import dataclasses
import importlib
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller.core.profile import GameProfile
from controller.core.readings import WORDS, Readings
from tests.scenarios.reading import Case, Scenario, begun, play_step, scenario

FOLDER = Path(__file__).parent
PAGE = FOLDER.parents[1] / "docs" / "ambiguities.md"
QUESTIONS = [f"A{number}" for number in range(1, 34)] + ["A3b"]
NOT_DATA = "no leaf: "
# A table's file names seconds, the rules read milliseconds; each key with its member of the setup.
HOUSE = {
    "[table] numbering": "numbering", "[game] approved_device": "approved_device",
    "[game] idle_after_s": "idle_after_ms", "[alarms] broker_away_s": "broker_alarm_ms",
    "[alarms] broker_hold_s": "broker_hold_ms",
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    number: str
    places: tuple[str, ...]
    files: tuple[str, ...]
    change: str

    @property
    def switches(self) -> tuple[str, ...]:
        """Leaves and keys in the last cell: `group.leaf`, or `[section] key` of a table's file."""
        if self.change.startswith(NOT_DATA):
            return ()
        return tuple(re.findall(r"`([a-z_]+(?:\.[a-z_]+)+|\[[a-z]+\] [a-z_]+)`", self.change))


def _rows() -> list[Row]:
    rows = []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if len(cells) == 6 and re.fullmatch(r"A\d+b?", cells[0]):
            places, files = (tuple(re.findall(r"`([^`]+)`", cell)) for cell in cells[3:5])
            rows.append(Row(cells[0], places, files, cells[5]))
    return rows


ROWS = _rows()
SWITCHES = [(row, switch) for row in ROWS for switch in row.switches]


def _file(row: Row, name: str) -> Scenario:
    one = scenario(FOLDER / f"{name}.toml")
    assert one.question == row.number, f"{name}.toml is about {one.question or 'no question'}"
    return one


def test_every_question_has_one_row() -> None:
    assert sorted(row.number for row in ROWS) == sorted(QUESTIONS)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_a_row_names_its_place_in_the_code_and_the_file_that_shows_it(row: Row) -> None:
    assert row.places
    assert row.files
    for place in row.places:
        file, name = place.split(":")
        module = "controller." + file.removesuffix(".py").replace("/", ".")
        assert hasattr(importlib.import_module(module), name), f"{place} does not exist"
    for name in row.files:
        _file(row, name)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.number)
def test_a_row_names_what_changes_the_reading_or_says_why_nothing_does(row: Row) -> None:
    reason = row.change.removeprefix(NOT_DATA)
    assert row.switches or (row.change.startswith(NOT_DATA) and len(reason) > 40)


def test_every_file_about_a_question_stands_in_its_row() -> None:
    shown = {(row.number, name) for row in ROWS for name in row.files}
    files = [(scenario(file).question, file.stem) for file in FOLDER.glob("*.toml")]
    assert {one for one in files if one[0]} == shown


def test_every_reading_of_a_profile_stands_in_the_table_with_its_words() -> None:
    for name, (_, *others) in WORDS.items():
        row = next((row for row, switch in SWITCHES if switch == f"readings.{name}"), None)
        assert row is not None, f"readings.{name} is explained nowhere"
        assert any(f"`{word}`" in row.change for word in others)
    assert set(WORDS) == {field.name for field in dataclasses.fields(Readings)}


@pytest.mark.parametrize(
    ("row", "switch"), SWITCHES, ids=[f"{row.number} {switch}" for row, switch in SWITCHES]
)
def test_the_other_value_changes_what_happens(row: Row, switch: str) -> None:
    """One case at least sets it, and ends otherwise once it is taken away."""
    files = [_file(row, name) for name in row.files]
    where = [(one, case) for one in files for case in one.case if _sets(case, switch)]
    assert where, f"no case sets {switch}"
    assert any(not _ends_as_said(one, _without(case, switch)) for one, case in where)


def _sets(case: Case, switch: str) -> bool:
    return switch in case.profile or HOUSE.get(switch) in case.house


def _without(case: Case, switch: str) -> Case:
    house = {key: case.house[key] for key in case.house if key != HOUSE.get(switch)}
    profile = {key: case.profile[key] for key in case.profile if key != switch}
    return dataclasses.replace(case, house=house, profile=profile)


def _ends_as_said(one: Scenario, case: Case) -> bool:
    try:
        play = begun(case, one.game)
        for step in case.step:
            play_step(play, step)
    except AssertionError:
        return False
    return True


def test_a_leaf_of_the_table_is_a_leaf_of_a_profile() -> None:
    groups = {field.name for field in dataclasses.fields(GameProfile)}
    for row, switch in SWITCHES:
        if not switch.startswith("["):
            assert switch.split(".")[0] in groups, f"{row.number}: {switch}"
        else:
            assert switch in HOUSE, f"{row.number}: {switch}"

"""`tablectl version`: the version and the profiles that the journal would name."""

import json

import pytest

from config.profiles import games
from controller import VERSION
from controller.cli import main


def test_version_names_program_and_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"table-controller {VERSION} ")
    assert all(f"profile {game} sha256:" in shown for game in games())


def test_version_is_read_by_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["version", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["version"] == VERSION
    assert set(record["profiles"]) == set(games())


def test_the_bare_option_prints_the_version_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"{VERSION}\n"

"""`tablectl run` ends with the code that tells systemd what to do, and with words for people."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.run import _said
from controller.engine import ProgramFault
from controller.errors import EXIT_BUG, EXIT_CONFIG, EXIT_FOUND, EXIT_UNREACHABLE
from controller.journal.seal import KeyTrouble
from controller.journal.trouble import CorruptJournal, JournalInUse
from hal.errors import AddressError
from hal.gpio import BoardError


def test_a_file_that_is_not_there_is_a_configuration_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", "--config", str(tmp_path / "none.toml")]) == EXIT_CONFIG
    assert "No such file" in capsys.readouterr().err


def test_every_mistake_of_a_file_is_said_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.toml"
    file.write_text('[table]\nid = "t"\nseets = 6\n')
    assert main(["run", "--config", str(file)]) == EXIT_CONFIG
    said = capsys.readouterr().err
    assert f"{file}:3:1:" in said
    assert f"{file}:1:1: section [game] is missing" in said


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyTrouble("seal.key: others may use this key"), EXIT_CONFIG),
        (AddressError("no port"), EXIT_CONFIG),
        (CorruptJournal("event 7", "is gone"), EXIT_FOUND),
        (ExceptionGroup("tasks", [JournalInUse("j", "another process")]), EXIT_FOUND),
        (BoardError("line 4: busy"), EXIT_UNREACHABLE),
        (ExceptionGroup("tasks", [ProgramFault(7, ValueError("x"))]), EXIT_BUG),
        (RuntimeError("what nobody thought of"), EXIT_BUG),
    ],
)
def test_each_end_has_its_code_and_is_logged(
    error: Exception, code: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR):
        assert _said(error) == code
    assert caplog.records

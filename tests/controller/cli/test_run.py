"""`tablectl run` ends with the code that tells systemd what to do, and with words for people."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from pathlib import Path

import pytest

from config.loader import load
from config.settings import Settings
from controller.cli import main
from controller.cli.run import _said, _served
from controller.engine import ProgramFault
from controller.errors import EXIT_BUG, EXIT_CONFIG, EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE
from controller.journal.seal import KeyTrouble
from controller.journal.trouble import CorruptJournal, JournalInUse
from controller.reload import Reload
from controller.supervisor import Supervisor
from hal.errors import AddressError
from hal.gpio import BoardError

EXAMPLE = Path(__file__).parents[3] / "config" / "examples" / "dj-wild.toml"


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


class Served:
    """Stands where the daemon would: what it does with each settings is scripted."""

    def __init__(self, *acts: Callable[[Supervisor, Reload], bool]) -> None:
        self._acts = list(acts)
        self.settings: list[Settings] = []
        self.refused: list[object] = []

    async def __call__(
        self, settings: Settings, supervisor: Supervisor, ending: object, reload: Reload
    ) -> bool:
        self.settings.append(settings)
        self.refused.append(reload.status()["refused"])
        return self._acts.pop(0)(supervisor, reload)


def test_settings_that_cannot_be_begun_with_give_way_to_those_of_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Faults T07: the last good file stays, also where only the board can tell that it is wrong."""
    old = load(EXAMPLE)
    new = dataclasses.replace(old, rng=dataclasses.replace(old.rng, source="kernel"))

    def asks_for_new(supervisor: Supervisor, reload: Reload) -> bool:
        supervisor.ready("serving")
        reload.next = new
        return True

    def finds_no_pin(supervisor: Supervisor, reload: Reload) -> bool:
        raise BoardError("line 4: busy")

    def ends(supervisor: Supervisor, reload: Reload) -> bool:
        supervisor.ready("serving")
        return True

    served = Served(asks_for_new, finds_no_pin, ends)
    monkeypatch.setattr("controller.daemon.serve", served)
    assert _served(EXAMPLE, old) == EXIT_OK
    assert served.settings == [old, new, old]
    assert served.refused == [None, None, f"{EXAMPLE}: could not be begun with: line 4: busy"]


def test_a_fault_after_the_new_settings_served_ends_the_daemon(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = load(EXAMPLE)

    def asks(supervisor: Supervisor, reload: Reload) -> bool:
        supervisor.ready("serving")
        reload.next = settings
        return True

    def fails_later(supervisor: Supervisor, reload: Reload) -> bool:
        supervisor.ready("serving")
        raise ProgramFault(7, ValueError("x"))

    served = Served(asks, fails_later)
    monkeypatch.setattr("controller.daemon.serve", served)
    assert _served(EXAMPLE, settings) == EXIT_BUG

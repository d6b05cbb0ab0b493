"""The frame of `tablectl`: help without imports, errors in words, exit codes of the interface."""

import argparse
import os
import subprocess
import sys
import types
from importlib.util import find_spec

import pytest

import controller.cli as cli
from controller.errors import EXIT_UNREACHABLE, UserError

PROGRAM = [sys.executable, "-m", "controller"]
# A verb without a module is told by one test, not by each.
PRESENT = [name for name, verb in cli.VERBS.items() if find_spec(verb.module)]


@pytest.fixture
def verb(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A verb `try` whose module a test may fill."""
    module = types.ModuleType("controller.cli._try")
    module.add = lambda parser: parser.add_argument("--n", type=int)  # type: ignore[attr-defined]
    module.run = lambda args: 0  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(cli.VERBS, "try", cli.Verb(module.__name__, "try it", "tablectl try"))
    return module


def _raising(error: BaseException) -> object:
    def run(args: argparse.Namespace) -> int:
        raise error

    return run


def test_top_help_lists_every_verb_and_imports_none() -> None:
    code = (
        "import sys; from controller.cli import main; main(['--help']);"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in"
        " ('pydantic', 'aiomqtt', 'gpiozero', 'serial', 'asyncio', 'hal', 'config')))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert all(f"  {name} " in done.stdout for name in cli.VERBS)
    assert lines[-1] == "[]"


@pytest.mark.parametrize("words", [["--help"], ["-h"], ["help"]])
def test_help_is_asked_for_and_given(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(words) == 0
    assert "example:" in capsys.readouterr().out


def test_no_verb_at_all_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([]) == 2
    assert "usage: tablectl" in capsys.readouterr().out


def test_an_unknown_verb_names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["chekc"]) == 2
    assert "did you mean 'check'?" in capsys.readouterr().err


def test_every_verb_of_the_help_has_its_module() -> None:
    assert sorted(set(cli.VERBS) - set(PRESENT)) == []


@pytest.mark.parametrize("name", PRESENT)
def test_every_verb_has_help_with_an_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([name, "--help"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: tablectl {name}")
    assert cli.VERBS[name].example in shown


@pytest.mark.parametrize("name", PRESENT)
def test_every_example_is_one_that_its_own_parser_accepts(name: str) -> None:
    import shlex
    from importlib import import_module

    words = shlex.split(cli.VERBS[name].example)
    assert words[:2] == ["tablectl", name]
    parser = argparse.ArgumentParser(exit_on_error=False, allow_abbrev=False)
    import_module(cli.VERBS[name].module).add(parser)
    parser.parse_args(words[2:])


def test_a_wrong_argument_is_a_usage_error(
    verb: types.ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["try", "--n", "x"]) == 2
    assert "invalid int value" in capsys.readouterr().err


def test_a_user_error_is_its_message_and_its_code(
    verb: types.ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    verb.run = _raising(UserError("broker is away", EXIT_UNREACHABLE))  # type: ignore[attr-defined]
    assert cli.main(["try"]) == 3
    assert capsys.readouterr().err == "broker is away\n"


def test_a_bug_is_one_line_and_70(
    verb: types.ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    verb.run = _raising(ZeroDivisionError("by zero"))  # type: ignore[attr-defined]
    assert cli.main(["try"]) == 70
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("words", [["--debug", "try"], ["try", "--debug"]])
def test_debug_shows_where_a_bug_is(verb: types.ModuleType, words: list[str]) -> None:
    verb.run = _raising(ZeroDivisionError("by zero"))  # type: ignore[attr-defined]
    with pytest.raises(ZeroDivisionError):
        cli.main(words)


def test_an_interrupt_ends_with_130_and_no_words(
    verb: types.ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    verb.run = _raising(KeyboardInterrupt())  # type: ignore[attr-defined]
    assert cli.main(["try"]) == 130
    assert capsys.readouterr() == ("", "")


def test_a_reader_that_goes_away_ends_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "--help"], stdout=writing, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")

"""Style, types and import contracts: the tools' own verdict, part of the one test command."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.meta.sources import ROOT

BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--quiet", "."],
        ["ruff", "format", "--check", "--quiet", "."],
        ["mypy", "--no-error-summary"],
        ["lint-imports", "--no-cache"],
    ],
    ids=" ".join,
)
def test_a_tool_finds_nothing(command: list[str]) -> None:
    done = subprocess.run(
        [str(BIN / command[0]), *command[1:]],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}"

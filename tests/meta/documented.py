"""The commands of a page: where they stand, whether they need a board, and how they are read.

A command stands on an indented line of its own and begins with a program's name. `# board` behind
it says that it needs a board, `# runs on` that it goes on until it is interrupted.
"""

from __future__ import annotations

import argparse
import re
import shlex
from dataclasses import dataclass
from importlib import import_module

from controller.cli import VERBS
from tests.meta.sources import ROOT

PAGES = ("technician", "dealer", "floorperson", "surveillance", "security", "inspector")
# What an indented line may begin with, apart from a unit's drop-in.
PROGRAMS = (
    "tablectl", "sudo", "sudoedit", "sh", "python3", "cd", "ls", "ss", "systemctl",
    "systemd-analyze", "openssl", "journalctl", "udevadm", "timedatectl",
)  # fmt: skip
DROP_IN = re.compile(r"\[\w+\]|\w+=\S*")
COMMAND = re.compile(r"^ {4,}(\S.*?)(?:\s+# (board|runs on))?$", re.MULTILINE)
# A floorperson's short form within a sentence or a table.
SHORT = re.compile(r"`T ([a-z_]+[^`]*)`")


@dataclass(frozen=True, slots=True)
class Documented:
    """One command of a page; `where` is empty, `board` or `runs on`."""

    page: str
    text: str
    where: str

    @property
    def words(self) -> list[str]:
        """As a shell splits it."""
        return shlex.split(self.text)


def commands_of(page: str) -> list[Documented]:
    """All of a page, in order. Raises AssertionError for an indented line that is none."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    found = []
    for line, where in COMMAND.findall(text):
        if DROP_IN.fullmatch(line):
            continue
        program = line.split(" ")[0]
        assert program in PROGRAMS, f"docs/{page}.md: {line}: what program is that?"
        found.append(Documented(page, line, where))
    return found


def short_forms(page: str) -> list[list[str]]:
    """Commands to a table in their short form, as words."""
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    return [shlex.split(words) for words in SHORT.findall(text)]


def parsed(words: list[str]) -> argparse.Namespace:
    """`tablectl` words as the verb reads them. Raises SystemExit as it would end."""
    verb, *rest = words
    module = import_module(VERBS[verb].module)
    parser = argparse.ArgumentParser(prog=f"tablectl {verb}")
    module.add(parser)
    return parser.parse_args(rest)

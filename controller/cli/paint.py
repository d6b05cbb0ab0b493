"""Events as lines for people: coloured by severity on a terminal, and harmless to it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from controller.core.codec import canonical

# ANSI: nothing, bold, cyan, yellow, red, white on red; by severity 0 to 5.
COLOURS = ("", "\x1b[1m", "\x1b[36m", "\x1b[33m", "\x1b[31m", "\x1b[97;41m")
PLAIN = "\x1b[0m"
# What a person need not see twice: the line names them, or they are bookkeeping.
HIDDEN = frozenset(("actor", "cause"))
# Longer texts are cut: a line is read, the record has the whole.
TEXT_CHARACTERS_MAX = 200
VALUE_CHARACTERS_MAX = 80


def is_coloured(stream: TextIO) -> bool:
    """Only where a person looks on and has not said no (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR")


def painted(line: str, severity: object, coloured: bool) -> str:
    """The line in the colour of its severity."""
    level = severity if isinstance(severity, int) and 0 <= severity < len(COLOURS) else 0
    return f"{COLOURS[level]}{line}{PLAIN}" if coloured and COLOURS[level] else line


def members_in_words(data: object) -> str:
    """`batch=A cards=52`: the members of an event's data."""
    members: Mapping[str, object] = data if isinstance(data, dict) else {}
    return " ".join(
        f"{clean(name)}={_short(value)}" for name, value in members.items() if name not in HIDDEN
    )


def clean(text: str) -> str:
    """Without control characters: what a stranger wrote must not steer the terminal."""
    return "".join(char if char.isprintable() else "?" for char in text[:TEXT_CHARACTERS_MAX])


def _short(value: object) -> str:
    text = value if isinstance(value, str) else canonical(value).decode()
    return clean(text)[:VALUE_CHARACTERS_MAX]

"""A line that somebody may say to a small table, made once and parsed once."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from controller.core.codec import arrived_of_line
from controller.core.inputs import Arrived

# All of a walk happens at one moment: no guard of a small table reads a clock.
AT = "2026-01-05T18:00:00.000Z"


@dataclass(frozen=True, slots=True)
class Line:
    """`said` are the members in order. A `mistake` is not the ordinary course: a walk allows so
    many of them on a way. An `answer` closes an open question, so what follows from it is none."""

    said: tuple[tuple[str, object], ...]
    mistake: bool = False
    answer: bool = False

    def __str__(self) -> str:
        return " ".join(f"{name}={value}" for name, value in self.said)


@functools.cache
def arrived(line: Line) -> Arrived:
    """The input that a line is; a walk numbers none, since no rule reads a number."""
    members = {name: list(value) if isinstance(value, tuple) else value
               for name, value in line.said}  # fmt: skip
    return arrived_of_line({"at": AT, **members}, 1, 0, 0)


@functools.cache
def _line(mistake: bool, answer: bool, said: tuple[tuple[str, object], ...]) -> Line:
    return Line(said, mistake, answer)


def dealer(kind: str, by: str = "d1", **members: object) -> Line:
    """The ordinary course; a member that is a list is given as a tuple."""
    head = (("from", "dealer"), ("by", by), ("type", kind))
    return _line(False, False, (*head, *members.items()))


def floor(kind: str, by: str = "f1", **members: object) -> Line:
    head = (("from", "floorperson"), ("by", by), ("type", kind))
    return _line(False, False, (*head, *members.items()))


def device(source: str, kind: str, **members: object) -> Line:
    return _line(False, False, (("from", source), ("type", kind), *members.items()))


def mistake(line: Line) -> Line:
    """The same line as one that is not the ordinary course."""
    return _line(True, line.answer, line.said)


def usual(line: Line, when: bool) -> Line:
    """The line as the ordinary course while `when` holds, and as a mistake otherwise."""
    return line if when else mistake(line)


def answer(line: Line) -> Line:
    """The same line as the answer to what is open."""
    return _line(line.mistake, True, line.said)

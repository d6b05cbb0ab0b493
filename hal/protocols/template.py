"""A line of text with fields, such as `SHUFFLED {cards:int} CARDS`; no regular expression. Pure.

A field reaches to the first place where the text behind it stands, or to the end of the line: there
is one way to read a line, in one pass, whatever the line.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from hal.protocols.members import DIGITS_MAX

# A device's line says a handful of things; more is a table of something.
FIELDS_MAX: Final = 8
# No line that a driver file allows has more octets.
TEMPLATE_CHARACTERS_MAX: Final = 240
Kind = Literal["int", "word", "text", "skip"]
KINDS: Final[tuple[Kind, ...]] = ("int", "word", "text", "skip")

_FIELD = re.compile(r"([a-z][a-z0-9_]{0,31}):(int|word|text)|skip")


class TemplateError(ValueError):
    """A template cannot be read; `at` is the character, from 0, and the message what is wrong."""

    def __init__(self, at: int, words: str) -> None:
        """Keep the place."""
        super().__init__(words)
        self.at = at


@dataclass(frozen=True, slots=True)
class Field:
    """What a template reads: digits, a run without blanks, any text; `skip` is read by nobody."""

    name: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Template:
    """A line's parts in order: fixed text and fields, never two fields without text between."""

    source: str
    parts: tuple[str | Field, ...]

    @property
    def fields(self) -> Mapping[str, Kind]:
        """Kind by name; what is skipped has none."""
        found = [part for part in self.parts if isinstance(part, Field) and part.name]
        return {field.name: field.kind for field in found}

    def match(self, line: str) -> dict[str, str] | None:
        """The fields of a line, or None where it is another line. An int is digits alone."""
        found: dict[str, str] = {}
        at = 0
        for place, part in enumerate(self.parts):
            if isinstance(part, str):
                if not line.startswith(part, at):
                    return None
                at += len(part)
                continue
            end = len(line)
            if place + 1 < len(self.parts):
                behind = self.parts[place + 1]
                assert isinstance(behind, str), "text follows a field"
                end = line.find(behind, at)
            value = _value(part.kind, line[at:end]) if end >= 0 else None
            if value is None:
                return None
            if part.name:
                found[part.name] = value
            at = end
        return found if at == len(line) else None


def _value(kind: Kind, text: str) -> str | None:
    """What a field of this kind makes of its text; None: it does not fit."""
    if kind == "int":
        # Printers pad numbers to a column.
        digits = text.strip(" ")
        fits = digits.isascii() and digits.isdigit() and len(digits) <= DIGITS_MAX
        return digits if fits else None
    if kind == "word":
        return text if text and " " not in text else None
    if kind == "text":
        return text.strip(" ") or None
    return ""


def template_of(source: str) -> Template:
    """Read a template; `{{` and `}}` stand for braces. Raises TemplateError."""
    if not source.strip():
        raise TemplateError(0, "an empty line says nothing")
    if len(source) > TEMPLATE_CHARACTERS_MAX:
        raise TemplateError(TEMPLATE_CHARACTERS_MAX, "longer than a line may be")
    parts: list[str | Field] = []
    names: set[str] = set()
    at = 0
    while at < len(source):
        char = source[at]
        if source[at : at + 2] in ("{{", "}}"):
            _add(parts, char)
            at += 2
        elif char == "}":
            raise TemplateError(at, "a lone `}`; write `}}` for the brace itself")
        elif char == "{":
            end = source.find("}", at)
            if end < 0:
                raise TemplateError(at, "a `{` without its `}`; write `{{` for the brace itself")
            parts.append(_field(source[at + 1 : end], at, parts, names))
            at = end + 1
        elif not char.isprintable():
            raise TemplateError(at, "a line holds printable characters alone")
        else:
            _add(parts, char)
            at += 1
    return Template(source, tuple(parts))


def _add(parts: list[str | Field], char: str) -> None:
    last = parts[-1] if parts else None
    if isinstance(last, str):
        parts[-1] = last + char
    else:
        parts.append(char)


def _field(inside: str, at: int, parts: list[str | Field], names: set[str]) -> Field:
    found = _FIELD.fullmatch(inside)
    if found is None:
        raise TemplateError(
            at, "a field is {name:int}, {name:word}, {name:text} or {skip}; a name is small letters"
        )
    if parts and isinstance(parts[-1], Field):
        raise TemplateError(at, "two fields need text between them, or nobody knows where one ends")
    if sum(isinstance(part, Field) for part in parts) >= FIELDS_MAX:
        raise TemplateError(at, f"more than {FIELDS_MAX} fields")
    name = found[1] or ""
    if name in names:
        raise TemplateError(at, f"{name} stands there twice")
    if name:
        names.add(name)
    kind: Kind = next(kind for kind in KINDS if kind == (found[2] or "skip"))
    return Field(name, kind)

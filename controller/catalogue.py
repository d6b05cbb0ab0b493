"""From paragraph to code and back: the paragraphs, the rules that obey them, leaves and tests."""

from __future__ import annotations

import ast
import dataclasses
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from controller.core.law import Lawful
from controller.core.profile import GameProfile
from controller.rules.registry import RULES, Entry

DISPOSITIONS = ("rule", "prompt", "procedure", "hardware", "not-applicable", "unread")
STATUSES = ("seed", "partial", "unread")
# prompt: people are told; procedure: the rows in their order; house: the table's file; hardware.
PART_DISPOSITIONS = ("prompt", "procedure", "house", "hardware")


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that a paragraph says: `by` are rules, or a disposition with `why`."""

    says: str
    by: str
    why: str = ""

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that obey it; none where it is only prompted for, or seen to by others."""
        return () if self.by in PART_DISPOSITIONS else tuple(self.by.split(" "))


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One lettered or numbered paragraph, in our own words."""

    id: str
    cite: str
    duty: str
    status: str
    disposition: str
    events: tuple[str, ...]
    reason: str = ""
    parts: tuple[Part, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the coverage table."""

    paragraph: Paragraph
    rules: tuple[Entry, ...]
    leaves: tuple[tuple[str, Lawful[object]], ...]
    tests: tuple[str, ...]


def paragraphs_of(chapter: str) -> tuple[Paragraph, ...]:
    """Every paragraph of one chapter. Raises FileNotFoundError for a chapter without a file."""
    place = files("controller.rules") / "paragraphs" / f"58pa-{chapter}.toml"
    document = tomllib.loads(place.read_text(encoding="utf-8"))
    return tuple(
        Paragraph(
            **{
                **row,
                "events": tuple(row["events"]),
                "parts": tuple(Part(**part) for part in row.get("parts", ())),
            }
        )
        for row in document["paragraph"]
    )


def leaves_of(profile: GameProfile) -> Iterator[tuple[str, Lawful[object]]]:
    """Every leaf of a profile with its dotted path."""
    for group in dataclasses.fields(profile):
        yield from _leaves(group.name, getattr(profile, group.name))


def _leaves(place: str, value: object) -> Iterator[tuple[str, Lawful[object]]]:
    if isinstance(value, Lawful):
        yield place, value
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from _leaves(f"{place}.{key}", part)
    elif dataclasses.is_dataclass(value):
        for member in dataclasses.fields(value):
            yield from _leaves(f"{place}.{member.name}", getattr(value, member.name))


def lines_of(profile: GameProfile, tests: dict[str, tuple[str, ...]]) -> tuple[Line, ...]:
    """The coverage of one game: a line for each paragraph of its chapter."""
    leaves = tuple(leaves_of(profile))
    lines = []
    for paragraph in paragraphs_of(profile.id.chapter):
        rules = tuple(one for one in RULES.values() if paragraph.cite in one.cites)
        lines.append(
            Line(
                paragraph,
                rules,
                tuple(leaf for leaf in leaves if leaf[1].cite == paragraph.cite),
                tuple(sorted({name for one in rules for name in tests.get(one.id, ())})),
            )
        )
    return tuple(lines)


def tests_by_rule(folder: Path) -> dict[str, tuple[str, ...]]:
    """Rule id -> tests that name it with `@covers`, read from the sources without running them."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder.rglob("test_*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                for rule in _covered(node):
                    found.setdefault(rule, []).append(f"{file.stem}::{node.name}")
    return {rule: tuple(names) for rule, names in found.items()}


def _covered(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[str]:
    for decorator in node.decorator_list:
        if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Name):
            continue
        if decorator.func.id == "covers":
            constants = (one for one in decorator.args if isinstance(one, ast.Constant))
            yield from (str(one.value) for one in constants)

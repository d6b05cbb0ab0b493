"""Mistakes among the pins of a panel: unknown purposes, one line twice, a digit in part."""

from __future__ import annotations

from collections.abc import Iterator

from config.complaints import Problem, nearest
from config.positions import Positions
from config.sections import Panel, Roster, Table
from hal.pins import PURPOSES
from hal.segments import SEGMENTS


def check_pins(
    panel: Panel | None, table: Table | None, roster: Roster, positions: Positions
) -> Iterator[Problem]:
    """All problems of `[panel.pins]`, each at its pin."""
    if panel is None:
        return
    yield from _check_lines(panel, positions)
    yield from _check_digit(panel, positions)
    for purpose in panel.pins:
        kind, _, number = purpose.partition("_")
        if kind == "seat" and number.isdigit() and table and int(number) > table.seats:
            yield Problem(
                positions.key(("panel", "pins", purpose)),
                f"[panel.pins] {purpose}: the table has {table.seats} seats",
            )
    keys = {entry.key for entry in roster.values()}
    if "key" in panel.pins and panel.key_id not in keys:
        path = (
            ("panel", "key_id")
            if ("panel", "key_id") in positions.keys
            else ("panel", "pins", "key")
        )
        yield Problem(
            positions.value(path),
            f"[panel] key_id is {panel.key_id!r}, but nobody in [roster] carries that key",
        )


def _check_lines(panel: Panel, positions: Positions) -> Iterator[Problem]:
    taken: dict[int, str] = {}
    for purpose, line in panel.pins.items():
        path = ("panel", "pins", purpose)
        if purpose not in PURPOSES:
            hint = nearest(purpose, PURPOSES)
            yield Problem(positions.key(path), f"unknown purpose [panel.pins] {purpose}; {hint}")
        if line in taken:
            yield Problem(
                positions.value(path),
                f"[panel.pins] {purpose}: line {line} serves {taken[line]} already",
            )
        taken.setdefault(line, purpose)


def _check_digit(panel: Panel, positions: Positions) -> Iterator[Problem]:
    """A digit has all of its segments; so have its sense lines, which need a digit."""
    for kind in ("segment", "sense"):
        wired = [name for name in SEGMENTS if f"{kind}_{name}" in panel.pins]
        missing = [f"{kind}_{name}" for name in SEGMENTS if name not in wired]
        if wired and missing:
            yield Problem(
                positions.key(("panel", "pins", f"{kind}_{wired[0]}")),
                f"[panel.pins] a digit needs all of its segments; missing: {', '.join(missing)}",
            )
    if "sense_a" in panel.pins and not any(f"segment_{name}" in panel.pins for name in SEGMENTS):
        yield Problem(
            positions.key(("panel", "pins", "sense_a")),
            "[panel.pins] sense_a: there is no segment_a to be sensed",
        )

"""A procedure as a table: one row is one lawful input, its guards, then its move. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from controller.core.law import Ask, Verdict
from controller.core.view import Table

Guard = Callable[[Table, Any], Verdict]
# A move of a device or a press may answer with a Refusal; every other returns nothing.
Move = Callable[[Table, Any], object]


@dataclass(frozen=True, slots=True)
class Row:
    """Guards left to right; the first that does not pass answers for the whole row."""

    guards: tuple[Guard, ...]
    then: Move


Rows = dict[type, Row]


def row(*guards: Guard, then: Move) -> Row:
    """One lawful input of a phase or a region."""
    return Row(guards, then)


def verdict_of(one: Row, table: Table, item: object) -> Verdict:
    """What the row's guards say of this input now; a waived duty is not asked about again."""
    for guard in one.guards:
        verdict = guard(table, item)
        if isinstance(verdict, Ask) and verdict.waiver in table.state.waived:
            continue
        if verdict is not None:
            return verdict
    return None


def nothing(table: Table, item: object) -> None:
    """Recorded, and nothing follows."""

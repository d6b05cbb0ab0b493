"""Checks a journal or its export, offline, with nothing but Python: the first wrong record, named.

What is checked: numbering without a gap, canonical bytes, the chain of events (`prevhash`, `hash`),
the running digest of inputs and effects, counts, columns against bodies, that every checkpoint
speaks of this chain and who signed it, that readers' cursors and outside witnesses know no more
than the record holds, that answers and starts fit the records, and the file's own trees and
declarations.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from controller.journal.proof.beside import (
    answers_fit,
    beside_the_chain,
    nothing_else_is_declared,
    runs_fit,
)
from controller.journal.proof.lines import Loose, NoTurn
from controller.journal.proof.report import Problem, Report, Wrong, members_at, same, wrong
from controller.journal.proof.rows import RowsOfTurn, trouble_in_trees
from controller.journal.proof.statement import Keys
from controller.journal.proof.strict import Unsound, members_of
from controller.journal.proof.walk import Walk, missing_after
from controller.journal.proof.witness import Witness
from controller.journal.source import NoJournal, Part, Source, open_source

# Told to whoever waits, some ten times a second.
PARTS_PER_PROGRESS = 2000

# How far the check has come: done, of all. Inputs of a database, octets of an export.
Progress = Callable[[int, int], None]

__all__ = ["Problem", "Report", "verify"]


def verify(
    path: Path,
    keys: Sequence[bytes] = (),
    witness: Witness | None = None,
    progress: Progress | None = None,
) -> Report:
    """Check all of it. `keys` are those that may have signed, none for whatever the record says.

    Raises NoJournal where there is nothing that could be checked.
    """
    with open_source(path) as source:
        report = Report(source.journal, source.table_id)
        try:
            _check(source, report, Keys(keys, source.keys), witness, progress)
        except Wrong as found:
            report.problem = _explained(found, source)
        except NoTurn as error:
            report.problem = Problem(f"line {error.line}", "unreadable", error.why)
        except sqlite3.Error as error:
            report.problem = _damaged(source, report, error)
        if report.problem is not None and source.changed():
            raise NoJournal(f"{path}: changed while it was read; try again")
        return report


def _check(
    source: Source,
    report: Report,
    keys: Keys,
    witness: Witness | None,
    progress: Progress | None,
) -> None:
    first_event = source.base.events + 1
    testimony = None
    if witness is not None:
        testimony = witness.about(source.journal, source.table_id, first_event)
    walk = Walk(report, source.base, keys, testimony, source.part)
    if source.statement is not None:
        walk.statement(source.statement)
    _walk_along(source, walk, progress)
    # A part ends where it was asked to; that the record goes on is no news.
    if not source.part:
        walk.end()
    report.witnessed = testimony.agreed if testimony is not None else None
    if source.connection is not None:
        beside_the_chain(source.connection, report.last)
        nothing_else_is_declared(source.connection)
        last_input = report.first + report.inputs - 1
        answers_fit(source.connection, report.first, last_input)
        runs_fit(source.connection, report.first, last_input)
    if keys.pinned and report.events and report.sealed < first_event:
        wrong("the record", "signature", "no checkpoint covers any of its events")


def _walk_along(source: Source, walk: Walk, progress: Progress | None) -> None:
    ended = False
    for count, part in enumerate(source.parts(), start=1):
        if ended:
            wrong("the last line", "order", "others follow it")
        if isinstance(part, RowsOfTurn):
            if walk.report.inputs == 0:
                _begins_on_a_word(source, walk)
            walk.turn(part.turn, part.columns)
        elif part.kind == "link":
            walk.link(part.body)
        elif part.kind == "checkpoint":
            walk.statement(part.body)
        elif part.kind == "snapshot":
            walk.snapshot(part.body)
        elif part.kind == "end":
            _as_much_as_was_written(walk.report, part.body)
            ended = True
        if progress is not None and count % PARTS_PER_PROGRESS == 0:
            progress(source.read, source.size)
    if not ended and source.connection is None:
        report = walk.report
        missing_after("input", report.first + report.inputs - 1, "the export has no last line")


def _begins_on_a_word(source: Source, walk: Walk) -> None:
    """A pruned record begins with the checkpoint that speaks for what is gone; a part is proved by
    the one at its end."""
    if source.base.inputs and not source.part and walk.report.checkpoints == 0:
        place = f"input {source.base.inputs + 1}"
        wrong(place, "base", "no checkpoint speaks of the records before it")


def _as_much_as_was_written(report: Report, body: bytes) -> None:
    told = members_at("the last line", body)
    counts = {"inputs": report.inputs, "effects": report.effects, "events": report.events}
    for name, count in counts.items():
        same("the last line", "count", name, told.get(name), count)


def _explained(found: Wrong, source: Source) -> Problem:
    """A record that was missed and stands further on was not taken away: it was moved."""
    problem = found.problem
    if found.wanted is None:
        return problem
    kind, number = found.wanted
    try:
        for part in source.parts():
            if any(_is(kind, number, body) for body in _bodies(kind, part)):
                detail = f"stands after later ones; {problem.detail}"
                return Problem(problem.place, "order", detail)
    except (Wrong, NoTurn, sqlite3.Error):
        # The rest cannot be searched: what was found first is told as it is.
        return problem
    return problem


def _bodies(kind: str, part: Part) -> Iterable[bytes]:
    if isinstance(part, Loose):
        return (part.body,) if (kind, part.kind) == ("event", "link") else ()
    return part.turn.events if kind == "event" else (part.turn.body,)


def _is(kind: str, number: int, body: bytes) -> bool:
    try:
        members = members_of(body)
    except Unsound:
        return False
    return (
        members.get("sequence") == f"{number:012d}"
        if kind == "event"
        else (members.get("n") == number)
    )


def _damaged(source: Source, report: Report, error: sqlite3.Error) -> Problem:
    trouble = None if source.connection is None else trouble_in_trees(source.connection)
    detail = str(error) if trouble in (None, str(error)) else f"{error}: {trouble}"
    return Problem(f"after input {report.first + report.inputs - 1}", "damaged", detail)

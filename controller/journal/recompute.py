"""Decides a record's inputs again, years later if need be, and compares byte by byte.

A record says itself by which book and by which program each of its runs was decided, and keeps the
states that a replay may begin with: where it was pruned, and where other software took over.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from controller.core.codec import Unreadable, canonical
from controller.journal.export import standing_after
from controller.journal.program import Program
from controller.journal.proof.lines import Loose
from controller.journal.proof.rows import RowsOfTurn
from controller.journal.proof.walk import Standing
from controller.journal.record import Chain
from controller.journal.replay import Diverged, again
from controller.journal.source import Source
from controller.journal.trouble import CorruptJournal
from controller.journal.turns import StoredTurn

S = TypeVar("S")

# Told to whoever waits, some ten times a second.
TURNS_PER_PROGRESS = 200
# What a program does on an input that it was not made for.
BREAKS = (ArithmeticError, AssertionError, LookupError, TypeError)


class NoBook(Exception):
    """The record does not hold the rules that it was decided by; the message says which."""


@dataclass(slots=True)
class Stretch:
    """The turns of one run. `program` and `version` are what it said of itself, empty where it is
    not told; `decided` counts the turns that came out the same, `difference` ends them."""

    first: int
    program: str = ""
    version: str = ""
    decided: int = 0
    difference: str | None = None


@dataclass(slots=True)
class Recomputed:
    """`passed_over` turns stand before any state that could be begun with."""

    stretches: list[Stretch] = field(default_factory=list)
    passed_over: int = 0

    @property
    def decided(self) -> int:
        """How many turns came out the same."""
        return sum(stretch.decided for stretch in self.stretches)

    @property
    def differing(self) -> Stretch | None:
        """The first run with a difference."""
        return next((one for one in self.stretches if one.difference is not None), None)


def recompute(
    source: Source,
    program: Program[S] | None,
    bound: Callable[[bytes], Program[S]],
    progress: Callable[[int, int], None] | None = None,
) -> Recomputed:
    """All turns again. `program` decides all of them; None for the books that the record holds,
    which `bound` makes a program of.

    Raises NoBook, CorruptJournal, NoTurn, Wrong, Unreadable or sqlite3.Error.
    """
    work = _Recompute(source, program, bound)
    for count, part in enumerate(source.parts(), start=1):
        work.take(part)
        if progress is not None and count % TURNS_PER_PROGRESS == 0:
            progress(source.read, source.size)
    return work.done


class _Recompute(Generic[S]):
    def __init__(
        self, source: Source, program: Program[S] | None, bound: Callable[[bytes], Program[S]]
    ) -> None:
        self.done = Recomputed()
        self._source = source
        self._fixed = program
        self._bound = bound
        self._documents = dict(source.documents())
        self._stations: dict[int, bytes] = dict(source.stations())
        self._programs: dict[str, Program[S]] = {}
        self._book = source.book()
        self._standing = source.base
        self._state: S | None = None
        self._begun = source.base.inputs == 0

    def take(self, part: RowsOfTurn | Loose) -> None:
        """One turn, or a line beside the turns."""
        if isinstance(part, RowsOfTurn):
            self._turn(part.turn)
        elif part.kind == "document":
            self._documents[_digest(part.body)] = part.body
        elif part.kind == "snapshot":
            self._stations[self._standing.inputs] = _state_of(part.body)

    def _turn(self, turn: StoredTurn) -> None:
        started = _started(turn)
        if started is not None or not self.done.stretches:
            self._run(turn.number, started or {})
        station = self._stations.pop(turn.number - 1, None)
        stretch = self.done.stretches[-1]
        if station is not None:
            self._state = self._program().load(station)
        elif self._begun and turn.number == 1:
            self._state = self._program().first()
        if self._state is None:
            self.done.passed_over += stretch.difference is None
            self._standing = standing_after(self._standing, turn)
            return
        self._decide(turn, stretch, self._state)

    def _decide(self, turn: StoredTurn, stretch: Stretch, state: S) -> None:
        try:
            after, chain = again(turn, state, self._chain(), self._program())
        except Diverged as diverged:
            self._differs(turn, stretch, str(diverged))
        except BREAKS as error:
            self._differs(turn, stretch, f"input {turn.number}: the program breaks on it: {error}")
        else:
            self._state = after
            stretch.decided += 1
            self._standing = Standing(
                chain.inputs, chain.effects, chain.sequence, chain.prevhash, chain.inputdigest
            )

    def _differs(self, turn: StoredTurn, stretch: Stretch, difference: str) -> None:
        """What follows rests on another state, up to the next one that the record keeps."""
        stretch.difference = difference
        self._state = None
        self._standing = standing_after(self._standing, turn)

    def _run(self, number: int, said: Mapping[str, object]) -> None:
        self._book = str(said.get("book") or self._book)
        difference = None
        if self.done.stretches and self._state is None:
            difference = self.done.stretches[-1].difference
        stretch = Stretch(number, str(said.get("digest", "")), str(said.get("version", "")))
        stretch.difference = difference if number - 1 not in self._stations else None
        self.done.stretches.append(stretch)

    def _chain(self) -> Chain:
        standing = self._standing
        return Chain(
            self._source.journal, self._source.table_id, standing.events, standing.head,
            standing.inputs, standing.effects, standing.digest,
        )  # fmt: skip

    def _program(self) -> Program[S]:
        if self._fixed is not None:
            return self._fixed
        if self._book not in self._programs:
            body = self._documents.get(self._book)
            if not self._book or body is None:
                which = f"its book {self._book[:16]}" if self._book else "its rules"
                raise NoBook(f"does not hold {which}; name them with --game or --table")
            self._programs[self._book] = self._bound(body)
        return self._programs[self._book]


def _started(turn: StoredTurn) -> Mapping[str, object] | None:
    if b'"type":"started"' not in turn.body:
        return None
    try:
        said = json.loads(turn.body)
        told = (said["from"], said["type"])
    except (ValueError, KeyError, TypeError):
        raise CorruptJournal(f"input {turn.number}", "cannot be read") from None
    return said if told == ("system", "started") else None


def _digest(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def _state_of(body: bytes) -> bytes:
    try:
        return canonical(json.loads(body)["state"])
    except (ValueError, KeyError, TypeError):
        raise Unreadable("snapshot: holds no state") from None

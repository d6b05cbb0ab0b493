"""What a check found: the first wrong record, and how far everything was in order before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NoReturn

from controller.journal.proof.strict import JsonObject, Unsound, members_of

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Problem:
    """The first wrong record. `kind` is one of

    unreadable, not-canonical: the bytes are those of no record;
    gap, duplicate, order: a record is missing, stands twice, or stands after a later one;
    hash, prevhash, inputdigest: a record was changed, or one before it;
    identity, count, column: it belongs elsewhere, or an index of the file contradicts it;
    checkpoint, signature: a signed statement speaks of another chain, or was not signed so;
    base: nobody signed for the place where a pruned record begins;
    truncated: a checkpoint, a cursor or a witness knows later records than the last one;
    fork, foreign: a witness knows another record in this place, or another journal altogether;
    snapshot, damaged: a saved state or the file itself;
    schema: the file declares something that no journal has, such as a trigger;
    answer, run: what a command was told, or what a start noted, is not what the records say.
    """

    place: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.detail}"


@dataclass(slots=True)
class Report:
    """What was read before the end or the first problem.

    `first` is the first input that is there, above 1 in a pruned journal or a part of one; counts
    are of what was read, `last` is the last event's sequence. `faults` are inputs that broke the
    program. `sealed` is the last event that a checked signature covers, `keys` the ids of the keys
    that made those, `unchecked` counts checkpoints whose key nobody named. `witnessed` is the last
    event that a witness knew the same.
    """

    journal: str
    table: str
    first: int = 1
    inputs: int = 0
    effects: int = 0
    events: int = 0
    last: int = 0
    head: str = GENESIS
    checkpoints: int = 0
    faults: int = 0
    sealed: int = 0
    keys: list[str] = field(default_factory=list)
    unchecked: int = 0
    witnessed: int | None = None
    problem: Problem | None = None


class Wrong(Exception):
    """Ends a check; `wanted` is the record that was looked for, where one may be further on."""

    def __init__(self, problem: Problem, wanted: tuple[str, int] | None = None) -> None:
        super().__init__(str(problem))
        self.problem = problem
        self.wanted = wanted


def wrong(place: str, kind: str, detail: str) -> NoReturn:
    """End the check here. Raises Wrong."""
    raise Wrong(Problem(place, kind, detail))


def same(place: str, kind: str, what: str, told: object, expected: object) -> None:
    """Raises Wrong where `told` is another value or a value of another type."""
    if type(told) is not type(expected) or told != expected:
        wrong(place, kind, f"{what} is {_short(told)}; expected {_short(expected)}")


def members_at(place: str, body: bytes) -> JsonObject:
    """The members of the canonical record at `place`. Raises Wrong."""
    try:
        return members_of(body)
    except Unsound as unsound:
        wrong(place, unsound.kind, unsound.why)


def in_turn(kind: str, told: object, expected: int) -> None:
    """A record's own number follows the one before it. Raises Wrong with what is the matter."""
    if told == expected and type(told) is int:
        return
    place = f"{kind} {expected}"
    if type(told) is not int:
        wrong(place, "identity", f"calls itself {_short(told)}")
    if 0 < told < expected:
        wrong(place, "duplicate", f"{kind} {told} stands here again")
    detail = f"missing; {kind} {told} stands in its place"
    raise Wrong(Problem(place, "gap", detail), (kind, expected))


def _short(value: object, most: int = 200) -> str:
    text = repr(value)
    return text if len(text) <= most else f"{text[:most]}…"

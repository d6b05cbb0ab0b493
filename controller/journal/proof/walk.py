"""Walks along a record, turn by turn, and stops at the first one that does not fit."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from controller.journal.proof.report import (
    GENESIS,
    Report,
    in_turn,
    members_at,
    same,
    wrong,
)
from controller.journal.proof.statement import Keys
from controller.journal.proof.strict import JsonObject, canonical
from controller.journal.proof.witness import Testimony
from controller.journal.turns import StoredTurn

# The most that one lawful input brings is some forty events; a turn without an end is no turn.
RECORDS_PER_TURN_MAX = 1000


@dataclass(slots=True)
class Standing:
    """Where a record stands after a turn: counts, the last event's hash, the running digest."""

    inputs: int = 0
    effects: int = 0
    events: int = 0
    head: str = GENESIS
    digest: str = GENESIS


# The event by which a statement is told outside (interfaces, 3).
CHECKPOINT = "journal.checkpoint"
# What a database repeats of an event beside its body: type, severity, hash.
Columns = tuple[object, object, object]


class Walk:
    """One pass along a record that begins at `standing`. Every method raises Wrong.

    `part`: a stretch of a record, whose last statement may speak of inputs that were left out.
    """

    def __init__(
        self,
        report: Report,
        standing: Standing,
        keys: Keys,
        testimony: Testimony | None = None,
        part: bool = False,
    ) -> None:
        self.report = report
        self.standing = standing
        self.keys = keys
        self.testimony = testimony
        self.part = part
        # The last place between two turns: what a statement inside of a turn speaks of.
        self._between = dataclasses.replace(standing)
        self._stated: JsonObject = {}
        # The run that ended with an input marked as a fault: it cannot have gone on.
        self._broken: object = None
        report.first = standing.inputs + 1
        report.last, report.head = standing.events, standing.head

    def turn(self, turn: StoredTurn, columns: Sequence[Columns] = ()) -> None:
        """One input with its effects and events; `columns` belong to the events, in a database."""
        report, standing = self.report, self.standing
        number = standing.inputs + 1
        place = f"input {number}"
        self._between = dataclasses.replace(standing)
        self._input(turn, number, place)
        for body in turn.effects:
            members_at(f"effect {standing.effects + 1}", body)
            self._run_on(body)
            standing.effects += 1
            report.effects += 1
        if turn.ends is not None:
            _none_missing("effect", standing.effects, turn.ends[1])
        if turn.digest:
            same(place, "inputdigest", "the digest of its row", turn.digest, standing.digest)
        for i, body in enumerate(turn.events):
            self._event(body, number, columns[i] if columns else None)
        if turn.outcome == "fault" and (turn.events or turn.effects):
            wrong(place, "column", "broke the program, as it is marked, and yet brought records")
        if turn.ends is not None:
            _none_missing("event", standing.events, turn.ends[0])
        standing.inputs = number
        report.inputs += 1
        report.faults += turn.outcome == "fault"
        for body in turn.checkpoints:
            self.statement(body)

    def link(self, body: bytes, columns: Columns | None = None) -> None:
        """An event whose inputs were left out; `columns` as in `turn`."""
        self._event(body, None, columns)

    def statement(self, body: bytes) -> None:
        """A signed statement that stands here: it must speak of this very place."""
        place = f"checkpoint {self.report.checkpoints + 1}"
        self._state(place, members_at(place, body), self.standing)

    def _state(self, place: str, members: JsonObject, standing: Standing) -> None:
        report = self.report
        # What stands in the file's own table is told as an event too.
        if members == self._stated:
            return
        self._stated = members
        report.checkpoints += 1
        number, sequence = members.get("inputs"), members.get("sequence")
        if type(number) is not int or type(sequence) is not int:
            wrong(place, "checkpoint", "does not say what it is about")
        place = f"checkpoint after input {number}"
        if sequence > standing.events:
            missing_after("event", standing.events, f"the {place} speaks of event {sequence}")
        if number > standing.inputs and not self.part:
            missing_after("input", standing.inputs, f"a checkpoint speaks of input {number}")
        told: list[tuple[str, object]] = [
            ("journal", report.journal),
            ("table", report.table),
            ("sequence", standing.events),
            ("hash", standing.head),
        ]
        if not (self.part and number != standing.inputs):
            told += [("inputs", standing.inputs), ("effects", standing.effects),
                     ("inputdigest", standing.digest)]  # fmt: skip
        for name, expected in told:
            same(place, "checkpoint", name, members.get(name), expected)
        if self.keys.check(place, members, report):
            report.sealed = max(report.sealed, standing.events)

    def snapshot(self, body: bytes) -> None:
        """A saved state that stands here: its chain must be this one."""
        place = f"snapshot after input {self.standing.inputs}"
        standing = self.standing
        expected = {
            "journal": self.report.journal,
            "table_id": self.report.table,
            "sequence": standing.events,
            "prevhash": standing.head,
            "inputs": standing.inputs,
            "effects": standing.effects,
            "inputdigest": standing.digest,
        }
        same(place, "snapshot", "chain", members_at(place, body).get("chain"), expected)

    def end(self) -> None:
        """Nothing follows; a witness may know better."""
        if self.testimony is not None:
            self.testimony.end(self.standing.events)

    def _published(self, place: str, envelope: JsonObject, linked: bool) -> None:
        """A checkpoint that was told as an event speaks of the place before its own turn."""
        data = envelope.get("data")
        members = data.get("checkpoint") if isinstance(data, dict) else None
        if not isinstance(data, dict) or not isinstance(members, dict):
            wrong(place, "checkpoint", "bears no statement")
        self.keys.hear(data.get("public_key"))
        self._state(place, members, self.standing if linked else self._between)

    def _input(self, turn: StoredTurn, number: int, place: str) -> None:
        if turn.number != number:
            in_turn("input", turn.number, number)
        members = members_at(place, turn.body)
        in_turn("input", members.get("n"), number)
        if turn.outcome not in ("ok", "fault"):
            wrong(place, "column", f"outcome is {turn.outcome!r}")
        if turn.outcome == "fault":
            self._broken = members.get("boot")
        elif self._broken is not None and members.get("boot") == self._broken:
            said = "broke the program, as it is marked, and yet the same run went on"
            wrong(f"input {number - 1}", "column", said)
        if max(len(turn.effects), len(turn.events)) > RECORDS_PER_TURN_MAX:
            wrong(place, "count", f"brings more than {RECORDS_PER_TURN_MAX} records")
        self._run_on(turn.body)

    def _run_on(self, body: bytes) -> None:
        digest = bytes.fromhex(self.standing.digest)
        self.standing.digest = hashlib.sha256(digest + body).hexdigest()

    def _event(self, body: bytes, cause: int | None, columns: Columns | None) -> None:
        report, standing = self.report, self.standing
        number = standing.events + 1
        place = f"event {number}"
        envelope = members_at(place, body)
        told = envelope.get("sequence")
        in_turn("event", _number(told), number)
        for name, expected in (
            ("sequence", f"{number:012d}"),
            ("id", f"{report.journal}/{number:012d}"),
            ("journal", report.journal),
            ("source", f"/tables/{report.table}"),
        ):
            same(place, "identity", name, envelope.get(name), expected)
        same(place, "prevhash", "prevhash", envelope.get("prevhash"), standing.head)
        digest = hash_of(envelope)
        same(place, "hash", "hash", envelope.get("hash"), digest)
        if cause is not None:
            _caused_by(place, envelope, cause)
            same(place, "inputdigest", "inputdigest", envelope.get("inputdigest"), standing.digest)
        if columns is not None:
            beside = (envelope.get("type"), envelope.get("severity"), digest)
            same(place, "column", "its row", columns, beside)
        if envelope.get("type") == CHECKPOINT:
            self._published(place, envelope, cause is None)
        standing.events, standing.head = number, digest
        report.events, report.last, report.head = report.events + 1, number, digest
        if self.testimony is not None:
            self.testimony.hear(number, digest)


def hash_of(envelope: JsonObject) -> str:
    """SHA-256 over the canonical bytes of an envelope without its `hash`."""
    bare = {name: value for name, value in envelope.items() if name != "hash"}
    return hashlib.sha256(canonical(bare)).hexdigest()


def missing_after(kind: str, last: int, why: str) -> NoReturn:
    """The record ends too early, as something else in it shows. Raises Wrong."""
    wrong(f"{kind} {last + 1}", "truncated", f"missing; {why}")


def _caused_by(place: str, envelope: JsonObject, cause: int) -> None:
    data = envelope.get("data")
    told = data.get("cause") if isinstance(data, dict) else None
    if type(told) is int and told > cause:
        wrong(f"input {cause + 1}", "gap", f"missing; {place} came of input {told}")
    same(place, "identity", "cause", told, cause)


def _number(told: object) -> object:
    return int(told) if isinstance(told, str) and told.isdecimal() and len(told) < 20 else told


def _none_missing(kind: str, found: int, ends: object) -> None:
    if found != ends:
        wrong(f"{kind} {found + 1}", "gap", f"missing; its input left {ends} of them")

"""Checks a journal or its export, offline, with nothing but Python: the first wrong record, named.

What is checked: numbering without a gap, canonical bytes, the chain of events (`prevhash`, `hash`),
the running digest of inputs and effects, counts, columns against bodies, and that every checkpoint
speaks of this chain. The signature of a checkpoint is checked by whoever holds the public key
(`controller.journal.seal`).
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from controller.journal.source import NoJournal, NoTurn, Source, open_source
from controller.journal.turns import StoredTurn

GENESIS = "0" * 64
JsonObject = dict[str, object]


@dataclass(frozen=True, slots=True)
class Problem:
    """The first wrong record. `kind` is gap, not-canonical, unreadable, hash, prevhash,
    inputdigest, identity, count, column, checkpoint, snapshot or damaged."""

    place: str
    kind: str
    detail: str

    def __str__(self) -> str:
        return f"{self.place}: {self.kind}: {self.detail}"


@dataclass(slots=True)
class Report:
    """What was read before the end or the first problem; `faults` are inputs marked as such."""

    journal: str
    table: str
    inputs: int = 0
    effects: int = 0
    events: int = 0
    checkpoints: int = 0
    faults: int = 0
    head: str = GENESIS
    problem: Problem | None = None


class _Wrong(Exception):
    def __init__(self, place: str, kind: str, detail: str) -> None:
        super().__init__(place)
        self.problem = Problem(place, kind, detail)


def verify(path: Path) -> Report:
    """Check all of it. Raises NoJournal where there is nothing that could be checked."""
    with open_source(path) as source:
        report = Report(source.journal, source.table_id)
        try:
            _Check(source, report).all()
        except _Wrong as wrong:
            report.problem = wrong.problem
        except NoTurn as error:
            report.problem = Problem(f"line {error.line}", "unreadable", error.why)
        except sqlite3.Error as error:
            report.problem = Problem(f"after input {report.inputs}", "damaged", str(error))
        if report.problem is not None and source.changed():
            raise NoJournal(f"{path}: changed while it was read; try again")
        return report


class _Check:
    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.digest = GENESIS
        self.checkpoints: dict[int, JsonObject] = {}

    def all(self) -> None:
        for body in self.source.checkpoints():
            self._take_checkpoint(body)
        for turn in self.source.turns():
            self._turn(turn)
        if self.checkpoints:
            number = min(self.checkpoints)
            _wrong(f"input {number}", "count", "is missing, and a checkpoint speaks of it")
        if self.source.connection is not None:
            self._tables(self.source.connection)

    def _turn(self, turn: StoredTurn) -> None:
        report = self.report
        place = f"input {report.inputs + 1}"
        if turn.number != report.inputs + 1:
            _wrong(place, "gap", f"missing; input {turn.number} stands in its place")
        _same(place, "gap", "n", _members(place, turn.body).get("n"), turn.number)
        if turn.outcome not in ("ok", "fault"):
            _wrong(place, "column", f"outcome is {turn.outcome!r}")
        self._run_on(turn.body)
        for body in turn.effects:
            _members(f"effect {report.effects + 1}", body)
            self._run_on(body)
            report.effects += 1
        if turn.ends is not None:
            _none_missing("effect", report.effects, turn.ends[1])
        for body in turn.events:
            self._event(body, turn.number)
        report.inputs += 1
        report.faults += turn.outcome == "fault"
        if turn.digest:
            _same(place, "inputdigest", "digest", turn.digest, self.digest)
        if turn.ends is not None:
            _none_missing("event", report.events, turn.ends[0])
        for body in turn.checkpoints:
            self._take_checkpoint(body)
        if (checkpoint := self.checkpoints.pop(turn.number, None)) is not None:
            self._checkpoint(checkpoint)

    def _run_on(self, body: bytes) -> None:
        self.digest = hashlib.sha256(bytes.fromhex(self.digest) + body).hexdigest()

    def _event(self, body: bytes, cause: int) -> None:
        report = self.report
        number = report.events + 1
        place = f"event {number}"
        envelope = _members(place, body)
        _same(place, "gap", "sequence", envelope.get("sequence"), f"{number:012d}")
        identity = f"{report.journal}/{number:012d}"
        for name, expected in (
            ("id", identity),
            ("journal", report.journal),
            ("source", f"/tables/{report.table}"),
        ):
            _same(place, "identity", name, envelope.get(name), expected)
        _same(place, "prevhash", "prevhash", envelope.get("prevhash"), report.head)
        bare = {key: value for key, value in envelope.items() if key != "hash"}
        digest = hashlib.sha256(_canonical(bare)).hexdigest()
        _same(place, "hash", "hash", envelope.get("hash"), digest)
        _same(place, "inputdigest", "inputdigest", envelope.get("inputdigest"), self.digest)
        data = envelope.get("data")
        told = data.get("cause") if isinstance(data, dict) else None
        _same(place, "identity", "cause", told, cause)
        report.events, report.head = number, digest

    def _take_checkpoint(self, body: bytes) -> None:
        self.report.checkpoints += 1
        place = f"checkpoint {self.report.checkpoints}"
        members = _members(place, body)
        number = members.get("inputs")
        if not isinstance(number, int):
            _wrong(place, "checkpoint", "does not say after which input it was made")
        if number < self.report.inputs:
            _wrong(place, "checkpoint", f"speaks of input {number} and stands after later ones")
        self.checkpoints[number] = members

    def _checkpoint(self, members: JsonObject) -> None:
        report = self.report
        place = f"checkpoint after input {report.inputs}"
        for name, expected in (
            ("journal", report.journal),
            ("sequence", report.events),
            ("effects", report.effects),
            ("hash", report.head),
            ("inputdigest", self.digest),
        ):
            _same(place, "checkpoint", name, members.get(name), expected)

    def _tables(self, connection: sqlite3.Connection) -> None:
        """What a database has beside the bodies: columns that repeat them, counts, snapshots."""
        report = self.report
        for table, count in (
            ("inputs", report.inputs),
            ("effects", report.effects),
            ("events", report.events),
        ):
            # The names are the three above, never a stranger's.
            (rows,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608
            _same(f"table {table}", "count", "number of records", rows, count)
        columns = connection.execute(
            "SELECT sequence, input, type, severity, hash, CAST(body AS BLOB) FROM events"
            " ORDER BY sequence"
        )
        for sequence, cause, kind, severity, digest, body in columns:
            said = _members(f"event {sequence}", body)
            data = said.get("data")
            told = data.get("cause") if isinstance(data, dict) else None
            bodies = (told, said.get("type"), said.get("severity"), said.get("hash"))
            _same(f"event {sequence}", "column", "row", (cause, kind, severity, digest), bodies)
        snapshots = connection.execute(
            "SELECT input, digest, CAST(chain AS BLOB), CAST(body AS BLOB) FROM snapshots"
        )
        for number, digest, chain, body in snapshots:
            expected = hashlib.sha256(chain + b"\n" + body).hexdigest()
            _same(f"snapshot after input {number}", "snapshot", "digest", digest, expected)


def _members(place: str, body: bytes) -> JsonObject:
    try:
        members = json.loads(body, parse_float=_no_float)
    except (ValueError, RecursionError) as error:
        _wrong(place, "unreadable", str(error))
    if not isinstance(members, dict):
        _wrong(place, "unreadable", "is no object")
    if _canonical(members) != body:
        _wrong(place, "not-canonical", "its bytes are not those that RFC 8785 gives")
    return members


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"{text} is no integer")


def _canonical(members: JsonObject) -> bytes:
    text = json.dumps(members, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _none_missing(kind: str, found: int, ends: int) -> None:
    if found != ends:
        _wrong(f"{kind} {found + 1}", "gap", f"missing; its input left {ends} of them")


def _same(place: str, kind: str, what: str, told: object, expected: object) -> None:
    if type(told) is not type(expected) or told != expected:
        _wrong(place, kind, f"{what} is {told!r}; expected {expected!r}")


def _wrong(place: str, kind: str, detail: str) -> NoReturn:
    raise _Wrong(place, kind, detail)

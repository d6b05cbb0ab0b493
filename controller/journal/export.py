"""Writes a record, or a part of it that proves itself, as JSON Lines (`proof.lines` has the form).

A part is whole turns, from the first to the last that has an event which was asked for: an event's
`inputdigest` proves the inputs up to it. After them come, as links, all
events up to the next signed checkpoint: each names the hash of the one before, so the signature
covers the part. Where the record has no later checkpoint yet, the part ends unsigned, and says so.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from controller.core.codec import canonical
from controller.journal.proof.lines import Loose, line_of
from controller.journal.proof.rows import RowsOfTurn
from controller.journal.proof.walk import CHECKPOINT, Standing
from controller.journal.selection import Selection, Stretch, stretch_of
from controller.journal.source import Source
from controller.journal.turns import StoredTurn


@dataclass(slots=True)
class Written:
    """How much was written; `sealed`: a checkpoint stands at or after its last event."""

    inputs: int = 0
    effects: int = 0
    events: int = 0
    sealed: bool = False


class NothingFound(Exception):
    """No record is what was asked for."""


def write_export(source: Source, file: BinaryIO, selection: Selection | None = None) -> Written:
    """All of a journal, or what was selected. Raises NothingFound, NoTurn, sqlite3.Error, OSError.

    The same record and selection give the same bytes, at any time.
    """
    stretch = None
    if selection is not None:
        stretch = stretch_of(source, selection)
        if stretch is None:
            raise NothingFound(f"nothing in the record is of {selection.words()}")
    return _Writer(source, file, stretch, selection).all()


class _Writer:
    def __init__(
        self, source: Source, file: BinaryIO, stretch: Stretch | None, selection: Selection | None
    ) -> None:
        self.source = source
        self.file = file
        self.stretch = stretch
        self.selection = selection
        self.standing = dataclasses.replace(source.base)
        self.stations = dict(source.stations())
        self.documents = dict(source.documents())
        self.written = Written()

    def all(self) -> Written:
        parts = self.source.parts()
        if self.stretch is None:
            self._head(None)
            if self.source.statement is not None:
                self._statement(self.source.statement)
            for _, body in sorted(self.documents.items()):
                self.file.write(line_of("document", body))
            for part in parts:
                self._station()
                self._whole(part)
        else:
            self._part(parts, self.stretch)
        counts = {"inputs": self.written.inputs, "effects": self.written.effects,
                  "events": self.written.events}  # fmt: skip
        self.file.write(line_of("end", canonical(counts)))
        return self.written

    def _part(self, parts: Iterator[RowsOfTurn | Loose], stretch: Stretch) -> None:
        begun = False
        for part in parts:
            number = self.standing.inputs + 1
            if not begun and number == stretch.first:
                begun = True
                self._head(stretch)
                self._book(stretch)
            if begun and number <= stretch.last:
                self._station()
            if isinstance(part, Loose):
                if begun and part.kind != "end":
                    self._loose(part)
                elif part.kind == "document":
                    self.documents[hashlib.sha256(part.body).hexdigest()] = part.body
            elif begun and number <= stretch.last:
                self._turn(part.turn)
                self.standing = standing_after(self.standing, part.turn)
            else:
                if begun:
                    self._links(part.turn)
                self.standing = standing_after(self.standing, part.turn)
            if begun and self.written.sealed and self.standing.inputs >= stretch.last:
                return

    def _whole(self, part: RowsOfTurn | Loose) -> None:
        if isinstance(part, Loose):
            if part.kind != "end":
                self._loose(part)
            return
        self._turn(part.turn)
        # Damaged bodies are evidence too, so they are read only where a state has yet to be placed.
        if self.stations:
            self.standing = standing_after(self.standing, part.turn)

    def _head(self, stretch: Stretch | None) -> None:
        source = self.source
        members: dict[str, object] = {
            **source.head, "id": source.journal, "table": source.table_id,
        }  # fmt: skip
        if self.standing.inputs:
            members["base"] = {
                "inputs": self.standing.inputs, "effects": self.standing.effects,
                "sequence": self.standing.events, "hash": self.standing.head,
                "inputdigest": self.standing.digest,
            }  # fmt: skip
        if stretch is not None and self.selection is not None:
            members["part"] = self.selection.words()
            if stretch.software is not None:
                members["software"] = stretch.software
        elif self.standing.inputs and source.book():
            members["software"] = {"book": source.book()}
        self.file.write(line_of("journal", canonical(members)))

    def _book(self, stretch: Stretch) -> None:
        book = (stretch.software or {}).get("book")
        body = self.documents.get(str(book))
        if body is not None:
            self.file.write(line_of("document", body))

    def _station(self) -> None:
        """The state that a replay may begin with here, where the journal keeps one."""
        state = self.stations.pop(self.standing.inputs, None)
        if state is not None:
            chain = {
                "journal": self.source.journal, "table_id": self.source.table_id,
                "sequence": self.standing.events, "prevhash": self.standing.head,
                "inputs": self.standing.inputs, "effects": self.standing.effects,
                "inputdigest": self.standing.digest,
            }  # fmt: skip
            record = b'{"chain":' + canonical(chain) + b',"state":' + state + b"}"
            self.file.write(line_of("snapshot", record))

    def _turn(self, turn: StoredTurn) -> None:
        self.file.write(line_of("input", turn.body, turn.outcome))
        for body in turn.effects:
            self.file.write(line_of("effect", body))
        for body in turn.events:
            self._event("event", body)
        for body in turn.checkpoints:
            self._statement(body)
        self.written.inputs += 1
        self.written.effects += len(turn.effects)

    def _links(self, turn: StoredTurn) -> None:
        """Later events lead to the next checkpoint, which may itself be told by one of them."""
        for body in turn.events:
            self._event("link", body)
            if self.written.sealed:
                return
        for body in turn.checkpoints:
            self._statement(body)

    def _event(self, kind: str, body: bytes) -> None:
        self.file.write(line_of(kind, body))
        self.written.events += 1
        # One that is told as an event covers what stands before it, so only a link is enough.
        self.written.sealed = kind == "link" and json.loads(body).get("type") == CHECKPOINT

    def _statement(self, body: bytes) -> None:
        self.file.write(line_of("checkpoint", body))
        self.written.sealed = True

    def _loose(self, part: Loose) -> None:
        if part.kind == "link":
            self._event("link", part.body)
        elif part.kind == "checkpoint":
            self._statement(part.body)
        else:
            self.file.write(line_of(part.kind, part.body))


def standing_after(before: Standing, turn: StoredTurn) -> Standing:
    """Where the record stands after one more turn. Nothing is checked here."""
    digest = bytes.fromhex(before.digest)
    for body in (turn.body, *turn.effects):
        digest = hashlib.sha256(digest + body).digest()
    head = json.loads(turn.events[-1])["hash"] if turn.events else before.head
    return Standing(
        before.inputs + 1,
        before.effects + len(turn.effects),
        before.events + len(turn.events),
        head,
        digest.hex(),
    )

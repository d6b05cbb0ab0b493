"""Reads what an outside copy knows of journals: the room's store, an export, events in lines."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from controller.journal.proof.lines import LINE_OCTETS_MAX, Loose, NoTurn, lines_in
from controller.journal.proof.report import members_at, same, wrong
from controller.journal.proof.strict import JsonObject, members_of
from controller.journal.proof.walk import CHECKPOINT, hash_of
from controller.journal.proof.witness import Known
from controller.journal.room import Room, is_room, open_room
from controller.journal.source import SQLITE_MAGIC, NoJournal, Source, open_source


def known_of(path: Path) -> Iterator[Known]:
    """Every event and statement of a journal, an export, the room's store, or a file with one
    envelope a line, as `tablectl watch --json` writes it. Raises NoJournal or Wrong."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise NoJournal(f"{path}: is no file")
        with path.open("rb") as file:
            first = file.readline(LINE_OCTETS_MAX)
    except OSError as error:
        raise NoJournal(f"{path}: {error.strerror}") from None
    if not first.startswith((SQLITE_MAGIC, b'{"journal":{')):
        yield from _of_lines(path)
        return
    try:
        if is_room(path):
            with open_room(path) as room:
                yield from _of_room(room)
        else:
            with open_source(path) as source:
                yield from _of_source(source)
    except NoTurn as error:
        wrong(f"line {error.line}", "unreadable", error.why)
    except sqlite3.Error as error:
        wrong("the file", "damaged", str(error))


def _of_room(room: Room) -> Iterator[Known]:
    for journal in room.journals():
        for body, _ in room.events(journal):
            yield from _of_envelope(f"table {journal.table}", body)


def _of_source(source: Source) -> Iterator[Known]:
    if source.statement is not None:
        yield from _of_statement("the base", members_at("the base", source.statement))
    for part in source.parts():
        if isinstance(part, Loose):
            if part.kind == "link":
                yield from _of_envelope("a link", part.body)
            elif part.kind == "checkpoint":
                yield from _of_statement("a checkpoint", members_at("a checkpoint", part.body))
            continue
        for body in part.turn.events:
            yield from _of_envelope(f"input {part.turn.number}", body)
        for body in part.turn.checkpoints:
            yield from _of_statement("a checkpoint", members_at("a checkpoint", body))


def _of_lines(path: Path) -> Iterator[Known]:
    with path.open("rb") as file:
        for at, line in enumerate(lines_in(file), start=1):
            if len(line) > LINE_OCTETS_MAX:
                raise NoJournal(f"{path}:{at}: longer than {LINE_OCTETS_MAX} octets")
            body = line.strip()
            if not body:
                continue
            try:
                members = members_of(body)
            except ValueError as error:
                raise NoJournal(
                    f"{path}:{at}: neither an event nor a checkpoint: {error}"
                ) from None
            if "specversion" in members:
                yield from _of_envelope(f"line {at}", body)
            else:
                yield from _of_statement(f"line {at}", members)


def _of_envelope(place: str, body: bytes) -> Iterator[Known]:
    envelope = members_at(place, body)
    same(place, "hash", "hash", envelope.get("hash"), hash_of(envelope))
    sequence = envelope.get("sequence")
    journal, table = str(envelope.get("journal")), str(envelope.get("source"))
    if not isinstance(sequence, str) or not sequence.isdecimal() or len(sequence) > 20:
        wrong(place, "identity", "an event without a sequence")
    yield Known(journal, table.removeprefix("/tables/"), int(sequence), str(envelope.get("hash")))
    if envelope.get("type") == CHECKPOINT:
        data = envelope.get("data")
        inner = data.get("checkpoint") if isinstance(data, dict) else None
        if isinstance(inner, dict):
            yield from _of_statement(place, inner)


def _of_statement(place: str, members: JsonObject) -> Iterator[Known]:
    sequence, digest = members.get("sequence"), members.get("hash")
    if type(sequence) is not int or not isinstance(digest, str):
        wrong(place, "checkpoint", "neither an event nor a checkpoint")
    if sequence > 0:
        yield Known(str(members.get("journal")), str(members.get("table")), sequence, digest)

"""Which program and which book each stretch of a journal was decided by."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RunRow:
    """One start: `inputs` is the last input before it, `previous` how the run before ended.

    `program` and `book` are digests, empty where they were not noted; `state` that of the document
    which this run began with where it took over another program's journal.
    """

    boot: int
    inputs: int
    previous: str
    program: str
    book: str
    state: str | None


def runs_in(connection: sqlite3.Connection) -> list[RunRow]:
    """Every start that the journal notes, in order. Raises sqlite3.Error."""
    rows = connection.execute(
        "SELECT boot, inputs, previous, program, book, state FROM runs ORDER BY boot"
    )
    return [RunRow(*row) for row in rows]


def run_of(runs: Sequence[RunRow], number: int) -> RunRow | None:
    """The run that decided input `number`: the last one that began before it."""
    return next((run for run in reversed(runs) if run.inputs < number), None)


def document_in(connection: sqlite3.Connection, digest: str) -> bytes | None:
    """A document by its digest; None where it is missing or is not what it should be."""
    row = connection.execute("SELECT body FROM documents WHERE digest = ?", (digest,)).fetchone()
    if row is None:
        return None
    body: bytes = row[0].encode()
    return body if hashlib.sha256(body).hexdigest() == digest else None


def keep_state(connection: sqlite3.Connection, boot: int, body: bytes) -> str:
    """Note the state that run `boot` begins with; its digest. In the caller's transaction."""
    digest = hashlib.sha256(body).hexdigest()
    connection.execute(
        "INSERT OR IGNORE INTO documents VALUES (?, 'state', ?)", (digest, body.decode())
    )
    connection.execute("UPDATE runs SET state = ? WHERE boot = ?", (digest, boot))
    return digest

"""What a journal's file holds beside the chain: cursors, states, answers, starts, its own form.

The chain says none of it, and each is believed by somebody: the next start, whoever sends a command
again, whoever asks which program decided. So it is held against the records.
"""

from __future__ import annotations

import hashlib
import sqlite3

from controller.journal.proof.report import in_turn, members_at, same, wrong
from controller.journal.proof.rows import has_table, trouble_in_trees
from controller.journal.proof.strict import JsonObject
from controller.journal.tables import BROKER, STORE, TABLES, TABLES_OF_2

DECLARED = frozenset(" ".join(one.split()) for one in f"{TABLES};{TABLES_OF_2}".split(";"))
# Readers of the events, whose cursors are sequences; the others count what devices said. The
# broker's was called "mqtt" in version 1.
READERS = (BROKER, STORE, "mqtt")
TURN = (
    "SELECT outcome, CAST(body AS BLOB), sequence,"
    " (SELECT sequence FROM inputs WHERE n = ?1 - 1) FROM inputs WHERE n = ?1"
)
REFUSED = (
    "SELECT CAST(body AS BLOB) FROM events"
    " WHERE sequence > ? AND sequence <= ? AND type = 'input.refused' ORDER BY sequence LIMIT 1"
)


def beside_the_chain(connection: sqlite3.Connection, last: int) -> None:
    """What a database says apart from its records: cursors of readers, saved states, the file's
    own trees. Raises Wrong or sqlite3.Error."""
    for name, at in connection.execute("SELECT name, sequence FROM cursors ORDER BY name"):
        if name in READERS and isinstance(at, int) and at > last:
            wrong(f"event {last + 1}", "truncated", f"missing; reader {name} has had event {at}")
    snapshots = connection.execute(
        "SELECT input, digest, CAST(chain AS BLOB), CAST(body AS BLOB) FROM snapshots"
    )
    for number, digest, chain, body in snapshots:
        if not isinstance(chain, bytes) or not isinstance(body, bytes):
            wrong(f"snapshot after input {number}", "snapshot", "is empty")
        expected = hashlib.sha256(chain + b"\n" + body).hexdigest()
        same(f"snapshot after input {number}", "snapshot", "digest", digest, expected)
    if has_table(connection, "documents"):
        rows = connection.execute("SELECT digest, CAST(body AS BLOB) FROM documents")
        for digest, body in rows:
            expected = hashlib.sha256(body or b"").hexdigest()
            same("a document", "snapshot", "digest", digest, expected)
    if (trouble := trouble_in_trees(connection)) is not None:
        wrong("the file", "damaged", trouble)


def nothing_else_is_declared(connection: sqlite3.Connection) -> None:
    """Every table, index, trigger and view is one that the program itself declares, in its words:
    a trigger, or a column with a conflict clause, swallows records while each commit succeeds.

    Raises Wrong or sqlite3.Error.
    """
    for kind, name, statement in connection.execute("SELECT type, name, sql FROM sqlite_master"):
        # An index that SQLite makes for a key has no statement of its own.
        own = kind == "index" and statement is None
        if not own and " ".join(str(statement).split()) not in DECLARED:
            wrong("the file", "schema", f"has a {kind} {name!a:.80}, which no journal has so")


def answers_fit(connection: sqlite3.Connection, first: int, last: int) -> None:
    """What each command was told is what its turn says; `first` and `last` are the inputs that are
    kept. Raises Wrong or sqlite3.Error."""
    before = None
    rows = connection.execute(
        "SELECT number, input, principal, command, CAST(body AS BLOB) FROM answers ORDER BY number"
    )
    for number, of_input, principal, command, body in rows:
        if before is not None:
            in_turn("answer", number, before + 1)
        before = number
        place = f"answer {number}"
        told = members_at(place, body or b"")
        if type(of_input) is not int or not 0 < of_input <= last:
            wrong(place, "answer", f"belongs to input {of_input}; the last one is {last}")
        if of_input < first:
            continue
        outcome, input_body, until, after = connection.execute(TURN, (of_input,)).fetchone()
        asked = members_at(f"input {of_input}", input_body)
        same(place, "answer", "whose it is", principal, asked.get("by"))
        same(place, "answer", "its command", command, asked.get("command"))
        refused = connection.execute(REFUSED, (after or 0, until)).fetchone()
        if outcome == "fault":
            same(place, "answer", "its result", told.get("result"), "refused")
        elif refused is not None:
            _is_refused(place, told, members_at(f"input {of_input}", refused[0]))
        else:
            same(place, "answer", "its result", told.get("result"), "accepted")
            # Where the turn before is pruned, nobody can tell where this one's events begin.
            if after is not None or of_input == 1:
                sequences = list(range((after or 0) + 1, until + 1))
                same(place, "answer", "its events", told.get("sequences"), sequences)


def _is_refused(place: str, told: JsonObject, event: JsonObject) -> None:
    data = event.get("data")
    reason = data.get("reason") if isinstance(data, dict) else None
    for name, value, expected in (
        ("result", told.get("result"), "refused"),
        ("reason", told.get("reason"), reason),
        ("rule", told.get("rule"), event.get("rule")),
    ):
        same(place, "answer", f"its {name}", value, expected)


def runs_fit(connection: sqlite3.Connection, first: int, last: int) -> None:
    """Each start that is noted is the one that the inputs after it tell of. Raises Wrong or
    sqlite3.Error."""
    if not has_table(connection, "runs"):
        return
    rows = connection.execute(
        "SELECT boot, inputs, previous, program, book, state FROM runs ORDER BY boot"
    ).fetchall()
    ends = [row[1] for row in rows[1:]] + [last]
    for (boot, inputs, previous, program, book, state), end in zip(rows, ends, strict=True):
        place = f"run {boot}"
        if type(inputs) is not int or type(end) is not int or not 0 <= inputs <= end <= last:
            wrong(place, "run", f"began after input {inputs}; the next one after input {end}")
        for digest in (book, state):
            if digest and not _is_kept(connection, digest):
                wrong(place, "run", f"goes by a document {str(digest)[:64]!a} that is not there")
        # Runs without a program are those of tools and tests, which say nothing of themselves.
        if not program or end <= inputs or inputs + 1 < first:
            continue
        said = _input(connection, inputs + 1)
        for name, noted, told in (
            ("its program", program, said.get("digest")),
            ("its book", book, said.get("book")),
            ("how the one before ended", previous, said.get("previous_end")),
        ):
            same(place, "run", name, noted, told)
        for number in (inputs + 1, end):
            told = _input(connection, number).get("boot")
            same(f"input {number}", "run", "its boot", told, boot)


def _is_kept(connection: sqlite3.Connection, digest: object) -> bool:
    query = "SELECT 1 FROM documents WHERE digest = ?"
    return connection.execute(query, (digest,)).fetchone() is not None


def _input(connection: sqlite3.Connection, number: int) -> JsonObject:
    (body,) = connection.execute(
        "SELECT CAST(body AS BLOB) FROM inputs WHERE n = ?", (number,)
    ).fetchone()
    return members_at(f"input {number}", body)

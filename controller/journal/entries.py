"""What one commit writes: turns, answers, cursors and the state, as rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from controller.core.codec import canonical, plain
from controller.journal.reading import snapshot_digest
from controller.journal.record import Chain, SealedTurn

# A repeated command is understood while its first answer is among the newest of these.
ANSWERS_MAX = 10_000
# One would do; the older ones serve where a newer program cannot read the newest. Those that a
# checkpoint speaks of stay beside them: a pruned journal begins at one.
SNAPSHOTS_MAX = 4


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """What one command of one principal was told; `body` is the answer's canonical record."""

    principal: str
    command: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Entry:
    """One turn on its way to the disk. `fault`: the program broke on this input."""

    turn: SealedTurn
    outcome: Literal["ok", "fault"] = "ok"
    answer: AnswerRow | None = None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state after `chain`; `body` is called in the journal's thread, the loop goes on."""

    chain: Chain
    body: Callable[[], bytes]


def insert_turns(connection: sqlite3.Connection, entries: Sequence[Entry]) -> None:
    """Inputs, effects and events of each turn."""
    inputs, effects, events = [], [], []
    for entry in entries:
        turn = entry.turn
        number = turn.input_number
        chain = turn.chain
        inputs.append(
            (number, entry.outcome, chain.inputdigest, chain.sequence, chain.effects,
             turn.input_body.decode())
        )  # fmt: skip
        first = chain.effects - len(turn.effects) + 1
        effects += [
            (first + i, number, identity, body.decode())
            for i, (identity, body) in enumerate(turn.effects)
        ]
        events += [
            (one.sequence, number, one.type, one.severity, one.hash, one.body.decode())
            for one in turn.events
        ]
    connection.executemany("INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?)", inputs)
    connection.executemany("INSERT INTO effects VALUES (?, ?, ?, ?)", effects)
    connection.executemany("INSERT INTO events VALUES (?, ?, ?, ?, ?, ?)", events)


def insert_answers(connection: sqlite3.Connection, entries: Sequence[Entry], written: int) -> None:
    """What commands were told, numbered after the `written` ones; the oldest go."""
    rows: list[tuple[int, int, str, str, str]] = []
    for entry in entries:
        if (answer := entry.answer) is not None:
            number = written + len(rows) + 1
            body = answer.body.decode()
            rows.append((number, entry.turn.input_number, answer.principal, answer.command, body))
    if rows:
        connection.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?)", rows)
        oldest = written + len(rows) - ANSWERS_MAX
        connection.execute("DELETE FROM answers WHERE number <= ?", (oldest,))


def insert_cursors(connection: sqlite3.Connection, cursors: dict[str, int]) -> None:
    """How far each reader has come, by its name."""
    connection.executemany("INSERT OR REPLACE INTO cursors VALUES (?, ?)", list(cursors.items()))


def insert_snapshot(connection: sqlite3.Connection, snapshot: Snapshot | None) -> None:
    """The state, in place of the oldest one that no checkpoint speaks of."""
    if snapshot is None:
        return
    chain, body = canonical(plain(snapshot.chain)), snapshot.body()
    digest = snapshot_digest(chain, body)
    connection.execute(
        "INSERT OR REPLACE INTO snapshots VALUES (?, ?, ?, ?)",
        (snapshot.chain.inputs, digest, chain.decode(), body.decode()),
    )
    connection.execute(
        "DELETE FROM snapshots WHERE input NOT IN"
        " (SELECT input FROM snapshots ORDER BY input DESC LIMIT ?)"
        " AND input NOT IN (SELECT json_extract(body, '$.inputs') FROM checkpoints)",
        (SNAPSHOTS_MAX,),
    )

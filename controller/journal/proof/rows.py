"""A journal's database, row by row, as one stream of turns; whatever else the file is, is said."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from controller.journal.proof.report import in_turn, members_at, wrong
from controller.journal.proof.strict import RECORD_OCTETS_MAX
from controller.journal.proof.walk import RECORDS_PER_TURN_MAX, Columns, Standing
from controller.journal.turns import StoredTurn

TABLES = ("meta", "inputs", "effects", "events", "snapshots", "cursors", "checkpoints")
# Those that the first version of the file did not have yet.
LATER_TABLES = ("runs", "documents", "base")
# Whose first column is the row's own number, so that it is there and a whole number.
NUMBERED = ("inputs", "effects", "events")
# Before the first number that a row can have.
BEFORE_ALL = -(2**63)
Row = tuple[object, ...]


class NoDatabase(Exception):
    """The file is a database, and none of a journal."""


@dataclass(frozen=True, slots=True)
class RowsOfTurn:
    """A turn, and what the rows of its events say beside their bodies."""

    turn: StoredTurn
    columns: tuple[Columns, ...]


def guard(connection: sqlite3.Connection) -> None:
    """Make a stranger's file harmless to read. Raises NoDatabase or sqlite3.Error."""
    guard_tables(connection, TABLES, LATER_TABLES)


def guard_tables(
    connection: sqlite3.Connection, tables: Sequence[str], later: Sequence[str] = ()
) -> None:
    """The same for any tables, of which `later` may be missing. Raises NoDatabase or
    sqlite3.Error."""
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, RECORD_OCTETS_MAX)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    for name in (*tables, *later):
        # A view may be made to have no end; a generated column computes what nobody wrote.
        found = connection.execute(
            "SELECT type FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')", (name,)
        ).fetchone()
        if found is None and name in later:
            continue
        if found is None or found[0] != "table":
            raise NoDatabase(f"has no table {name}: not the journal of a table controller")
        columns = connection.execute(
            "SELECT hidden, type, pk FROM pragma_table_xinfo(?) ORDER BY cid", (name,)
        ).fetchall()
        numbered = columns[0][1:] == ("INTEGER", 1) or name not in NUMBERED or not later
        if any(hidden for hidden, _, _ in columns) or not numbered:
            raise NoDatabase(f"its table {name} is not that of a journal")


def has_table(connection: sqlite3.Connection, name: str) -> bool:
    """Whether the file has this table, as a later version does."""
    query = "SELECT 1 FROM sqlite_master WHERE name = ? AND type = 'table'"
    return connection.execute(query, (name,)).fetchone() is not None


def base_of(connection: sqlite3.Connection) -> tuple[Standing, bytes | None]:
    """Where the record begins: at its first input, or at the statement up to which it was pruned;
    and that statement. Raises Wrong."""
    if has_table(connection, "base"):
        row = connection.execute(
            "SELECT CAST(body AS BLOB) FROM base ORDER BY inputs DESC LIMIT 1"
        ).fetchone()
        if row is not None:
            return standing_of("the base", members_at("the base", row[0] or b"")), row[0]
    return Standing(), None


def standing_of(place: str, members: dict[str, object]) -> Standing:
    """The place in a record that a statement or a head describes. Raises Wrong."""
    inputs, effects, sequence = (
        _count(place, members.get(name)) for name in ("inputs", "effects", "sequence")
    )
    head, digest = (_digest(place, members.get(name)) for name in ("hash", "inputdigest"))
    return Standing(inputs, effects, sequence, head, digest)


def _count(place: str, value: object) -> int:
    # A truth value is an int for Python, and no count for anybody else.
    if type(value) is not int or value < 0:
        wrong(place, "base", "does not say where the record begins")
    return value


def _digest(place: str, value: object) -> str:
    if not isinstance(value, str) or len(value) != 64 or value.strip("0123456789abcdef"):
        wrong(place, "base", "has no digests of the record before it")
    return value


def rows_of_turns(connection: sqlite3.Connection, base: Standing) -> Iterator[RowsOfTurn]:
    """Every turn after `base`, with the statements that were made after it; then, where rows are
    left that no turn owns, Wrong. Raises sqlite3.Error where the file is damaged.

    Four cursors that go along together: each page is read once, and memory stays flat.
    """
    # What was pruned may still lie about; in a whole record nothing stands before the first.
    after = base if base.inputs else Standing(BEFORE_ALL, BEFORE_ALL, BEFORE_ALL)
    effects = _Rows(
        connection,
        "SELECT number, input, CAST(body AS BLOB) FROM effects WHERE number > ? ORDER BY number",
        after.effects,
    )
    events = _Rows(
        connection,
        "SELECT sequence, input, type, severity, hash, CAST(body AS BLOB) FROM events"
        " WHERE sequence > ? ORDER BY sequence",
        after.events,
    )
    statements = _Statements(connection, base)
    inputs = connection.execute(
        "SELECT n, outcome, digest, sequence, effects, CAST(body AS BLOB) FROM inputs WHERE n > ?"
        " ORDER BY n",
        (after.inputs,),
    )
    last = base.inputs
    for row in inputs:
        number, outcome, digest, sequence, effects_end, body = row
        if not isinstance(body, bytes) or not isinstance(number, int):
            wrong(f"input {last + 1}", "column", "its row is not that of an input")
        in_turn("input", number, last + 1)
        mine = events.until(sequence, f"input {number}")
        turn = StoredTurn(
            number,
            str(outcome),
            str(digest),
            body,
            tuple(_owned("effect", number, one) for one in
                  effects.until(effects_end, f"input {number}")),
            tuple(_owned("event", number, one) for one in mine),
            (sequence, effects_end),
            statements.after(number),
        )  # fmt: skip
        yield RowsOfTurn(turn, tuple((one[2], one[3], one[4]) for one in mine))
        last = number
    statements.end(last)
    for table, rows in (("effects", effects), ("events", events)):
        if rows.left:
            wrong(f"table {table}", "count", f"holds records after those of input {last}")


class _Rows:
    """Numbered rows, of which a turn takes those up to where it says that it ended."""

    def __init__(self, connection: sqlite3.Connection, query: str, after: int) -> None:
        self._cursor = connection.execute(query, (after,))
        self._next: Row | None = next(self._cursor, None)

    @property
    def left(self) -> bool:
        return self._next is not None

    def until(self, end: object, place: str) -> list[Row]:
        taken: list[Row] = []
        if type(end) is not int:
            wrong(place, "column", "does not say where it ended")
        while self._next is not None and _number(self._next) <= end:
            taken.append(self._next)
            if len(taken) > RECORDS_PER_TURN_MAX:
                wrong(place, "count", f"brings more than {RECORDS_PER_TURN_MAX} records")
            self._next = next(self._cursor, None)
        return taken


class _Statements:
    """Signed statements in the order of their events; those from before the base are passed."""

    def __init__(self, connection: sqlite3.Connection, base: Standing) -> None:
        self._cursor = connection.execute(
            "SELECT CAST(body AS BLOB) FROM checkpoints ORDER BY sequence"
        )
        self._count = 0
        self._base = base.inputs
        self._next = self._read()

    def after(self, number: int) -> tuple[bytes, ...]:
        mine = []
        while self._next is not None and self._next[0] <= number:
            if self._next[0] > self._base:
                mine.append(self._next[1])
            self._next = self._read()
        return tuple(mine)

    def end(self, last: int) -> None:
        if self._next is not None and self._next[0] > max(last, self._base):
            detail = f"missing; a checkpoint speaks of input {self._next[0]}"
            wrong(f"input {last + 1}", "truncated", detail)

    def _read(self) -> tuple[int, bytes] | None:
        row = next(self._cursor, None)
        if row is None:
            return None
        self._count += 1
        place = f"checkpoint {self._count}"
        if not isinstance(row[0], bytes):
            wrong(place, "unreadable", "its row is not that of a statement")
        number = members_at(place, row[0]).get("inputs")
        if not isinstance(number, int):
            wrong(place, "checkpoint", "does not say after which input it was made")
        return number, row[0]


def _owned(kind: str, number: int, row: Row) -> bytes:
    own, owner, body = row[0], row[1], row[-1]
    if owner != number:
        wrong(f"{kind} {own}", "column", f"its row names input {owner}; it came with {number}")
    if not isinstance(body, bytes):
        wrong(f"{kind} {own}", "column", "its row has no text")
    return body


def _number(row: Row) -> int:
    if type(row[0]) is not int:
        wrong("a row", "column", "has no number")
    return row[0]


def trouble_in_trees(connection: sqlite3.Connection) -> str | None:
    """The first thing that SQLite finds wrong with the file's pages, None where it is nothing."""
    try:
        (said,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error)
    # It heads each tree's remarks with a line of its own.
    words = [line for line in str(said).splitlines() if not line.startswith("***")]
    return None if said == "ok" else " ".join(words)

"""What somebody else knows of a journal, and where it tells another story."""

from __future__ import annotations

import itertools
import sqlite3
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.journal.proof.report import wrong


@dataclass(frozen=True, slots=True)
class Known:
    """One event that a witness holds or signed for: its place in which journal, and its hash."""

    journal: str
    table: str
    sequence: int
    hash: str


class Witness:
    """Everything that one or more outside copies know, ordered; memory stays flat.

    The database has no name: SQLite keeps it in a temporary file once it is large.
    """

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute(
            "CREATE TABLE known (journal TEXT, sequence INTEGER, hash TEXT, place TEXT,"
            " PRIMARY KEY (journal, sequence)) WITHOUT ROWID"
        )
        self._tables: dict[str, str] = {}

    def add(self, known: Iterable[Known], place: str) -> int:
        """Take what the copy at `place` knows; how many. Raises Wrong where two contradict."""
        count = 0
        self._connection.execute("BEGIN")
        for one in known:
            self._tables.setdefault(one.journal, one.table)
            cursor = self._connection.execute(
                "INSERT OR IGNORE INTO known VALUES (?, ?, ?, ?)",
                (one.journal, one.sequence, one.hash, place),
            )
            if cursor.rowcount == 0:
                self._agrees(one, place)
            count += 1
        self._connection.execute("COMMIT")
        return count

    def about(self, journal: str, table: str, first: int) -> Testimony:
        """What is known of `journal` from event `first` on. Raises Wrong where it is nothing."""
        if journal not in self._tables:
            others = [one for one, of in self._tables.items() if of == table]
            theirs = f"journal {others[-1]}" if others else "no record"
            detail = f"is journal {journal}; the witness knows {theirs} of table {table}"
            wrong("journal", "foreign", detail)
        rows = self._connection.execute(
            "SELECT sequence, hash, place FROM known WHERE journal = ? AND sequence >= ?"
            " ORDER BY sequence",
            (journal, first),
        )
        return Testimony(rows)

    def close(self) -> None:
        """Forget it all."""
        self._connection.close()

    def _agrees(self, one: Known, place: str) -> None:
        digest, other = self._connection.execute(
            "SELECT hash, place FROM known WHERE journal = ? AND sequence = ?",
            (one.journal, one.sequence),
        ).fetchone()
        if digest != one.hash:
            where = f"{place}: event {one.sequence}"
            detail = f"has hash {one.hash} here and {digest} in {other}"
            wrong(where, "fork", detail)


class Testimony:
    """The known events of one journal, asked in the order of their sequence."""

    def __init__(self, rows: Iterator[tuple[int, str, str]]) -> None:
        self._rows = rows
        self._next = next(rows, None)
        self.agreed: int | None = None

    def hear(self, sequence: int, digest: str) -> None:
        """Compare one event of the record. Raises Wrong where the witness knows another."""
        while self._next is not None and self._next[0] <= sequence:
            known, theirs, place = self._next
            if known == sequence and theirs != digest:
                before = "" if self.agreed is None else f"; both agree up to event {self.agreed}"
                detail = f"has hash {digest}; {place} knows it with hash {theirs}{before}"
                wrong(f"event {sequence}", "fork", detail)
            if known == sequence:
                self.agreed = known
            self._next = next(self._rows, None)

    def end(self, last: int) -> None:
        """Raises Wrong where the witness knows events after the record's last one."""
        if self._next is None:
            return
        newest = deque(itertools.chain((self._next,), self._rows), maxlen=1)
        sequence, theirs, place = newest[-1]
        detail = (
            f"the record ends at event {last}, a cut end or an older copy; "
            f"{place} knows event {sequence} with hash {theirs}"
        )
        wrong(f"event {last + 1}", "truncated", detail)

"""The room's database: one writer, a batch a transaction, the octets of each event as they came.

meta      what the file is: kind and version
journals  one row a journal: its table, what the gap-free row began after (`base`), how far it
          reaches, and whether it is `whole` or `disputed`
events    the records of each journal; those beyond `reached` wait for a gap to be filled
holes     what neither the room nor the table has any more
disputed  records that do not fit the row, kept as evidence
findings  what the room was alarmed about, open or closed
closings  which of them a person has closed: who, when and why
keys      the key that counts for each table, pinned or of first use
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from controller.journal.worker import Worker
from controller.recorder.closing import CLOSINGS, Closing, closings_in, open_findings
from controller.recorder.database import (
    KIND,
    VERSION,
    ArchiveTrouble,
    Database,
    ForeignArchive,
    Row,
    int_of,
    is_prepared,
)
from controller.recorder.findings import Finding
from controller.recorder.follower import AHEAD_EVENTS_MAX, Follower, Head
from controller.recorder.keys import Key
from controller.recorder.records import Record

T = TypeVar("T")

# Evidence of one dispute: enough to show both histories, not enough to fill the disk.
DISPUTED_RECORDS_MAX = 10_000

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE journals (journal TEXT PRIMARY KEY, number BIGINT NOT NULL UNIQUE,
  table_id TEXT NOT NULL, base BIGINT NOT NULL, reached BIGINT NOT NULL, hash TEXT NOT NULL,
  state TEXT NOT NULL);
CREATE TABLE events (journal BIGINT NOT NULL, sequence BIGINT NOT NULL, type TEXT NOT NULL,
  severity BIGINT NOT NULL, time TEXT NOT NULL, prevhash TEXT NOT NULL, hash TEXT NOT NULL,
  received_ms BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (journal, sequence));
CREATE TABLE holes (journal BIGINT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL,
  PRIMARY KEY (journal, first));
CREATE TABLE disputed (journal BIGINT NOT NULL, sequence BIGINT NOT NULL, hash TEXT NOT NULL,
  received_ms BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (journal, sequence, hash));
CREATE TABLE findings (number BIGINT PRIMARY KEY, at TEXT NOT NULL, table_id TEXT NOT NULL,
  journal TEXT NOT NULL, kind TEXT NOT NULL, severity BIGINT NOT NULL, sequence BIGINT NOT NULL,
  text TEXT NOT NULL, count BIGINT NOT NULL, closed_at TEXT NOT NULL);
CREATE TABLE keys (table_id TEXT PRIMARY KEY, name TEXT NOT NULL, public TEXT NOT NULL,
  trust TEXT NOT NULL)
"""


@dataclass(frozen=True, slots=True)
class Check:
    """A sequence that is held already, and the hash that somebody says it has. `record` is the
    evidence to keep where it differs; None where only a checkpoint spoke of it."""

    journal: str
    sequence: int
    hash: str
    record: Record | None = None


@dataclass(slots=True)
class Batch:
    """What one transaction makes durable. `received_ms` is UTC in ms since the epoch."""

    received_ms: int = 0
    records: list[Record] = field(default_factory=list)
    beside: list[Record] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    holes: list[tuple[str, int, int]] = field(default_factory=list)
    heads: dict[str, Head] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to write."""
        return not (
            self.records or self.beside or self.checks or self.holes or self.heads
            or self.findings or self.keys
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Loaded:
    """What an earlier life has left."""

    followers: list[Follower]
    keys: list[Key]
    findings: list[Finding]
    last_finding: int


class Archive:
    """All methods belong to the event loop, all I/O to the archive's own thread.

    Every coroutine raises ArchiveTrouble; a batch that failed may be committed again as it is.
    """

    def __init__(self, connect: Callable[[], Database]) -> None:
        """`connect` opens the database; it is called in the thread, again after each trouble."""
        self._connect = connect
        self._worker = Worker("archive")
        self._database: Database | None = None
        self._numbers: dict[str, int] = {}
        self._reached: dict[str, int] = {}

    async def load(self) -> Loaded:
        """Open or create the database and read where it stands."""
        return await self._do(self._load)

    async def commit(self, batch: Batch) -> list[Check]:
        """Make a batch durable; gives the checks whose sequence is held with another hash."""
        return await self._do(lambda database: self._commit(database, batch))

    async def closings(self) -> list[Closing]:
        """What people have closed and the recorder has not noted yet."""
        return await self._do(closings_in)

    async def close(self) -> None:
        """Let go of the database."""

        def finish() -> None:
            if self._database is not None:
                self._database.close()

        try:
            await self._worker.do(finish)
        finally:
            self._worker.close()

    async def _do(self, job: Callable[[Database], T]) -> T:
        def work() -> T:
            try:
                if self._database is None:
                    self._database = self._connect()
                    _prepare(self._database)
                    self._refuse_another(self._database)
                return job(self._database)
            except ArchiveTrouble:
                if self._database is not None:
                    with contextlib.suppress(ArchiveTrouble):
                        self._database.close()
                self._database = None
                raise

        return await self._worker.do(work)

    def _refuse_another(self, database: Database) -> None:
        """After a trouble: what was said to be durable must still be there."""
        found = {
            str(journal): (number, int_of(reached))
            for journal, number, reached in database.rows(
                "SELECT journal, number, reached FROM journals"
            )
        }
        for journal, reached in self._reached.items():
            number, still = found.get(journal, (0, 0))
            if number != self._numbers[journal] or still < reached:
                raise ForeignArchive(
                    f"the copy was exchanged or put back: it held journal {journal} up to"
                    f" event {reached}; start again to go on with what is there"
                )

    def _load(self, database: Database) -> Loaded:
        followers = []
        for row in database.rows(
            "SELECT journal, number, table_id, base, reached, hash, state FROM journals"
            " ORDER BY number"
        ):
            journal, number, table, base, reached, digest, state = row
            self._numbers[str(journal)] = int_of(number)
            self._reached[str(journal)] = int_of(reached)
            follower = Follower(
                str(journal), str(table), int_of(base), int_of(reached), str(digest),
                state == "disputed",
            )  # fmt: skip
            for sequence, prevhash, own in database.rows(
                "SELECT sequence, prevhash, hash FROM events WHERE journal = ? AND sequence > ?"
                " ORDER BY sequence LIMIT ?",
                (number, reached, AHEAD_EVENTS_MAX),
            ):
                follower.ahead[int_of(sequence)] = (str(prevhash), str(own))
            follower.newest = max(follower.ahead, default=follower.reached)
            follower.forgot = len(follower.ahead) >= AHEAD_EVENTS_MAX
            followers.append(follower)
        keys = [
            Key(str(table), str(name), str(public), "pinned" if trust == "pinned" else "first use")
            for table, name, public, trust in database.rows(
                "SELECT table_id, name, public, trust FROM keys"
            )
        ]
        ((last,),) = database.rows("SELECT coalesce(max(number), 0) FROM findings")
        return Loaded(followers, keys, open_findings(database, closed=True), int_of(last))

    def _commit(self, database: Database, batch: Batch) -> list[Check]:
        known = dict(self._numbers)
        with database.transaction():
            _write_heads(database, batch, known)
            _write_records(database, batch, known)
            differing = [one for one in batch.checks if _differs(database, one, known)]
            evidence = [one.record for one in differing if one.record is not None]
            _write_beside(database, [*batch.beside, *evidence], batch.received_ms, known)
            database.write(
                "INSERT INTO holes VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [(known[journal], first, last) for journal, first, last in batch.holes],
            )
            _write_findings(database, batch.findings)
            database.write(
                "INSERT INTO keys VALUES (?, ?, ?, ?) ON CONFLICT (table_id) DO UPDATE SET"
                " name = excluded.name, public = excluded.public, trust = excluded.trust",
                [(key.table, key.name, key.public, key.trust) for key in batch.keys],
            )
        self._numbers = known
        self._reached.update({journal: head.reached for journal, head in batch.heads.items()})
        return differing


def _prepare(database: Database) -> None:
    if not is_prepared(database):
        with database.transaction():
            for statement in TABLES.split(";"):
                database.write(statement, [()])
            database.write("INSERT INTO meta VALUES (?, ?)", [("kind", KIND), ("version", VERSION)])
    with database.transaction():
        database.write(CLOSINGS, [()])


def _write_heads(database: Database, batch: Batch, known: dict[str, int]) -> None:
    for journal in batch.heads:
        known.setdefault(journal, len(known) + 1)
    database.write(
        "INSERT INTO journals VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (journal) DO UPDATE SET"
        " base = excluded.base, reached = excluded.reached, hash = excluded.hash,"
        " state = excluded.state",
        [
            (
                one.journal, known[one.journal], one.table, one.base, one.reached, one.hash,
                "disputed" if one.disputed else "whole",
            )
            for one in batch.heads.values()
        ],
    )  # fmt: skip


def _write_records(database: Database, batch: Batch, known: dict[str, int]) -> None:
    database.write(
        # A batch whose answer was lost is committed again.
        "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (
                known[one.journal], one.sequence, one.type, one.severity, one.time, one.prevhash,
                one.hash, batch.received_ms, one.body.decode(),
            )
            for one in batch.records
        ],
    )  # fmt: skip


def _write_beside(
    database: Database, records: list[Record], received_ms: int, known: dict[str, int]
) -> None:
    if not records:
        return
    ((held,),) = database.rows("SELECT count(*) FROM disputed")
    database.write(
        "INSERT INTO disputed VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (known[one.journal], one.sequence, one.hash, received_ms, one.body.decode())
            for one in records[: max(0, DISPUTED_RECORDS_MAX - int_of(held))]
        ],
    )


def _write_findings(database: Database, findings: list[Finding]) -> None:
    database.write(
        "INSERT INTO findings VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (number) DO UPDATE SET count = excluded.count,"
        " closed_at = excluded.closed_at",
        [
            (
                one.number, one.at, one.table, one.journal, one.kind, one.severity, one.sequence,
                one.text, one.count, one.closed_at,
            )
            for one in findings
        ],
    )  # fmt: skip


def _differs(database: Database, check: Check, known: dict[str, int]) -> bool:
    held = database.rows(
        "SELECT hash FROM events WHERE journal = ? AND sequence = ?",
        (known.get(check.journal, 0), check.sequence),
    )
    # One that is not held lies before the row's beginning: nothing to compare with.
    return bool(held) and held[0][0] != check.hash


__all__ = ["Archive", "ArchiveTrouble", "Batch", "Check", "Database", "ForeignArchive", "Row"]

"""The journal on disk: one connection in one thread, a batch of turns a transaction, synced.

Nothing else may open the file inside this process (POSIX locks end with the first close); readers
in other processes take a copy, see `controller.journal.source`.
"""

from __future__ import annotations

import queue
import sqlite3
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from controller.journal.entries import (
    ANSWERS_MAX,
    AnswerRow,
    Entry,
    Snapshot,
    insert_answers,
    insert_cursors,
    insert_snapshot,
    insert_turns,
)
from controller.journal.pruning import Base, Size, advance, base_of, size_of, sweep
from controller.journal.reading import (
    Saved,
    answers_in,
    cursors_in,
    draws_in,
    events_in,
    head_of,
    newest_snapshots,
)
from controller.journal.record import Chain, SealedEvent
from controller.journal.runs import RunRow, document_in, keep_state, runs_in
from controller.journal.schema import NO_RUN, Run, close_file, open_file, transaction
from controller.journal.trouble import StorageGone, trouble_of
from controller.journal.turns import StoredTurn, turns_in
from controller.journal.worker import Worker

T = TypeVar("T")

# Events kept in memory for the outbox, which is seldom further behind: some 1 MB.
TAIL_EVENTS_MAX = 1024


class Store:
    """An open journal. All methods belong to the event loop; all I/O to the journal's thread.

    Every coroutine raises JournalTrouble (see `controller.journal.trouble`).
    """

    def __init__(self, path: Path, worker: Worker, opened: _Opening) -> None:
        self.path = path
        self.journal = opened.journal
        self.boot = opened.boot
        self.previous_end = opened.previous_end
        self.chain = opened.chain
        self.answers = opened.answers
        self.sealed_at = opened.sealed_at
        self.base = opened.base
        self._worker = worker
        self._connection = opened.connection
        self._cursors = opened.cursors
        self._cursors_written = dict(opened.cursors)
        self._answers_written = opened.answers_written
        self._tail: deque[SealedEvent] = deque(maxlen=TAIL_EVENTS_MAX)
        self._closed = False

    @classmethod
    async def open(
        cls, path: Path, table_id: str, game: str = "", run: Run | None = NO_RUN
    ) -> Store:
        """Open or create the journal of one table, and count this start; without a `run` it is
        only tried. Raises JournalTrouble."""
        worker = Worker("journal")
        try:
            opened = await worker.do(lambda: _open(path, table_id, game, run))
        except BaseException:  # the thread must not outlive a failed or cancelled opening
            worker.close()
            raise
        return cls(path, worker, opened)

    async def commit(
        self,
        entries: Sequence[Entry],
        snapshot: Snapshot | None = None,
        checkpoint: tuple[int, bytes] | None = None,
        heard: Mapping[str, int] | None = None,
    ) -> None:
        """Make turns durable, all or none. On a failure the journal stands as it was before.

        `heard` are cursors that hold only together with these turns.
        """
        heard = heard or {}
        cursors = {**self._changed_cursors(), **heard}
        answered = self._answers_written

        def write() -> None:
            with transaction(self._connection, str(self.path)):
                insert_turns(self._connection, entries)
                insert_answers(self._connection, entries, answered)
                insert_cursors(self._connection, cursors)
                if checkpoint is not None:
                    self._connection.execute(
                        "INSERT OR REPLACE INTO checkpoints VALUES (?, ?)",
                        (checkpoint[0], checkpoint[1].decode()),
                    )
                insert_snapshot(self._connection, snapshot)

        await self._do(write)
        self._cursors.update(heard)
        self._cursors_written.update(cursors)
        self._answers_written += sum(1 for entry in entries if entry.answer is not None)
        if checkpoint is not None:
            self.sealed_at = checkpoint[0]
        if entries:
            self.chain = entries[-1].turn.chain
        for entry in entries:
            self._tail.extend(entry.turn.events)

    async def events_after(self, sequence: int, limit: int = 256) -> list[SealedEvent]:
        """At most `limit` durable events after `sequence`, in order."""
        tail = self._tail
        if sequence >= self.chain.sequence:
            return []
        if tail and tail[0].sequence <= sequence + 1:
            start = sequence + 1 - tail[0].sequence
            return [tail[i] for i in range(start, min(start + limit, len(tail)))]
        return await self._do(lambda: events_in(self._connection, sequence, limit))

    async def draws_before(self, sequence: int, limit: int = 256) -> list[SealedEvent]:
        """At most `limit` events of the number generator before `sequence`, newest first."""
        return await self._do(lambda: draws_in(self._connection, sequence, limit))

    async def snapshots(self) -> list[Saved]:
        """The saved states, newest first."""
        return await self._do(lambda: newest_snapshots(self._connection))

    async def prune(self, delivered: int, before: str) -> bool:
        """Take off one piece of what was made before `before` (RFC 3339) and delivered up to
        `delivered`; whether there is more to take off. See `controller.journal.pruning`."""
        cursors = self._changed_cursors()

        def piece() -> tuple[Base | None, bool]:
            with transaction(self._connection, str(self.path)):
                base = base_of(self._connection)
                if base is not None and sweep(self._connection, base):
                    return base, True
                advanced = advance(self._connection, delivered, before)
                if advanced is not None:
                    # No cursor may fall behind the base in a power cut: it would wait for ever.
                    insert_cursors(self._connection, cursors)
                return advanced or base, advanced is not None

        base, more = await self._do(piece)
        self.base = base
        return more

    async def size(self) -> Size:
        """What the journal takes of the disk."""
        return await self._do(lambda: size_of(self._connection))

    async def runs(self) -> list[RunRow]:
        """Every start that the journal notes, this one last."""
        return await self._do(lambda: runs_in(self._connection))

    async def document(self, digest: str) -> bytes | None:
        """A document that a run goes by; None where it is not there as it was."""
        return await self._do(lambda: document_in(self._connection, digest))

    async def keep_state(self, body: bytes) -> str:
        """Note the state that this run begins with, durably; its digest."""

        def write() -> str:
            with transaction(self._connection, str(self.path)):
                return keep_state(self._connection, self.boot, body)

        return await self._do(write)

    async def turns_after(self, number: int, limit: int) -> list[StoredTurn]:
        """At most `limit` whole turns after input `number`, in order."""
        return await self._do(lambda: turns_in(self._connection, number, limit))

    def cursor(self, name: str) -> int:
        """The sequence up to which reader `name` has come; 0 at first."""
        return self._cursors.get(name, 0)

    async def set_cursor(self, name: str, sequence: int) -> None:
        """Note how far a reader has come. Durable with the next commit or the clean end, since a
        cursor that is behind only repeats."""
        self._cursors[name] = sequence

    async def ping(self) -> None:
        """Return when the journal's thread has done all that was asked before."""
        await self._do(lambda: None)

    async def close(self) -> None:
        """Write what is owed and let go of the file. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        cursors = self._changed_cursors()

        def finish() -> None:
            try:
                with transaction(self._connection, str(self.path)):
                    insert_cursors(self._connection, cursors)
                close_file(self._connection)
            finally:
                self._connection.close()

        try:
            await self._do(finish)
        finally:
            self._worker.close()

    def _changed_cursors(self) -> dict[str, int]:
        written = self._cursors_written
        return {name: at for name, at in self._cursors.items() if written.get(name) != at}

    async def _do(self, job: Callable[[], T]) -> T:
        try:
            return await self._worker.do(job)
        except queue.Full as error:
            raise StorageGone(str(self.path), "the disk does not answer") from error
        except sqlite3.ProgrammingError as error:
            raise StorageGone(str(self.path), "the journal is closed") from error
        except sqlite3.Error as error:
            raise trouble_of(error, str(self.path)) from error


@dataclass(frozen=True, slots=True)
class _Opening:
    connection: sqlite3.Connection
    journal: str
    boot: int
    previous_end: str
    chain: Chain
    answers: dict[tuple[str, str], bytes]
    answers_written: int
    cursors: dict[str, int]
    sealed_at: int
    base: Base | None


def _open(path: Path, table_id: str, game: str, run: Run | None) -> _Opening:
    opened = open_file(path, table_id, game, run)
    connection = opened.connection
    try:
        chain = head_of(connection, opened.journal, table_id)
        answers, written = answers_in(connection)
        cursors, base = cursors_in(connection), base_of(connection)
        (sealed_at,) = connection.execute(
            "SELECT coalesce(max(sequence), 0) FROM checkpoints"
        ).fetchone()
    except sqlite3.Error as error:
        connection.close()
        raise trouble_of(error, str(path)) from error
    except BaseException:  # whatever it is, the lock must not stay
        connection.close()
        raise
    return _Opening(
        connection, opened.journal, opened.boot, opened.previous_end, chain, answers, written,
        cursors, sealed_at, base,
    )  # fmt: skip


__all__ = ["ANSWERS_MAX", "AnswerRow", "Entry", "Snapshot", "Store"]

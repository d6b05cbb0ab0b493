"""A recorder at a test's broker, with its database in the test's directory."""

from __future__ import annotations

import asyncio
import contextlib
import random
import sqlite3
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from controller.broker_address import BrokerAddress
from controller.clock import SystemClock
from controller.journal.record import SealedEvent
from controller.recorder.archive import Archive, Database
from controller.recorder.committer import Remark
from controller.recorder.findings import Finding
from controller.recorder.keys import KeyRing
from controller.recorder.recorder import Recorder, RecorderSettings
from controller.recorder.sqlite_database import SqliteDatabase
from tests.mqtt.rooms import NOW_MS

EYE = "eye-1"


class TableTime(SystemClock):
    """The wall clock of the tables in `rooms`: their commands have to be of now."""

    def wall_ms(self) -> int:
        """Always the same moment."""
        return NOW_MS


@dataclass
class Recording:
    """A recorder that runs, and what it told."""

    recorder: Recorder
    told: list[Finding | Remark]
    stopping: asyncio.Event

    @property
    def kinds(self) -> list[str]:
        """The open findings."""
        return [one.kind for one in self.recorder.examiner.findings.open]

    def reached(self, journal: str = "j") -> int:
        """How far the gap-free row of a journal has come."""
        follower = self.recorder.examiner.followers.get(journal)
        return 0 if follower is None else follower.reached


@contextlib.asynccontextmanager
async def recording(
    address: BrokerAddress,
    store: Path | Callable[[], Database],
    *,
    silence_s: float = 90.0,
    keys: KeyRing | None = None,
    principal: str = EYE,
    ready_s_max: float = 10,
) -> AsyncIterator[Recording]:
    """A recorder for the body's duration; ended in order."""
    opened = (lambda: SqliteDatabase(store)) if isinstance(store, Path) else store
    archive = Archive(opened)
    told: list[Finding | Remark] = []
    stopping = asyncio.Event()
    try:
        recorder = Recorder(
            RecorderSettings(address, principal, silence_s=silence_s), archive,
            await archive.load(), keys or KeyRing({}), TableTime(), told.append, random.Random(3),
        )  # fmt: skip
        task = asyncio.create_task(recorder.run(stopping))
        await asyncio.wait_for(recorder.ready.wait(), ready_s_max)
        yield Recording(recorder, told, stopping)
        stopping.set()
        await asyncio.wait_for(task, 10)
    finally:
        await archive.close()


def held(store: Path) -> list[bytes]:
    """The records of the one journal in the file, in order."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT body FROM events ORDER BY journal, sequence").fetchall()
    return [str(body).encode() for (body,) in rows]


def bodies(events: list[SealedEvent]) -> list[bytes]:
    """What the table has."""
    return [event.body for event in events]

"""Nothing is settled before it is durable, and a store that fails only makes it wait."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from controller.clock import SystemClock
from controller.recorder.archive import (
    Archive,
    ArchiveTrouble,
    Batch,
    Check,
    ForeignArchive,
    Loaded,
)
from controller.recorder.committer import PENDING_MAX, Committer, Remark
from controller.recorder.examiner import Examiner
from controller.recorder.findings import Finding
from controller.recorder.follower import Head
from controller.recorder.keys import KeyRing
from controller.recorder.sqlite_database import SqliteDatabase
from tests.controller.recorder.chains import bodies


class Failing(Archive):
    """A real archive whose first commits find no room."""

    def __init__(self, path: Path, *failures: ArchiveTrouble) -> None:
        super().__init__(lambda: SqliteDatabase(path))
        self.failures = list(failures)

    async def commit(self, batch: Batch) -> list[Check]:
        if self.failures:
            raise self.failures.pop(0)
        return await super().commit(batch)


class Room:
    """All that a committer works with."""

    def __init__(self, archive: Archive) -> None:
        self.told: list[Finding | Remark] = []
        self.held: list[Head] = []
        self.settled: list[int] = []
        self.archive = archive
        self.examiner = Examiner(KeyRing({}), Loaded([], [], [], 0))
        self.committer = Committer(
            archive, self.examiner, SystemClock(), self.held.append, self.told.append
        )

    async def hear(self, *payloads: bytes) -> None:
        for number, payload in enumerate(payloads):
            self.examiner.take_event("T1", payload, 0)
            self.committer.offer(lambda number=number: self.settled.append(number))


async def test_it_settles_after_the_commit_and_tells_what_is_held(tmp_path: Path) -> None:
    room = Room(Archive(lambda: SqliteDatabase(tmp_path / "room.sqlite")))
    await room.archive.load()
    await room.hear(*bodies(3), bodies(3)[1].replace(b'"n":2', b'"n":7'))
    assert room.settled == []
    task = asyncio.create_task(room.committer.run())
    await asyncio.wait_for(room.committer.finished(), 10)
    assert room.settled == [0, 1, 2, 3]
    assert room.held[-1].reached == 3
    assert [one.kind for one in room.told if isinstance(one, Finding)] == ["bad_record"]
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await room.archive.close()


async def test_a_store_without_room_makes_it_wait_and_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.recorder.committer.ARCHIVE_RETRY_S", 0.01)
    full = ArchiveTrouble("room.sqlite: no space left")
    room = Room(Failing(tmp_path / "room.sqlite", full, full, full))
    await room.archive.load()
    await room.hear(*bodies(2))
    task = asyncio.create_task(room.committer.run())
    await asyncio.wait_for(room.committer.finished(), 10)
    assert room.settled == [0, 1]
    assert room.committer.works
    said = [one.text for one in room.told if isinstance(one, Remark)]
    assert said == [f"nothing can be recorded: {full}; trying again", "recording again"]
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task
    await room.archive.close()


async def test_a_database_that_became_another_ends_it(tmp_path: Path) -> None:
    room = Room(Failing(tmp_path / "room.sqlite", ForeignArchive("x")))
    await room.archive.load()
    await room.hear(*bodies(1))
    with pytest.raises(ForeignArchive):
        await asyncio.wait_for(room.committer.run(), 10)
    assert room.settled == []
    await room.archive.close()


async def test_it_is_full_at_its_bound_and_not_before(tmp_path: Path) -> None:
    room = Room(Archive(lambda: SqliteDatabase(tmp_path / "room.sqlite")))
    for _ in range(PENDING_MAX - 1):
        room.committer.offer(lambda: None)
    assert not room.committer.is_full
    room.committer.offer(lambda: None)
    assert room.committer.is_full
    await room.archive.close()

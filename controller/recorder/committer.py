"""From what was heard to what is durable: batch after batch, each as large as it has grown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from controller.clock import Clock
from controller.recorder.archive import Archive, ArchiveTrouble, Batch, Check, ForeignArchive
from controller.recorder.examiner import Examiner
from controller.recorder.findings import Finding
from controller.recorder.follower import Head

# For a broker that hands over more than it was told; the rest it keeps and brings again.
PENDING_MAX = 5_000
# A full disk or a server that restarts: the batch waits, and with it the broker.
ARCHIVE_RETRY_S = 1.0


@dataclass(frozen=True, slots=True)
class Remark:
    """Something for people that is no finding."""

    text: str


class Committer:
    """Commits what the examiner has gathered; `holds` is told each head that is durable."""

    def __init__(
        self,
        archive: Archive,
        examiner: Examiner,
        clock: Clock,
        holds: Callable[[Head], None],
        tell: Callable[[Finding | Remark], None],
    ) -> None:
        self.works = True
        self._archive = archive
        self._examiner = examiner
        self._clock = clock
        self._tell_held = holds
        self._tell = tell
        self._settles: list[Callable[[], None]] = []
        self._filled = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def is_full(self) -> bool:
        """Whether nothing more may be taken now."""
        return len(self._settles) >= PENDING_MAX

    def offer(self, settle: Callable[[], None]) -> None:
        """A message was examined; `settle` is called when all that it brought is durable."""
        self._settles.append(settle)
        self._wake()

    def stir(self) -> None:
        """Something else may have been gathered."""
        if self._examiner.has_work:
            self._wake()

    async def finished(self) -> None:
        """Wait until all that was gathered is durable."""
        self.stir()
        await self._idle.wait()

    async def run(self) -> None:
        """Commit until cancelled. Raises ForeignArchive where the database became another."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            settles, self._settles = self._settles, []
            now_ms = self._clock.wall_ms()
            batch = self._examiner.take_batch(now_ms)
            differing = await self._durable(batch)
            self._examiner.differing(differing, now_ms)
            for head in batch.heads.values():
                self._tell_held(head)
            for settle in settles:
                settle()
            for finding in self._examiner.findings.take_news():
                self._tell(finding)
            if self._examiner.has_work:
                self._filled.set()
            if not self._filled.is_set():
                self._idle.set()

    async def _durable(self, batch: Batch) -> list[Check]:
        while True:
            try:
                differing = await self._archive.commit(batch)
            except ForeignArchive:
                raise
            except ArchiveTrouble as trouble:
                if self.works:
                    self.works = False
                    self._tell(Remark(f"nothing can be recorded: {trouble}; trying again"))
                await asyncio.sleep(ARCHIVE_RETRY_S)
                continue
            if not self.works:
                self.works = True
                self._tell(Remark("recording again"))
            return differing

    def _wake(self) -> None:
        self._idle.clear()
        self._filled.set()

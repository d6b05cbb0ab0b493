"""Looks at clock and disk now and then, and says to the intake what has changed."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from controller.clock import Clock, ClockState
from controller.core.inputs import ClockStepped, Storage, Synchronised, Unsynchronised
from controller.intake import Intake
from controller.journal.log_file import log_of

log = logging.getLogger(__name__)

# Device and number of a file.
File = tuple[int, int]

CLOCK_LOOK_S = 1
# A disciplined clock slews by at most 0.5 ms a second (adjtimex(2)); more is a step.
STEP_MS_MIN = 250
# Bound of `Synchronised.offset_ms`.
OFFSET_MS_MAX = 0x7FFFFFFF
# product.md F53: a clock that is this far off warns, then alarms.
OFFSETS_TOLD_MS = (100, 500)
# A file that somebody removed is missed soon; asking the file system costs some microseconds.
STORAGE_LOOK_S = 2
# Some 60,000 events: the table holds while there is still room to record how it ended.
RESERVE_OCTETS = 64 * 1024 * 1024


@dataclass(slots=True)
class ClockWatch:
    """Synchronisation and steps of the wall clock against the monotonic one."""

    clock: Clock
    intake: Intake
    step_ms_min: int = STEP_MS_MIN
    _state: ClockState | None = None
    _lead_ms: int | None = None

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(CLOCK_LOOK_S)

    def look(self) -> None:
        """Compare with the last look; the first one says how the clock stands."""
        state = self.clock.look()
        self.intake.clock_synchronised = state.synchronised
        lead_ms = self.clock.wall_ms() - self.clock.mono_ns() // 1_000_000
        by_ms = 0 if self._lead_ms is None else lead_ms - self._lead_ms
        self._lead_ms = lead_ms
        if abs(by_ms) >= self.step_ms_min:
            self.intake.offer_item("clock", ClockStepped(by_ms))
        if self._state is None or _standing(state) != _standing(self._state):
            self._state = state
            self.intake.offer_item("clock", _said(state))


def _standing(state: ClockState) -> tuple[bool, int]:
    """What is worth a word when it changes: synchronised or not, and how badly off (F53)."""
    offset_ms = abs(state.offset_ms or 0)
    return state.synchronised, sum(offset_ms > bound for bound in OFFSETS_TOLD_MS)


def _said(state: ClockState) -> Synchronised | Unsynchronised:
    if not state.synchronised:
        return Unsynchronised()
    offset_ms = state.offset_ms or 0
    bounded_ms = max(-OFFSET_MS_MAX, min(OFFSET_MS_MAX, offset_ms))
    error_ms = state.error_ms_max
    return Synchronised(bounded_ms, None if error_ms is None else min(OFFSET_MS_MAX, error_ms))


@dataclass(slots=True)
class StorageWatch:
    """Free space of the journal's disk. It asks the file system and never opens the journal.

    A journal whose file, or its write-ahead log, was removed or replaced under the daemon counts
    as not writable: writes would succeed, and their record would be gone with the process.

    Spoken of at first, when it becomes writable or not (the reserve counts as not), and whenever
    the free space has halved or doubled since it was last spoken of.
    """

    path: Path
    intake: Intake
    measure: Callable[[Path], tuple[int, bool]]
    _said: Storage | None = None
    _files: tuple[File | None, ...] = (None, None)

    async def run(self) -> None:
        """Look until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(STORAGE_LOOK_S)

    def look(self) -> None:
        """Compare with what was last said."""
        try:
            free, writable = self.measure(self.path.resolve().parent)
        except OSError:
            free, writable = 0, False
        in_place = self._is_in_place()
        writable = writable and free >= RESERVE_OCTETS and in_place
        now, said = Storage(free, writable), self._said
        if said is not None and now.writable == said.writable:
            least, most = sorted((now.free_bytes, said.free_bytes))
            if most <= 2 * least:
                return
        self._said = now
        self.intake.offer_item("system", now)
        if not in_place:
            log.error("%s: the journal's file was removed or replaced", self.path)

    def _is_in_place(self) -> bool:
        """Whether the names of journal and log still lead where they led to at first."""
        now = (_file_at(self.path), _file_at(log_of(self.path)))
        self._files = tuple(seen or file for seen, file in zip(self._files, now, strict=True))
        return now == self._files


def _file_at(path: Path) -> File | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def free_of(folder: Path) -> tuple[int, bool]:
    """Octets that a service may still write, and whether the file system takes writes."""
    said = os.statvfs(folder)
    return said.f_bavail * said.f_frsize, not said.f_flag & os.ST_RDONLY

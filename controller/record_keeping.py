"""Keeps the record: signs it on time, prunes it, knows its room on the disk, says how it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from config.settings import Settings
from controller.clock import Clock
from controller.core.outputs import Outputs
from controller.core.recording import RecordFilling, Unrecorded
from controller.core.stamp import stamp_of
from controller.journal.pruning import Size
from controller.journal.store import Store
from controller.journal.tables import BROKER, STORE
from controller.journal.trouble import JournalTrouble
from controller.messages import Json
from controller.no_record import without_record
from controller.watch import RESERVE_OCTETS, free_of

log = logging.getLogger(__name__)

MS_PER_DAY = 86_400_000
OCTETS_PER_MB = 1_000_000
SIZE_LOOK_S = 10.0
PRUNE_LOOK_S = 60.0
# Told at each, in percent of what there is before the table holds: the first leaves a person days
# at the budget's own pace, the second comes while a disk that others fill still takes a shift.
FILLING_PERCENTS = (80, 95)
# Below a bound by so much before it is over: a size that wavers is one alarm.
FILLING_SLACK_PERCENT = 5
# Between two pieces, so that a day's growth goes in seconds and commits come through in between.
PIECE_PAUSE_S = 0.05


@dataclass(frozen=True, slots=True)
class Keeping:
    """What the table's file says of its record; `recorder`: a store's word counts as delivery."""

    retention_days: int
    budget_octets: int
    checkpoint_s: int
    recorder: bool


def keeping_of(settings: Settings) -> Keeping:
    """What a daemon's file says."""
    journal, mqtt = settings.journal, settings.mqtt
    assert journal is not None, "a daemon's file has a [journal]"
    assert mqtt is not None, "a daemon's file has an [mqtt]"
    budget = journal.budget_mb * OCTETS_PER_MB
    return Keeping(journal.retention_days, budget, journal.checkpoint_s, mqtt.store is not None)


class RecordKeeping:
    """Belongs to the loop. `seal` signs what is new; `synchronised` whether the clock is; `tell` is
    given what the record says of its own room."""

    def __init__(
        self,
        store: Store,
        keeping: Keeping,
        clock: Clock,
        seal: Callable[[], None],
        synchronised: Callable[[], bool],
        tell: Callable[[RecordFilling], None],
    ) -> None:
        self._store = store
        self._keeping = keeping
        self._clock = clock
        self._seal = seal
        self._synchronised = synchronised
        self._tell = tell
        self._size = Size(0, 0)
        # How many bounds are passed; at first it is not known what an earlier life has told.
        self._passed: int | None = None
        self._percent: int | None = None
        self._trouble: Unrecorded | None = None
        self._since = ""

    async def sign(self) -> None:
        """Sign what is new every `checkpoint_s`, until cancelled."""
        while True:
            await asyncio.sleep(self._keeping.checkpoint_s)
            self._seal()

    async def watch_size(self) -> None:
        """Know how large the journal is, and tell where its room ends, until cancelled."""
        while True:
            try:
                self._size = await self._store.size()
                self._look_at_room(self.filled_percent())
            except (JournalTrouble, OSError) as trouble:
                log.debug("the journal's size is not known: %s", trouble)
            await asyncio.sleep(SIZE_LOOK_S)

    async def prune(self) -> None:
        """Take off what is old and delivered now and then, until cancelled."""
        while True:
            more = False
            try:
                more = await self.prune_piece()
            except JournalTrouble as trouble:
                # The engine sees the same trouble and locks the table.
                log.debug("nothing is pruned: %s", trouble)
            await asyncio.sleep(PIECE_PAUSE_S if more else PRUNE_LOOK_S)

    async def prune_piece(self) -> bool:
        """Take off one piece; whether there is more. Raises JournalTrouble.

        Not by a clock that nobody vouches for: one that leaps ahead would make all of it old.
        """
        if not self._synchronised():
            return False
        before_ms = self._clock.wall_ms() - self._keeping.retention_days * MS_PER_DAY
        return await self._store.prune(self.delivered, stamp_of(max(0, before_ms)))

    @property
    def delivered(self) -> int:
        """The sequence up to which the record is safe elsewhere (F47)."""
        return self._store.cursor(STORE if self._keeping.recorder else BROKER)

    def room(self, folder: Path) -> tuple[int, bool]:
        """Octets that the record may still grow by, on the disk and by its budget; whether the file
        system takes writes. Raises OSError."""
        free, writable = free_of(folder)
        left = min(free + self._size.free, self._keeping.budget_octets - self._size.used)
        return max(0, left), writable

    def filled_percent(self) -> int:
        """How much of the room is used up, of what the table has before it holds: by its budget, or
        of a disk that has less free than the budget grants. Raises OSError."""
        left, _ = self.room(self._store.path.parent)
        whole = max(1, self._keeping.budget_octets - RESERVE_OCTETS)
        used = whole - min(whole, max(0, left - RESERVE_OCTETS))
        return 100 * used // whole

    def _look_at_room(self, percent: int) -> None:
        self._percent = percent
        passed = sum(percent >= bound for bound in FILLING_PERCENTS)
        before = self._passed
        if before is not None and passed < before:
            kept = sum(percent > bound - FILLING_SLACK_PERCENT for bound in FILLING_PERCENTS)
            passed = min(before, kept)
        self._passed = passed
        if passed > (before or 0):
            log.warning("journal: %d %% of its room are used", percent)
            self._tell(RecordFilling(percent))
        elif not passed and before != 0:
            self._tell(RecordFilling())

    def struck(self, trouble: Unrecorded | None) -> None:
        """What the engine says of the disk; None: it writes again."""
        if trouble is not None:
            self._since = stamp_of(self._clock.wall_ms())
            log.error("journal: %s: %s", trouble.code, trouble.reason)
        elif self._trouble is not None:
            log.warning("journal: it can be written again")
        self._trouble = trouble

    def shown(self, outputs: Outputs) -> Outputs:
        """The levels as people may see them now."""
        trouble = self._trouble
        return outputs if trouble is None else without_record(outputs, trouble, self._since)

    def status(self) -> dict[str, Json]:
        """Member `record` of health."""
        base, store = self._store.base, self._store
        kept_after = 0 if base is None else base.sequence
        return record_status(
            self._keeping, self._trouble, store.previous_end, store.sealed_at, kept_after,
            self._size.used, self._percent,
        )  # fmt: skip


def record_status(
    keeping: Keeping, trouble: Unrecorded | None, previous_end: str | None = None,
    sealed: int = 0, kept_after: int = 0, used_octets: int = 0, filled_percent: int | None = None,
) -> dict[str, Json]:  # fmt: skip
    """Member `record` of health: `sealed` and `kept_after` are sequences of events."""
    return {
        "previous_end": previous_end,
        "trouble": None if trouble is None else trouble.code,
        "sealed": sealed,
        "kept_after": kept_after,
        "used_bytes": used_octets,
        "filled_percent": filled_percent,
        "budget_bytes": keeping.budget_octets,
        "retention_days": keeping.retention_days,
    }

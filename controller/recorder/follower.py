"""One journal followed link by link: the gap-free row, and what came ahead of a gap. Pure."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field

from controller.journal.record import GENESIS
from controller.recorder.records import Record

# Ahead of a gap the lowest of what came is remembered; what lies beyond is asked of the table
# again, so nothing is lost by it, and 200 tables that all have a gap stay below 100 MB.
AHEAD_EVENTS_MAX = 2_000


class Fit(enum.Enum):
    """What a record is to the journal that is followed."""

    NEW = "new"
    KNOWN = "known"  # its sequence is held: the archive compares the hashes
    TOO_FAR = "too far"
    FORK = "fork"
    BREAK = "break"
    BESIDE = "beside"  # the journal is disputed: kept as evidence, never as its record


@dataclass(frozen=True, slots=True)
class Head:
    """Where a follower stands, as it is kept."""

    journal: str
    table: str
    base: int
    reached: int
    hash: str
    disputed: bool


@dataclass(slots=True)
class Follower:
    """`reached` is the last event of the gap-free row, `hash` its hash; `base` what the row began
    after. `disputed`: two histories were seen; the row stands still as the witness of the first."""

    journal: str
    table: str
    base: int = 0
    reached: int = 0
    hash: str = GENESIS
    disputed: bool = False
    ahead: dict[int, tuple[str, str]] = field(default_factory=dict)
    newest: int = 0
    # Something that the archive may hold is not remembered here: what comes again is compared.
    forgot: bool = False

    def head(self) -> Head:
        """Where it stands now."""
        return Head(self.journal, self.table, self.base, self.reached, self.hash, self.disputed)

    def take(self, record: Record) -> Fit:
        """Judge a record, and follow it where it fits. After FORK and BREAK call `dispute`."""
        self.newest = max(self.newest, record.sequence)
        if record.sequence <= self.reached:
            return Fit.KNOWN
        held = self.ahead.get(record.sequence)
        if held is not None:
            return Fit.KNOWN if held[1] == record.hash else Fit.FORK
        if self.disputed:
            return Fit.BESIDE
        if record.sequence > self.reached + 1:
            if len(self.ahead) >= AHEAD_EVENTS_MAX:
                highest = max(self.ahead)
                if record.sequence > highest:
                    return Fit.TOO_FAR
                del self.ahead[highest]
                self.forgot = True
            self.ahead[record.sequence] = (record.prevhash, record.hash)
            return Fit.NEW
        if record.prevhash != self.hash:
            return Fit.BREAK
        self.reached, self.hash = record.sequence, record.hash
        return Fit.NEW

    def advance(self) -> bool:
        """Take up what follows by now; False where the next one does not link to the row."""
        while (following := self.ahead.get(self.reached + 1)) is not None:
            if following[0] != self.hash:
                return False
            del self.ahead[self.reached + 1]
            self.reached, self.hash = self.reached + 1, following[1]
        return True

    def dispute(self) -> None:
        """Two histories: from here on nothing is added to the row."""
        self.disputed = True

    def pass_over(self, first: int) -> tuple[int, int]:
        """Go on with event `first`, which is held ahead: what lies before it is gone for good.

        Gives the first and last sequence that are missing.
        """
        gone = (self.reached + 1, first - 1)
        if self.reached == self.base:
            self.base = first - 1
        self.reached, self.hash = first - 1, self.ahead[first][0]
        return gone

    def gap(self) -> tuple[int, int] | None:
        """First and last sequence that are missing next; None where all that is known is held."""
        if self.disputed or self.newest <= self.reached:
            return None
        return self.reached + 1, min(self.ahead) - 1 if self.ahead else self.newest

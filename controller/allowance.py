"""How much one person may ask of a table: bounded, so that nobody fills its record. Pure.

A terminal that stammers, a program that loops and a thief of a certificate look alike: each gets
the answer that it asks too much, and the record says once a minute who and how much, instead of
holding every single one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

# A whole shift's statements sent late at once, and the burst of 200 that has to be answered.
BURST_COMMANDS_MAX = 256
# A person errs a few times; what errs more often is no person. Refusals are the cheapest way to
# fill a record from outside: six a minute make 25 MB a day, an eightieth of the smallest budget.
BURST_REFUSALS_MAX = 32
REFUSALS_PER_MINUTE = 6
MINUTE_MS = 60_000
UNKNOWN = "unknown"


@dataclass(slots=True)
class Bucket:
    """Holds up to `most` and fills by `per_minute`; counted in ms of one, so in whole numbers."""

    most: int
    per_minute: int
    _filled_ms: int = -1
    _at_ms: int = 0

    def has_some(self, now_ms: int) -> bool:
        """Whether one may be taken now."""
        self._fill(now_ms)
        return self._filled_ms >= MINUTE_MS

    def take(self, now_ms: int) -> bool:
        """Take one; False where there is none."""
        if not self.has_some(now_ms):
            return False
        self._filled_ms -= MINUTE_MS
        return True

    def _fill(self, now_ms: int) -> None:
        full_ms = self.most * MINUTE_MS
        if self._filled_ms < 0:
            self._filled_ms = full_ms
        else:
            gained = max(0, now_ms - self._at_ms) * self.per_minute
            self._filled_ms = min(full_ms, self._filled_ms + gained)
        self._at_ms = now_ms


class Allowances:
    """A pair of buckets for each principal of the roster, and one pair for all strangers.

    What is kept cannot grow: a stranger may invent as many names as he likes.
    """

    def __init__(self, principals: Iterable[str], commands_per_minute: int) -> None:
        names = (*principals, UNKNOWN)
        self._commands = {name: Bucket(BURST_COMMANDS_MAX, commands_per_minute) for name in names}
        self._refusals = {name: Bucket(BURST_REFUSALS_MAX, REFUSALS_PER_MINUTE) for name in names}
        self._over: dict[str, int] = {}

    def may_ask(self, principal: str, now_ms: int) -> bool:
        """Whether another command of his is taken; one that is not is counted."""
        name = self._name(principal)
        if self._refusals[name].has_some(now_ms) and self._commands[name].take(now_ms):
            return True
        self._over[name] = self._over.get(name, 0) + 1
        return False

    def may_be_refused(self, principal: str | None, now_ms: int) -> bool:
        """Whether another refusal of his goes on record by itself; one that does not is counted."""
        name = self._name(principal)
        if self._refusals[name].take(now_ms):
            return True
        self._over[name] = self._over.get(name, 0) + 1
        return False

    def was_refused(self, principal: str, now_ms: int) -> None:
        """The rules refused a command that had been taken: it counts among his refusals."""
        self._refusals[self._name(principal)].take(now_ms)

    def counted(self) -> list[tuple[str, int]]:
        """Who asked too much, and how often since this was last asked."""
        over = sorted(self._over.items())
        self._over.clear()
        return over

    def _name(self, principal: str | None) -> str:
        return principal if principal in self._commands else UNKNOWN

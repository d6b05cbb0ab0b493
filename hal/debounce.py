"""From noisy edges to presses: a pure machine on (time, level) that no short touch can disable.

A level counts once it has been undisturbed for `stable_ms`; anything shorter leaves no trace, so
a glitch can neither make a press nor swallow the next one (a hold-off filter does both). Stability
is known only when time has passed, so the caller asks again at `check_at_ns`. All times are
monotonic nanoseconds of the edges themselves: a late look gives the same answer as a prompt one.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

NS_PER_MS = 1_000_000
# Switches settle within 10 ms; product.md A14 allows 20 to 50 ms, and a hand cannot feel 30.
STABLE_MS = 30
STABLE_MS_MIN = 20
STABLE_MS_MAX = 50
# Nobody holds a button this long (product.md A14): it is wedged, or its wire is shorted.
STUCK_MS = 5_000


class Change(enum.Enum):
    """What became true of a switch."""

    DOWN = "down"
    UP = "up"
    STUCK = "stuck"


@dataclass(frozen=True, slots=True)
class Settled:
    """One change and the monotonic time, in ns, at which it had become certain."""

    change: Change
    at_ns: int


class Debouncer:
    """One switch. `down` is its level at `at_ns`; a switch found down has not been pressed.

    `stuck_ms` None is a switch that may rest down (a key, a door). Raises ValueError when
    `stable_ms` is outside of what product.md A14 allows.
    """

    __slots__ = ("_down_ns", "_held", "_raw", "_seen_ns", "_since_ns", "_stable_ns", "_stuck_ns")

    def __init__(
        self,
        down: bool,
        at_ns: int,
        *,
        stable_ms: int = STABLE_MS,
        stuck_ms: int | None = STUCK_MS,
    ) -> None:
        if not STABLE_MS_MIN <= stable_ms <= STABLE_MS_MAX:
            raise ValueError(f"stable_ms {stable_ms} is not {STABLE_MS_MIN} to {STABLE_MS_MAX}")
        self._stable_ns = stable_ms * NS_PER_MS
        self._stuck_ns = None if stuck_ms is None else stuck_ms * NS_PER_MS
        self._held = self._raw = down
        self._since_ns = self._seen_ns = at_ns
        # When the hold began that has not yet been reported as stuck.
        self._down_ns: int | None = at_ns if down else None

    @property
    def held(self) -> bool:
        """The debounced level: down or not."""
        return self._held

    @property
    def raw(self) -> bool:
        """The level of the last edge, settled or not."""
        return self._raw

    @property
    def check_at_ns(self) -> int | None:
        """When to call `check` next, or None while only an edge can change anything."""
        upcoming = self._upcoming()
        return None if upcoming is None else upcoming.at_ns

    def edge(self, at_ns: int, down: bool) -> tuple[Settled, ...]:
        """The level was seen to be `down` after a change; gives what settled before that.

        Two edges to the same level mean that one between them was missed: the wait starts anew.
        """
        # Edges of one switch may come from several threads; time never runs backwards here.
        at_ns = max(at_ns, self._seen_ns)
        settled = self.check(at_ns)
        self._raw = down
        self._since_ns = at_ns
        return settled

    def missed(self, at_ns: int, down: bool) -> tuple[Settled, ...]:
        """Edges were lost and the level is `down` now: nothing before this moment was stable.

        Only a hold that goes on may still turn out to be stuck.
        """
        self._raw, self._since_ns = self._held, at_ns
        settled = self.check(at_ns)
        self._raw, self._since_ns = down, max(at_ns, self._seen_ns)
        return settled

    def check(self, at_ns: int) -> tuple[Settled, ...]:
        """What has settled up to `at_ns`, oldest first; at most three changes."""
        self._seen_ns = max(at_ns, self._seen_ns)
        settled: list[Settled] = []
        while (upcoming := self._upcoming()) is not None and upcoming.at_ns <= self._seen_ns:
            self._adopt(upcoming)
            settled.append(upcoming)
        return tuple(settled)

    def _upcoming(self) -> Settled | None:
        """What comes next if no edge does; a release wins over a stuck of the same moment."""
        level = stuck = None
        if self._raw != self._held:
            change = Change.DOWN if self._raw else Change.UP
            level = Settled(change, self._since_ns + self._stable_ns)
        if self._down_ns is not None and self._stuck_ns is not None:
            stuck = Settled(Change.STUCK, self._down_ns + self._stuck_ns)
        if level is None or stuck is None:
            return level or stuck
        return level if level.at_ns <= stuck.at_ns else stuck

    def _adopt(self, settled: Settled) -> None:
        if settled.change is Change.STUCK:
            self._down_ns = None
            return
        self._held = settled.change is Change.DOWN
        self._down_ns = settled.at_ns if self._held else None

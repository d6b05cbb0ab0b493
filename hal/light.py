"""One light sensor: from edges with mains flicker and spikes to lit, dark or blinking. Pure.

A sensor's level counts by its share of the last 100 ms, which hold whole periods of 50, 60, 100 and
120 Hz: a lamp that flickers with the mains is lit all the same, and stray light that flickers is
no lamp. All times are monotonic nanoseconds of the edges, and every change is computed for the
moment at which it was true: a late look gives the same answer as a prompt one.
"""

from __future__ import annotations

import enum
from collections import deque
from typing import Final

NS_PER_MS: Final = 1_000_000
# 5, 6, 10 and 12 whole periods of 50, 60, 100 and 120 Hz: their share of it never wanders.
WINDOW_NS: Final = 100 * NS_PER_MS
# A lamp on one half-wave shines at least a quarter of the time; stray light that crosses a
# sensor's threshold in its crests stays below an eighth. Between the two the level stays.
LIT_NS_MIN: Final = WINDOW_NS // 4
DARK_NS_MAX: Final = WINDOW_NS // 8
# The slowest blink has one change in a second; without one for so long a light is steady.
STEADY_NS: Final = 1_500 * NS_PER_MS
# Three whole blinks: a hand that passes makes one, a hand that comes back two.
BLINK_CHANGES_MIN: Final = 6
# Of 1.2 kHz, the fastest dimming that is followed; what is faster does not settle.
EDGES_MAX: Final = 256


class Pattern(enum.Enum):
    """What a light has settled to."""

    DARK = "dark"
    LIT = "lit"
    BLINK = "blink"


class Light:
    """One sensor from `at_ns` on, where it sees light or not. `pattern` is None until it settles.

    `level` is the filtered level now; a pattern stays until another one is certain.
    """

    __slots__ = (
        "_changes", "_edges", "_lit_ns", "_now_ns", "_raw", "_since_ns", "_tail", "level",
        "pattern",
    )  # fmt: skip

    def __init__(self, at_ns: int, lit: bool) -> None:
        self.level = self._raw = self._tail = lit
        self.pattern: Pattern | None = None
        self._now_ns = self._since_ns = at_ns
        # Edges of the last window, oldest first; `_tail` is the level before the first of them.
        self._edges: deque[tuple[int, bool]] = deque()
        self._lit_ns = WINDOW_NS if lit else 0
        self._changes = 0

    @property
    def raw(self) -> bool:
        """The level of the last edge."""
        return self._raw

    @property
    def is_changing(self) -> bool:
        """Whether the level changed in the last 1.5 s: the pattern may soon be another one."""
        return self._changes > 0

    @property
    def due_ns(self) -> int | None:
        """When `advance` changes something if no edge comes; never before now. None: never."""
        times = [self._edges[0][0] + WINDOW_NS] if self._edges else []
        slope = self._raw - self._tail
        if slope > 0 and not self.level:
            times.append(self._now_ns + max(LIT_NS_MIN - self._lit_ns, 0))
        if slope < 0 and self.level:
            times.append(self._now_ns + max(self._lit_ns - DARK_NS_MAX, 0))
        if self._is_moving():
            times.append(self._since_ns + STEADY_NS)
        return min(times, default=None)

    def edge(self, at_ns: int, lit: bool) -> None:
        """The sensor changed at `at_ns`; whatever was due before must have been advanced to."""
        self.advance(at_ns)
        if lit == self._raw:
            return
        self._raw = lit
        self._edges.append((self._now_ns, lit))
        if len(self._edges) > EDGES_MAX:
            oldest_ns, after = self._edges.popleft()
            # As if the level behind this edge had begun with the window: its share is kept whole.
            self._lit_ns += (after - self._tail) * (oldest_ns + WINDOW_NS - self._now_ns)
            self._tail = after
            self.lost()

    def lost(self) -> None:
        """Edges were lost: nothing is certain until the light has settled again."""
        self.pattern = None
        self._changes = 0
        self._since_ns = self._now_ns

    def advance(self, to_ns: int) -> None:
        """Take the time; earlier ones are passed over."""
        while (due_ns := self.due_ns) is not None and due_ns <= to_ns:
            self._step(due_ns)
        self._step(max(to_ns, self._now_ns))

    def _is_moving(self) -> bool:
        return self._changes > 0 or self.pattern is None

    def _step(self, to_ns: int) -> None:
        """On to a moment before which nothing is due."""
        self._lit_ns += (self._raw - self._tail) * (to_ns - self._now_ns)
        self._now_ns = to_ns
        while self._edges and self._edges[0][0] + WINDOW_NS <= to_ns:
            self._tail = self._edges.popleft()[1]
        if self._is_moving() and to_ns - self._since_ns >= STEADY_NS:
            self._changes = 0
            self.pattern = Pattern.LIT if self.level else Pattern.DARK
        shines = self._lit_ns > DARK_NS_MAX if self.level else self._lit_ns >= LIT_NS_MIN
        if shines != self.level:
            self.level = shines
            self._since_ns = to_ns
            self._changes = min(self._changes + 1, BLINK_CHANGES_MIN)
            if self._changes == BLINK_CHANGES_MIN:
                self.pattern = Pattern.BLINK

"""Edges from the pin factory's threads onto the loop: one bounded queue, one wake-up, no silence.

A callback does no more than stamp and append; the loop is woken once for however many edges wait.
A full queue counts what it lost for each line, and a line that chatters faster than any switch can
is found by `Storm`, so that a broken wire costs a bounded share of the processor.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

# A bad switch bounces some 50 times; this holds twenty such presses at once, in some 100 KB.
EDGES_MAX = 1_024
# A switch cannot make more changes in a window of this length: faster is a fault of the wiring.
STORM_WINDOW_NS = 100_000_000
STORM_EDGES_MAX = 256
# A line in a storm is left alone this long, then listened to again: its edges cost nothing then.
DEAF_S = 0.2

# (name of the line, monotonic ns, closed); a plain tuple, because a storm makes many of them.
Edge = tuple[str, int, bool]


@dataclass(frozen=True, slots=True)
class Taken:
    """Edges in the order of their stamps, losses by line, a time that no later edge precedes."""

    edges: tuple[Edge, ...]
    lost: dict[str, int] = field(default_factory=dict)
    now_ns: int = 0


class Edges:
    """The queue. `put` is for any thread, the rest for the loop's own."""

    def __init__(self, edges_max: int = EDGES_MAX) -> None:
        self._edges_max = edges_max
        self._edges: deque[Edge] = deque()
        self._lost: dict[str, int] = {}
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wake: Callable[[], None] | None = None
        self._woken = False
        self.lost_total = 0

    def open(self, loop: asyncio.AbstractEventLoop, wake: Callable[[], None]) -> None:
        """From now on call `wake` on `loop` when there is something to `take`."""
        self._loop, self._wake = loop, wake

    def close(self) -> None:
        """Wake nobody any more."""
        with self._lock:
            self._loop = None

    def put(self, name: str, closed: bool) -> None:
        """Stamp an edge and queue it, or count it as lost; never blocks for long, never raises."""
        with self._lock:
            if len(self._edges) < self._edges_max:
                # Stamped inside the lock: `take` relies on stamps that never run backwards.
                self._edges.append((name, time.monotonic_ns(), closed))
            else:
                self._lost[name] = self._lost.get(name, 0) + 1
                self.lost_total += 1
            loop, wake = self._loop, self._wake
            if self._woken or loop is None or wake is None:
                return
            self._woken = True
        # A loop that is being closed takes no more calls, and nobody waits for the edge then.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(wake)

    def take(self) -> Taken:
        """Everything that waits; the next edge wakes the loop again."""
        with self._lock:
            self._woken = False
            edges, lost = tuple(self._edges), self._lost
            self._edges.clear()
            self._lost = {}
            return Taken(edges, lost, time.monotonic_ns())


class Storm:
    """Counts the edges of each line in a window; pure."""

    def __init__(self) -> None:
        self._windows: dict[str, tuple[int, int]] = {}

    def breaks_out(self, name: str, at_ns: int) -> bool:
        """Count one edge: True when the line has made more than any switch can."""
        start_ns, count = self._windows.get(name, (at_ns, 0))
        if at_ns - start_ns >= STORM_WINDOW_NS:
            start_ns, count = at_ns, 0
        if count >= STORM_EDGES_MAX:
            self._windows[name] = (at_ns, 0)
            return True
        self._windows[name] = (start_ns, count + 1)
        return False

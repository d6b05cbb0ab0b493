"""Says on standard error how far a long run is, every few seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable

from controller.clock import SystemClock

EVERY_S = 5
NS_PER_S = 1_000_000_000


class Progress:
    """`done` is told how many more there are; a line comes each EVERY_S, none for a short run."""

    def __init__(
        self,
        what: str,
        total: int,
        now_ns: Callable[[], int] | None = None,
        say: Callable[[str], object] | None = None,
    ) -> None:
        self._what, self._total = what, total
        self._now_ns = now_ns or SystemClock().mono_ns
        self._say = say or sys.stderr.write
        self._began_ns = self._told_ns = self._now_ns()
        self._done = 0

    def done(self, more: int) -> None:
        """Count, and tell where it is time to."""
        self._done += more
        now_ns = self._now_ns()
        if now_ns - self._told_ns < EVERY_S * NS_PER_S:
            return
        self._told_ns = now_ns
        left_ns = (now_ns - self._began_ns) * (self._total - self._done) // max(1, self._done)
        left_s = left_ns // NS_PER_S
        self._say(f"{self._what}: {self._done} of {self._total}, some {left_s} s left\n")

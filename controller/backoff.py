"""How long to wait before the next try: growing, with jitter, reset only by lasting health."""

from __future__ import annotations

import random

# 1 s lets a broker restart; 30 s is felt by nobody at a table that is dealt without a broker.
FIRST_S = 1.0
MOST_S = 30.0
# A broker that accepts and then kicks within this time is not well (faults M03).
HEALTHY_S = 20.0


class Backoff:
    """Waits of one link. The jitter keeps fifty tables from knocking at once after an outage."""

    def __init__(self, source: random.Random) -> None:
        self._random = source
        self._failures = 0

    @property
    def failures(self) -> int:
        """Tries since the link was last in lasting health."""
        return self._failures

    def after(self, lasted_s: float) -> float:
        """Seconds to wait after a link that lasted `lasted_s` (0 if it never came up)."""
        if lasted_s >= HEALTHY_S:
            self._failures = 0
        whole = min(MOST_S, FIRST_S * (1 << min(self._failures, 10)))
        self._failures += 1
        return whole * (0.5 + self._random.random() / 2)

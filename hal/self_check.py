"""The rolling self-check of a table's own numbers: the last 7,000, and an alarm below 1e-6. Pure.

The tests of the raw source cannot see a fault behind them: a scaling that was broken by a change,
a block that is used twice. This one sees only what was given out. It is a chi-square over seven
cells; integers decide, so that no rounding of a platform does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from hal.draw import NUMBER_MAX

# product.md A5: a week of a busy table. 0.2 of a number's share too much is found within it.
WINDOW_NUMBERS = 7_000
# Below this many the statistic has not the shape of its distribution yet (100 in each cell).
NUMBERS_MIN = 700
# The chi-square with six degrees of freedom that one window in a million exceeds is 38.258;
# in thousandths. Its tail is exp(-x/2) (1 + x/2 + x²/8), which the test of this module evaluates.
LIMIT_THOUSANDTHS = 38_259
# Its name among the tests in `HealthFailed`.
SELF_CHECK = "self_check"


def is_suspect(counts: list[int]) -> bool:
    """Whether fair numbers would give `counts` (one for each number) less than once in 10^6."""
    total = sum(counts)
    if total < NUMBERS_MIN:
        return False
    # sum (c - n/7)² / (n/7) = (7 sum c² - n²) / n
    excess = NUMBER_MAX * sum(count * count for count in counts) - total * total
    return excess * 1_000 >= LIMIT_THOUSANDTHS * total


class SelfCheck:
    """Counts the numbers that were given out; `history` are those from before a restart."""

    __slots__ = ("_counts", "_recent")

    def __init__(self, history: Iterable[int] = ()) -> None:
        self._recent: deque[int] = deque(maxlen=WINDOW_NUMBERS)
        self._counts = [0] * NUMBER_MAX
        for number in history:
            self._take(number)

    def feed(self, number: int) -> bool:
        """Take one number of 1 to 7; whether the window is still believable."""
        self._take(number)
        return not is_suspect(self._counts)

    def counts(self) -> tuple[int, ...]:
        """How often each number stands in the window."""
        return tuple(self._counts)

    def _take(self, number: int) -> None:
        if len(self._recent) == WINDOW_NUMBERS:
            self._counts[self._recent[0] - 1] -= 1
        self._recent.append(number)
        self._counts[number - 1] += 1

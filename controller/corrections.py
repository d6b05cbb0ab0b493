"""What was put right on the table's topics, told to the record within a bound.

Whoever can write there can write without end, and the record must not fill by it: a few are told
one by one, more are counted together and told once a minute.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Literal

from controller.allowance import Bucket
from controller.clock import loop_ms
from controller.messages import Json

# forged: nobody of this table said it; stale: it was true once, such as an old connection's will;
# left_over: of a thing that is gone, found on coming in.
Cause = Literal["forged", "stale", "left_over"]
CAUSES: tuple[Cause, ...] = ("forged", "stale", "left_over")
# All topics of one forger's visit one by one; then one line a minute, of at most three causes.
BURST_CORRECTIONS_MAX = 8
CORRECTIONS_PER_MINUTE = 1
TELL_S = 60.0
# Bound of `hal.member_types.Name`; a stranger chooses the topics that he writes to.
TOPIC_CHARACTERS_MAX = 64
SEVERAL = "several"


class Corrections:
    """`told` gets the topic below the table's root, the cause, and how many times."""

    def __init__(self, told: Callable[[str, Cause, int], None]) -> None:
        self._told = told
        self._bucket = Bucket(BURST_CORRECTIONS_MAX, CORRECTIONS_PER_MINUTE)
        self._waiting: Counter[Cause] = Counter()
        self._topics: dict[Cause, str] = {}
        self._telling: asyncio.TimerHandle | None = None
        self._all: Counter[Cause] = Counter()

    def count(self, topic: str, cause: Cause) -> None:
        """One more; told now or with the others of this minute."""
        self._all[cause] += 1
        shown = _printable(topic)
        if self._telling is None and self._bucket.take(loop_ms()):
            self._told(shown, cause, 1)
            return
        self._waiting[cause] += 1
        if self._topics.setdefault(cause, shown) != shown:
            self._topics[cause] = SEVERAL
        if self._telling is None:
            self._telling = asyncio.get_running_loop().call_later(TELL_S, self._tell)

    def status(self) -> dict[str, Json]:
        """Member `corrections` of health: how many since the start."""
        return {cause: self._all[cause] for cause in CAUSES}

    def _tell(self) -> None:
        self._telling = None
        for cause, times in self._waiting.items():
            self._told(self._topics[cause], cause, times)
        self._waiting.clear()
        self._topics.clear()


def _printable(topic: str) -> str:
    """As a record can hold it: no control characters, not longer than a name."""
    cut = topic[:TOPIC_CHARACTERS_MAX]
    return "".join(one if one.isprintable() else "?" for one in cut) or "?"

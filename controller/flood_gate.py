"""Bounds what one device may bring into the record: good frames without an end are a flood too."""

from __future__ import annotations

from collections.abc import Callable

from controller.core.inputs import Overrun
from hal.ports import Heard, Sink

# A device says some thousand facts an hour; a demo at a hundredfold speed, forty a second for as
# long as it plays. Beyond both nothing is a table.
FACTS_PER_S = 60
# What may come at once: a device that was not heard for long, all that it kept for us.
FACTS_BURST_MAX = 5_000
# A shut gate opens again when the device has kept below the rate for so much of the burst.
FACTS_TO_OPEN = 600
# The first loss is told at once, since the table holds by it; the others are counted together.
TOLD_EVERY_S = 60
NS_PER_S = 1_000_000_000


class FloodGate:
    """The sink of one device. What does not pass has no receipt and is told as `Overrun`, by which
    the table holds and a person looks: nobody knows what it was.

    While it is shut what comes still counts, so that a flood keeps it shut, and a flood of days
    brings one input a minute into the record.
    """

    def __init__(self, sink: Sink, tell: Callable[[Overrun], None]) -> None:
        self._sink = sink
        self._tell = tell
        self._room_ns = FACTS_BURST_MAX * NS_PER_S
        self._shut = False
        self._looked_ns: int | None = None
        self._told_ns: int | None = None
        self._lost = 0

    def __call__(self, heard: Heard) -> None:
        """Let one fact through, or count it."""
        now_ns = heard.mono_ns
        if self._looked_ns is not None:
            gained_ns = max(0, now_ns - self._looked_ns) * FACTS_PER_S
            self._room_ns = min(FACTS_BURST_MAX * NS_PER_S, self._room_ns + gained_ns)
        self._looked_ns = now_ns
        if self._shut:
            self._shut = self._room_ns < FACTS_TO_OPEN * NS_PER_S
        else:
            self._shut = self._room_ns < NS_PER_S
        self._room_ns = max(0, self._room_ns - NS_PER_S)
        if not self._shut:
            self._sink(heard)
            return
        self._lost += 1
        if self._told_ns is None or now_ns - self._told_ns >= TOLD_EVERY_S * NS_PER_S:
            self._told_ns = now_ns
            self._tell(Overrun(self._lost))
            self._lost = 0

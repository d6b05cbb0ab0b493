"""Light as sensors see it: steady, blinking, flickering with the mains, with spikes; as edges."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

MS = 1_000_000
S = 1_000 * MS

# (monotonic ns, lit): what a sensor's line does from its time on.
Edge = tuple[int, bool]


def blinking(from_ns: int, to_ns: int, lit_ms: int, dark_ms: int) -> Iterator[Edge]:
    """A lamp that blinks, lit first."""
    at_ns = from_ns
    while at_ns < to_ns:
        yield at_ns, True
        yield min(at_ns + lit_ms * MS, to_ns), False
        at_ns += (lit_ms + dark_ms) * MS


def flickering(
    stretches: Iterable[tuple[int, int]], hertz: int, share: float, chance: random.Random
) -> Iterator[Edge]:
    """Each stretch of light chopped at `hertz`, lit for `share` of the period, with some jitter."""
    period_ns = S // hertz
    for from_ns, to_ns in stretches:
        at_ns = from_ns
        while at_ns < to_ns:
            lit_ns = int(period_ns * share * chance.uniform(0.95, 1.05))
            yield at_ns, True
            yield min(at_ns + lit_ns, to_ns), False
            at_ns += period_ns


def spikes(from_ns: int, to_ns: int, chance: random.Random) -> Iterator[Edge]:
    """Flashes of a camera or a torch's edge: up to 5 ms of light, at most every 100 ms."""
    at_ns = from_ns + chance.randrange(100 * MS)
    while at_ns < to_ns:
        yield at_ns, True
        yield at_ns + chance.randrange(1, 5 * MS), False
        at_ns += chance.randrange(100 * MS, 400 * MS)


def merged(*traces: Iterable[Edge]) -> list[Edge]:
    """Light falls where any of the traces has it."""
    steps = sorted(
        (at_ns, 1 if lit else -1) for trace in traces for at_ns, lit in trace
    )  # fmt: skip
    edges: list[Edge] = []
    depth = 0
    for at_ns, step in steps:
        depth += step
        lit = depth > 0
        if not edges or edges[-1][1] != lit:
            edges.append((at_ns, lit))
    return edges

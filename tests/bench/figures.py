"""How much is measured, and what a figure is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Plan:
    """How many samples are taken."""

    blocks: int
    block_events: int
    burst_events: int
    bursts: int
    life_events: int
    starts: int
    idle_s: float
    # Before the first sample: devices greeted, levels told, caches warm.
    settle_s: float

    @property
    def lone_events(self) -> int:
        """Lone frames in all."""
        return self.blocks * self.block_events


FULL: Final = Plan(10, 50, 1_000, 5, 10_000, 5, 20.0, 1.5)
QUICK: Final = Plan(2, 10, 100, 1, 300, 1, 1.0, 0.4)


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the report. `aim` is the most that is wanted; None: no aim is set."""

    name: str
    value: float
    unit: str
    samples: int
    aim: float | None = None


def percentile(values: Sequence[float], hundredths: int) -> float:
    """The least value that so many of a hundred do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * hundredths // 100) - 1)]

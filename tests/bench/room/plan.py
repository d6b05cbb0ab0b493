"""How much is played, and what is aimed at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# What the issue asks for at the plain subscriber; an aim, never a test.
AIM_MS: Final = 5.0
# Where the room is said to have gone too far.
FAR_MS: Final = 50.0
# Beyond this the generator itself is what is late, and says nothing of the room.
LATE_MS_MAX: Final = 25.0
# All of it; the search for the bound ends early where the machine is slow.
RUN_S_MAX: Final = 330.0


@dataclass(frozen=True, slots=True)
class Plan:
    """`few` and `many` tables for `few_s` and `many_s`; steps of `step_s` from `rates` a table."""

    few: int
    few_s: float
    many: int
    many_s: float
    floor_s: float
    step_s: float
    rates: tuple[float, ...]
    bisections: int


FULL: Final = Plan(200, 20.0, 2_000, 20.0, 5.0, 3.0, (2, 4, 8, 16, 32, 64), 3)
QUICK: Final = Plan(200, 3.0, 2_000, 2.0, 1.0, 1.0, (4,), 0)

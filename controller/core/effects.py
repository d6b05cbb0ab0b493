"""Acts to be done once, each with an id that is counted in the journal. Pure.

A device's acknowledgement is not among them: it belongs to the wire and is sent after the commit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class DrawNumber:
    """Ask the generator once, for draw number `draw` of this journal."""

    TYPE: ClassVar[str] = "draw_number"
    id: str
    draw: int


@dataclass(frozen=True, slots=True)
class StartTimer:
    """Fire `clock timer{name}` once `after_ms` of monotonic time have passed; restarts a timer."""

    TYPE: ClassVar[str] = "start_timer"
    id: str
    name: str
    after_ms: int


@dataclass(frozen=True, slots=True)
class CancelTimer:
    """Forget a running timer."""

    TYPE: ClassVar[str] = "cancel_timer"
    id: str
    name: str


Effect = DrawNumber | StartTimer | CancelTimer
EFFECTS: tuple[type[Effect], ...] = (DrawNumber, StartTimer, CancelTimer)

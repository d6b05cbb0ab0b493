"""What a member of a fact may be: its bounds and its words. Imports nothing of ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal


@dataclass(frozen=True)
class Range:
    """Inclusive bounds of an integer member."""

    least: int
    most: int


@dataclass(frozen=True)
class Text:
    """Longest lawful text, in characters; control characters are refused everywhere."""

    most: int


# The largest shoe is 8 decks of 52; four digits leave room for a wrong count to be reported.
Count = Annotated[int, Range(0, 9999)]
Cycle = Annotated[int, Range(0, 0xFFFFFFFF)]
Word = Annotated[str, Text(32)]
Name = Annotated[str, Text(64)]
Batch = Annotated[str, Text(8)]
CycleMode = Literal["shuffle", "sort", "count"]
CycleResult = Literal["ok", "aborted", "incomplete"]
Face = Literal["down", "up"]
Rank = Literal["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "joker"]
Suit = Literal["clubs", "diamonds", "hearts", "spades"]
Colour = Literal["off", "green", "amber", "red", "blink"]
DeviceName = Literal["shuffler", "shoe"]

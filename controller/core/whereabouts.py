"""Where every card of one batch must be: a sum that never changes, the unknown included. Pure.

Nobody counts a table's cards all the time. What is known follows from what was counted last and
from what moved since; what nobody watched is not guessed, those cards are `unknown`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Literal

Place = Literal[
    "table", "shuffler", "stack", "shoe", "hands", "layout", "stub", "rack", "burned", "removed",
    "unknown",
]  # fmt: skip
# Cards that a person sees: gathered, they are one heap again, and what was unknown of it is not.
IN_SIGHT: tuple[Place, ...] = (
    "table", "stack", "shoe", "hands", "layout", "stub", "rack", "burned", "unknown",
)  # fmt: skip
AT_THE_TABLE: tuple[Place, ...] = (*IN_SIGHT, "shuffler")
EVERYWHERE: tuple[Place, ...] = (*AT_THE_TABLE, "removed")
# What a shoe deals out of and into: if it was not heard, nobody knows how these divide.
DEALT_UNSEEN: tuple[Place, ...] = ("shoe", "hands", "layout", "stub")


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Cards at each place; none is negative and their sum is the batch's number of cards.

    `table`: in no order, to be inspected or shuffled; `shuffler`: inside of it; `stack`: out of
    the shuffle, not loaded; `shoe`: loaded and undealt, in the shoe or the dealer's hand;
    `hands`: dealt to positions; `layout`: out of the shoe and in no hand (the extra card, stacks
    and cards that wait for a decision); `stub`: left after the last hand; `rack`: played or
    discarded; `burned`: in the rack unplayed; `removed`: off the table; `unknown`: at any of them.
    """

    table: int = 0
    shuffler: int = 0
    stack: int = 0
    shoe: int = 0
    hands: int = 0
    layout: int = 0
    stub: int = 0
    rack: int = 0
    burned: int = 0
    removed: int = 0
    unknown: int = 0

    @property
    def total(self) -> int:
        """All cards of the batch."""
        return sum(self.at(place) for place in EVERYWHERE)

    def at(self, place: Place) -> int:
        """The cards that must at least be there."""
        cards: int = getattr(self, place)
        return cards

    def can_hold(self, place: Place, cards: int) -> bool:
        """Whether so many there fit what is known: those known to be there and, at most, the
        unknown."""
        return self.at(place) <= cards <= self.at(place) + self.unknown

    def lacking(self, sources: tuple[Place, ...], cards: int) -> int:
        """How many of `cards` cannot come from these places, nor from the unknown; 0 if all can."""
        there = sum(self.at(place) for place in sources)
        return max(0, cards - there - self.unknown)

    def moved(self, sources: tuple[Place, ...], to: Place, cards: int | None = None) -> Whereabouts:
        """Cards taken from the first of `sources` that has any, the rest from the next, what none
        of them has from the unknown; all that lie there where `cards` is None.

        More than there are cannot move: `lacking` says how many that is.
        """
        from_there = sources if cards is None else (*sources, "unknown")
        left = self.total if cards is None else cards
        after = {place: self.at(place) for place in EVERYWHERE}
        for place in from_there:
            taken = min(left, after[place])
            after[place] -= taken
            after[to] += taken
            left -= taken
        return Whereabouts(**after)

    def counted(self, place: Place, cards: int) -> Whereabouts:
        """Someone counted this place: what lacks there is unknown, what is over comes from there.

        A card more than the batch has stays out of the sum; `can_hold` tells of it.
        """
        most = self.at(place) + self.unknown
        there = min(cards, most)
        return dataclasses.replace(self, **{place: there, "unknown": most - there})

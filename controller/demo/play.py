"""What a dealer of a shoe game knows by heart: what burns, where a card goes, who draws another.

Written down a second time on purpose: the dealer is a witness of his own beside the table's rules.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol

from controller.core.seats import DEALER, Place

POINTS = dict(zip(("A", "2", "3", "4", "5", "6", "7", "8", "9"), range(1, 10), strict=True))
COURT_BURNS = 10
NATURAL = 8
PLAYER_DRAWS_TO = 5
# The banker's count -> points of the player's third card on which the banker draws too.
BANKER_DRAWS_ON = {3: (0, 1, 2, 3, 4, 5, 6, 7, 9), 4: range(2, 8), 5: range(4, 8), 6: (6, 7)}


class ShoeGame(Protocol):
    """A game dealt card by card; `face`: how a card lies when it leaves the shoe, `exposes_first`:
    the first card of a shoe is shown and named, `batches`: those that alternate."""

    face: str
    exposes_first: bool
    batches: tuple[str, ...]

    def burned(self, first: str) -> int:
        """Cards that go to the rack before the first round, `first` by its rank included."""

    def begin(self, seats: Sequence[int]) -> None:
        """A round with these seats."""

    def draws_another(self, ranks: Sequence[str]) -> bool:
        """Whether the round goes on after these cards."""

    def place(self, cards: int) -> Place:
        """Where the card goes that follows `cards` others of the round."""


class Blackjack:
    """Two cards for each seat and the dealer, then what the players ask for."""

    face = "down"
    exposes_first = False
    batches: tuple[str, ...] = ("A", "B")

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._places: tuple[Place, ...] = (DEALER,)
        self._due = 0

    def burned(self, first: str) -> int:
        """One."""
        return 1

    def begin(self, seats: Sequence[int]) -> None:
        """The players' wishes are drawn by the seed."""
        self._places = (*seats, DEALER)
        self._due = 2 * len(self._places) + self._chance.randint(0, len(seats))

    def draws_another(self, ranks: Sequence[str]) -> bool:
        """Until everybody has what he asked for."""
        return len(ranks) < self._due

    def place(self, cards: int) -> Place:
        """Seat by seat, the dealer last."""
        return self._places[cards % len(self._places)]


class Minibaccarat:
    """Two hands on the layout, each card shown as it comes, third cards by the table of draws."""

    face = "up"
    exposes_first = True
    batches: tuple[str, ...] = ("A",)

    def burned(self, first: str) -> int:
        """As many as the first card's value, and that card."""
        return 1 + POINTS.get(first, COURT_BURNS)

    def begin(self, seats: Sequence[int]) -> None:
        """Whoever wagers, two hands are dealt."""

    def draws_another(self, ranks: Sequence[str]) -> bool:
        """Cards come in turn, the player's first; then the third cards."""
        if len(ranks) < 4:
            return True
        player, banker = _count(ranks[0], ranks[2]), _count(ranks[1], ranks[3])
        if max(player, banker) >= NATURAL or len(ranks) >= 6:
            return False
        if player > PLAYER_DRAWS_TO:
            return len(ranks) == 4 and banker <= PLAYER_DRAWS_TO
        if len(ranks) == 4 or banker < min(BANKER_DRAWS_ON):
            return True
        return _count(ranks[4]) in BANKER_DRAWS_ON.get(banker, ())

    def place(self, cards: int) -> Place:
        """Both hands lie before the dealer."""
        return DEALER


def _count(*ranks: str) -> int:
    """A hand's count: ten and court cards are nothing, and tens are dropped."""
    return sum(POINTS.get(rank, 0) for rank in ranks) % 10

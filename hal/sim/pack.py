"""A pack as it lies in a shoe: whole decks, shuffled by a seed; what an eye sees once exposed."""

from __future__ import annotations

import random
from typing import Final, get_args

from hal.member_types import Rank, Suit

RANKS: Final = tuple(rank for rank in get_args(Rank) if rank != "joker")
SUITS: Final = get_args(Suit)
DECK: Final = tuple((rank, suit) for suit in SUITS for rank in RANKS)

Card = tuple[str, str]


def shuffled(cards: int, chance: random.Random) -> list[Card]:
    """`cards` of as many decks as that takes, in a random order; the last deck may be short."""
    decks = -(-cards // len(DECK))
    pack = list(DECK * decks)[:cards]
    chance.shuffle(pack)
    return pack

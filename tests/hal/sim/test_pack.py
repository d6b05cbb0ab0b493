"""The cards of a simulated shoe are those of whole decks, in another order each time."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from hal.sim.pack import DECK, shuffled


@pytest.mark.parametrize(("cards", "decks"), [(52, 1), (312, 6), (416, 8)])
def test_whole_decks_hold_each_card_once_a_deck(cards: int, decks: int) -> None:
    counted = Counter(shuffled(cards, random.Random(1)))
    assert set(counted) == set(DECK)
    assert set(counted.values()) == {decks}


def test_the_seed_makes_the_order() -> None:
    assert shuffled(52, random.Random(1)) == shuffled(52, random.Random(1))
    assert shuffled(52, random.Random(1)) != shuffled(52, random.Random(2))


def test_a_deck_that_is_short_has_no_card_twice() -> None:
    assert len(set(shuffled(51, random.Random(1)))) == 51
    assert shuffled(0, random.Random(1)) == []

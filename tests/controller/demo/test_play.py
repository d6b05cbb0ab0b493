"""What the dealer knows by heart is what the paragraphs say: two witnesses, worked out apart."""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace
from typing import cast

import pytest

from config.profiles import profile_document
from controller.core.profile import profile_of
from controller.core.view import Table
from controller.demo.play import Blackjack, Minibaccarat
from controller.rules.burn import RANKS, extra_cards
from controller.rules.third_card import next_draw

# One rank for each count.
ONE_OF_EACH = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "K")
PROFILE = profile_of(profile_document("minibaccarat")[0])
TABLE = cast("Table", SimpleNamespace(profile=PROFILE))


@pytest.mark.parametrize("rank", RANKS)
def test_the_burn_is_the_first_cards_value_and_that_card(rank: str) -> None:
    assert Minibaccarat().burned(rank) == 1 + extra_cards(TABLE, rank)
    assert Blackjack(random.Random(1)).burned(rank) == 1


def test_every_hand_of_minibaccarat_ends_where_the_rule_ends_it() -> None:
    """By the counts of both hands: how two cards make one does not matter."""
    game = Minibaccarat()
    live: list[tuple[str, ...]] = [()]
    for drawn in (ONE_OF_EACH, ONE_OF_EACH, ("K",), ("K",), ONE_OF_EACH, ONE_OF_EACH):
        longer = [(*ranks, rank) for ranks, rank in itertools.product(live, drawn)]
        live = [ranks for ranks in longer if game.draws_another(ranks)]
        assert live == [ranks for ranks in longer if next_draw(TABLE, ranks) != "none"]
    assert live == []


def test_blackjack_gives_two_cards_each_and_at_most_one_more_to_a_seat() -> None:
    game = Blackjack(random.Random(1))
    for seats in ((1,), (2, 4), (1, 3, 5, 6)):
        for _ in range(50):
            game.begin(seats)
            cards = next(n for n in itertools.count() if not game.draws_another(["A"] * n))
            assert 2 * (len(seats) + 1) <= cards <= 2 * (len(seats) + 1) + len(seats)


def test_cards_go_seat_by_seat_and_to_the_dealer_last() -> None:
    game = Blackjack(random.Random(1))
    game.begin((2, 5))
    assert [game.place(n) for n in range(4)] == [2, 5, "dealer", 2]
    assert Minibaccarat().place(3) == "dealer"

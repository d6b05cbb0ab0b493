"""States of one shoe that a count tells apart have two keys, and those that none does have one."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.book import Book
from controller.core.state import TableState
from controller.core.table import new_state, run
from controller.core.whereabouts import Whereabouts
from tests.exploration import ways
from tests.exploration.key import FEW_MAX, key
from tests.exploration.lines import arrived
from tests.exploration.small import small_book


def playing(book: Book) -> TableState:
    state = new_state(book)
    for line in ways.to_play(book):
        state = run(book, state, arrived(line)).state
    return state


def with_cards(state: TableState, **cards: int) -> TableState:
    """The one deck of the table in play, so many cards at each place, the rest in the shoe."""
    (batch,) = state.batches
    shoe = batch.cards.total - sum(cards.values())
    there = dataclasses.replace(batch, cards=Whereabouts(shoe=shoe, **cards))
    return dataclasses.replace(state, batches=(there,))


@pytest.mark.parametrize("game", ["blackjack", "minibaccarat"])
@pytest.mark.parametrize(
    ("cards", "other"),
    [
        # The whole deck but one card fits the shoe, and no longer once a residue lies elsewhere.
        ({"hands": 4, "burned": 2, "table": 1}, {"hands": 4, "burned": 1, "table": 1}),
        ({"hands": 1}, {"hands": 2}),
        ({"unknown": 1}, {}),
        ({"shuffler": 1}, {"shuffler": 2}),
        ({"table": FEW_MAX - 1}, {"table": FEW_MAX}),
    ],
)
def test_few_cards_elsewhere_are_told_apart(
    game: str, cards: dict[str, int], other: dict[str, int]
) -> None:
    book = small_book(game)
    state = playing(book)
    assert key(book, with_cards(state, **cards)) != key(book, with_cards(state, **other))


@pytest.mark.parametrize("game", ["blackjack", "minibaccarat"])
@pytest.mark.parametrize(
    ("cards", "other"),
    [
        ({"hands": 4, "burned": 2}, {"hands": 4, "burned": 2, "rack": 6}),
        ({"hands": 2}, {"hands": 4}),
        ({"hands": 1, "rack": 1}, {"hands": 3, "burned": 1}),
        ({"unknown": FEW_MAX}, {"unknown": FEW_MAX + 1}),
    ],
)
def test_many_cards_elsewhere_are_as_many_as_ever(
    game: str, cards: dict[str, int], other: dict[str, int]
) -> None:
    book = small_book(game)
    state = playing(book)
    assert key(book, with_cards(state, **cards)) == key(book, with_cards(state, **other))


def test_every_card_counts_where_hands_are_dealt_as_stacks() -> None:
    book = small_book("dj-wild")
    state = new_state(book)
    for line in ways.to_deal(book):
        state = run(book, state, arrived(line)).state
    assert key(book, with_cards(state, hands=5)) != key(book, with_cards(state, hands=6))

"""No card comes and none goes: any inputs, any order, every game and every way of dealing."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from config.profiles import profile_document
from controller.core.book import Book
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.games import book_of
from tests.properties.course import Line
from tests.properties.inputs import LINES
from tests.properties.test_table import MANY, Walk

# What each game allows; `Walk` checks the sum of every batch after every input.
HOUSES: dict[str, tuple[dict[str, Any], ...]] = {
    "dj-wild": ({}, {"batches": 2}, {"deal": "hand"}, {"shuffle": "manual", "deal": "manual_shoe"}),
    "fortune-asia-poker": ({}, {"batches": 2}, {"deal": "hand"}, {"approved_device": "ok"}),
    "blackjack": ({}, {"batches": 1, "decks": 1}, {"batches": 1, "approved_device": "ok"}),
    "minibaccarat": ({}, {"batches": 1, "decks": 1, "shuffle": "manual"}),
}
FEW = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
DAYS = st.lists(st.one_of(st.none(), st.none(), st.none(), LINES), min_size=20, max_size=90)


def book(game: str, house: int) -> Book:
    setup = dataclasses.replace(DEFAULTS[game], **HOUSES[game][house])
    return book_of(setup, profile_of(profile_document(game)[0]))


BOOKS = {(game, house): book(game, house) for game in HOUSES for house in range(len(HOUSES[game]))}


def walked(key: tuple[str, int], day: list[Line | None]) -> Walk:
    walk = Walk(BOOKS[key])
    for line in day:
        walk.step(line)
    return walk


@FEW
@given(st.sampled_from(sorted(BOOKS)), DAYS)
def test_every_card_is_somewhere_once(key: tuple[str, int], day: list[Line | None]) -> None:
    walked(key, day)


@pytest.mark.heavy
@MANY
@given(st.sampled_from(sorted(BOOKS)), DAYS)
def test_every_card_is_somewhere_once_many_times(
    key: tuple[str, int], day: list[Line | None]
) -> None:
    walked(key, day)


@pytest.mark.parametrize("key", sorted(BOOKS))
def test_the_ordinary_course_never_misses_a_card(key: tuple[str, int]) -> None:
    walk = walked(key, [None] * 160)
    kinds = [event.type for turn in walk.turns for event in turn.events]
    assert kinds.count("round.completed") >= 3, "the walk met whole rounds"
    assert "deck.count_mismatch" not in kinds
    unknown = [one.cards.unknown for turn in walk.turns for one in turn.state.batches]
    assert not any(unknown), "nothing is unknown while everything is seen"

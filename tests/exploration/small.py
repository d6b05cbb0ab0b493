"""The small tables that are explored: two seats, one deck, the shortest lawful counts.

What is small: two seats; one batch of one deck (Blackjack also with two batches); the stub is due
in the second round after its last proof instead of the fifth. What is on: every timer that a house
may set, and a key for the floorperson. All else is the game's own profile.
"""

from __future__ import annotations

import dataclasses

from config.profiles import profile_document
from controller.core.book import Book
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS, Person
from controller.games import book_of
from tests.exploration.alphabet import KEY

SEATS = 2
ROUNDS_MAX = 2
TIMER_MS = 9000
GAMES = ("dj-wild", "fortune-asia-poker", "blackjack", "minibaccarat")
# A name that may stand for a game: its batches alternate.
TWO_BATCHES = "blackjack-two-batches"


def small_book(name: str) -> Book:
    """The book of a game of `GAMES`, or of TWO_BATCHES. Raises KeyError for another name."""
    game = "blackjack" if name == TWO_BATCHES else name
    setup = dataclasses.replace(
        DEFAULTS[game], seats=SEATS, decks=1, batches=2 if name == TWO_BATCHES else 1,
        rounds_after_cover=0, shuffle_timeout_ms=TIMER_MS, dispense_timeout_ms=TIMER_MS,
        idle_after_ms=TIMER_MS, keys={KEY: Person("f1", "floorperson")},
    )  # fmt: skip
    profile = profile_of(profile_document(game)[0])
    most = profile.stub.rounds_max
    if most is not None:
        fewer = dataclasses.replace(most, value=ROUNDS_MAX)
        profile = dataclasses.replace(
            profile, stub=dataclasses.replace(profile.stub, rounds_max=fewer)
        )
    return book_of(setup, profile)

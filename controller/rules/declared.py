"""What a house declares against what its game's text says: no table starts with a misfit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from controller.core.law import Lawful
from controller.core.profile import GameProfile
from controller.core.setup import Setup


@dataclass(frozen=True, slots=True)
class Misfit:
    """One declaration that the text does not allow; `key` is its place in the table's file."""

    key: str
    rule: str
    problem: str


def misfits(profile: GameProfile, setup: Setup) -> tuple[Misfit, ...]:
    """Every declaration of the house that its game's profile does not fit.

    An unread number binds nobody: the deck of Fortune Asia Poker is what the house says.
    """
    cards, deal, start = profile.cards, profile.deal, profile.start_position
    found = []

    def unfit(key: str, leaf: Lawful[Any], problem: str) -> None:
        found.append(Misfit(key, leaf.rule, problem))

    whole, least, methods = cards.deck_cards, cards.decks_min, deal.methods
    batches = None
    if setup.shuffler.present and setup.approved_device is None:
        least = cards.decks_min_shuffler or least
        batches = cards.batches_shuffler
    if whole.verified and setup.deck_cards != whole.value:
        unfit("game.deck_cards", whole, f"a deck has {whole.value} cards, not {setup.deck_cards}")
    decks = setup.decks * setup.batches
    if least.verified and decks < least.value:
        unfit("game.decks", least, f"{least.value} decks at least, not {decks}")
    if batches is not None and batches.verified and setup.batches != batches.value:
        problem = f"a shuffler needs {batches.value} batches that alternate, not {setup.batches}"
        unfit("game.batches", batches, problem)
    if setup.deal not in methods.value:
        unfit("game.deal", methods, f"dealt by {' or '.join(methods.value)}, not {setup.deal}")
    hands = (setup.seats + 1) * deal.stack_cards.value
    if hands > setup.batch_cards:
        problem = f"{setup.seats} seats and the dealer need {hands} of {setup.batch_cards} cards"
        unfit("table.seats", deal.stack_cards, problem)
    if start is not None and setup.start == "rng":
        highest = start.numbers.value[1]
        if setup.seats + 1 != highest:
            problem = f"numbers 1 to {highest} need {highest - 1} seats, not {setup.seats}"
            unfit("game.start", start.numbers, problem)
    return tuple(found)

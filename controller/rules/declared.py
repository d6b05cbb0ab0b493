"""What a house declares against what its game's text says: mistakes that no table may start with."""

from __future__ import annotations

from dataclasses import dataclass

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
    if cards.deck_cards.verified and setup.deck_cards != cards.deck_cards.value:
        found.append(Misfit("game.deck_cards", cards.deck_cards.rule,
                            f"a deck has {cards.deck_cards.value} cards, not {setup.deck_cards}"))  # fmt: skip
    if setup.decks < cards.decks_min.value:
        found.append(Misfit("game.decks", cards.decks_min.rule,
                            f"{cards.decks_min.value} decks at least, not {setup.decks}"))  # fmt: skip
    if setup.deal not in deal.methods.value:
        found.append(Misfit("game.deal", deal.methods.rule,
                            f"dealt by {' or '.join(deal.methods.value)}, not {setup.deal}"))  # fmt: skip
    hands = (setup.seats + 1) * deal.stack_cards.value
    if hands > setup.batch_cards:
        found.append(Misfit("table.seats", deal.stack_cards.rule,
                            f"{setup.seats} seats and the dealer need {hands} cards of "
                            f"{setup.batch_cards}"))  # fmt: skip
    if start is not None and setup.start == "rng" and setup.seats + 1 != start.numbers.value[1]:
        found.append(Misfit("game.start", start.numbers.rule,
                            f"numbers 1 to {start.numbers.value[1]} need "
                            f"{start.numbers.value[1] - 1} seats, not {setup.seats}"))  # fmt: skip
    return tuple(found)

"""Cards that leave the shoe unplayed before the first round, and after a change of dealer."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import Burned, FirstCard, NoMoreBets
from controller.core.law import Verdict, broken
from controller.core.profile import Burn
from controller.core.view import Table
from controller.rules.registry import rule

RANKS = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")


def law_of(table: Table) -> Burn:
    """The profile's paragraphs on the burn."""
    law = table.profile.burn
    assert law is not None, "only a game with a burn has these rows"
    return law


@rule("BURN-VALUE", cites=("627a.5(f)",))
def extra_cards(table: Table, rank: str) -> int:
    """The first card's face value says how many more go: ace one, ten and court cards ten."""
    values = law_of(table).values
    assert values is not None, "this game burns by the first card's value"
    return int(values.value[RANKS.index(rank)])


@rule("BURN-ONE-FIRST", cites=("627a.5(f)",))
def first_card_agrees(table: Table, item: FirstCard) -> bool:
    """Shoe and dealer name the same first card, where both name it."""
    return table.state.pack.burn_rank in (None, item.rank)


@rule("BURN-FIRST-EXPOSED", cites=("627a.5(f)",))
def first_card_was_named(table: Table, item: Burned) -> Verdict:
    """Until the first card is exposed and named nobody knows how many more go to the rack."""
    if table.state.pack.burn_rank is None:
        return Refusal(law_of(table).on_load.rule, "name the first card first: first_card{rank}")
    return None


@rule("BURN-COUNT", cites=("627a.5(f)", "633a.7"))
def burn_is_right(table: Table, item: Burned) -> bool:
    """As many cards were removed as are due, and as many as the shoe counted where it counts."""
    pack = table.state.pack
    seen = pack.burned
    return item.cards == pack.burn_due and seen in (0, item.cards)


@rule("BURN-FIRST", cites=("627a.5(f)", "633a.7"))
def cards_were_burned(table: Table, item: NoMoreBets) -> Verdict:
    """The burn comes before the bets of the first round close; a shoe that counted it saw it."""
    if 0 < table.state.pack.burn_due == table.state.pack.burned:
        return None
    return broken(law_of(table).on_load, "the first cards were not burned", "burn")

"""Answers to what the text leaves open, as leaves of a profile: one word a question. Pure.

docs/ambiguities.md says what each question is; the numbers A1 to A33 are those of the catalogue.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from controller.core.law import Lawful

# The words that each reading knows; the first is the reading taken where a profile is silent.
WORDS: dict[str, tuple[str, ...]] = {
    "cut_rotation": ("counter_clockwise", "clockwise"),
    "cut_other_cause": ("as_ordered", "dealer"),
    "misdeal_of_another_total": ("remove_deck", "reshuffle"),
    "exposed_draw": ("hold", "use_next", "discard", "void"),
    "dealer_count": ("void", "hold"),
    "settle_and_return": ("hold", "return_all", "first_cause"),
    "undealt_bonuses": ("hold", "void", "void_settle_bonuses"),
    "shuffler_in_round": ("reshuffle", "hold"),
    "shoe_after_deal": ("hold", "void"),
    "void_rounds_count": ("yes", "no"),
    "switch_as_witness": ("yes", "no"),
    "direct_to_shoe": ("cut", "no_cut"),
    "power_in_round": ("hold", "void"),
    "other_deck_next": ("hold", "use"),
    "surplus_in_stack": ("void", "use_next", "hold"),
    "boxed_in_stack": ("discard", "void", "hold"),
}


@dataclass(frozen=True, slots=True)
class Readings:
    """`[readings]` of a profile. A reading without its text read (`verified = false`) never
    voids: a leaf that would is taken as `hold` until somebody answers for it."""

    cut_rotation: Lawful[str] | None = None
    cut_other_cause: Lawful[str] | None = None
    misdeal_of_another_total: Lawful[str] | None = None
    exposed_draw: Lawful[str] | None = None
    dealer_count: Lawful[str] | None = None
    settle_and_return: Lawful[str] | None = None
    undealt_bonuses: Lawful[str] | None = None
    shuffler_in_round: Lawful[str] | None = None
    shoe_after_deal: Lawful[str] | None = None
    void_rounds_count: Lawful[str] | None = None
    switch_as_witness: Lawful[str] | None = None
    direct_to_shoe: Lawful[str] | None = None
    power_in_round: Lawful[str] | None = None
    other_deck_next: Lawful[str] | None = None
    surplus_in_stack: Lawful[str] | None = None
    boxed_in_stack: Lawful[str] | None = None

    def taken(self, name: str) -> str:
        """The word that holds: the profile's own, or the usual one. Raises KeyError."""
        leaf: Lawful[str] | None = getattr(self, name)
        return WORDS[name][0] if leaf is None else leaf.value

    def unknown_word(self) -> tuple[str, str] | None:
        """The first leaf whose word its question does not know, and what it may say."""
        for field in dataclasses.fields(self):
            leaf: Lawful[str] | None = getattr(self, field.name)
            if leaf is not None and leaf.value not in WORDS[field.name]:
                return field.name, " or ".join(WORDS[field.name])
        return None

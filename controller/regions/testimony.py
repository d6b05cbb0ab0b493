"""A count that a device or a person states, held against the cards that must be there. Pure.

Where a paragraph says what a wrong count means, that is done there; here stands what no text
speaks of: the difference is on record with both numbers, and the floorperson decides.
"""

from __future__ import annotations

from controller.core.view import Table
from controller.core.whereabouts import Place
from controller.regions.alarms import clear_cause
from controller.regions.irregularity import rule_on
from controller.regions.whereabouts import batch_in_play, move, take_down, take_from_shuffler
from controller.rules.irregularities import unread

IN_ROUND = ("continue", "void")
BETWEEN_ROUNDS = ("continue", "reshuffle", "remove_deck")


def count_fits(table: Table, name: str, place: Place, cards: int) -> bool:
    """Take down how many cards were counted at a place; returns whether that can be.

    What lacks is `unknown` from then on. The difference is an event `deck.count_mismatch` with
    `expected` and `got`; what follows from it is the caller's.
    """
    batch = table.batch(name)
    assert batch is not None, "only cards of this table's batches are counted"
    expected = batch.cards.at(place)
    fits = take_down(table, name, place, cards)
    if not fits:
        table.emit(
            "deck.count_mismatch", table.profile.cards.deck_cards.rule, batch=name, place=place,
            cards=cards, expected=expected, got=cards,
        )  # fmt: skip
    return fits


def ask_about_count(
    table: Table, name: str, place: Place, cards: int, choices: tuple[str, ...] = BETWEEN_ROUNDS
) -> None:
    """As `count_fits`; a difference that no paragraph speaks of holds for the floorperson."""
    batch = table.batch(name)
    assert batch is not None, "only cards of this table's batches are counted"
    expected = batch.cards.at(place)
    if not count_fits(table, name, place, cards):
        rule_on(table, unread(
            "count_mismatch", f"{cards} cards counted at {place}, {expected} expected", choices,
            table.profile.cards.deck_cards.cite,
        ), name)  # fmt: skip


def whole_deck(table: Table, name: str, cards: int) -> None:
    """A deck was taken together and counted, wherever a shuffler had left its cards."""
    whole = table.setup.batch_cards
    if table.state.cycle.inside == name:
        table.change("cycle", inside=None, running=False)
    table.change_batch(name, where="table", token=None, counted=cards == whole)
    take_from_shuffler(table, name, "table")
    table.emit(
        "stub.count_result", table.profile.shuffle.when.rule, None if cards == whole else 3,
        expected=whole, got=cards, ok=cards == whole,
    )  # fmt: skip
    if cards != whole:
        ask_about_count(table, name, "table", cards, ("reshuffle", "remove_deck"))
    elif len(table.state.batches) == 1:
        # Nothing else can be left inside.
        table.change("cycle", residue=False)
        clear_cause(table, "shuffler.residue")


def deal(table: Table, sources: tuple[Place, ...], to: Place, cards: int) -> None:
    """Cards leave shoe or hand; more than can lie there is a count that does not fit."""
    batch = batch_in_play(table)
    lacking = move(table, sources, to, cards)
    if batch is None or lacking == 0:
        return
    there = cards - lacking
    rule = table.profile.cards.deck_cards
    table.emit(
        "deck.count_mismatch", rule.rule, batch=batch.name, place=sources[0],
        cards=cards, expected=there, got=cards,
    )  # fmt: skip
    rule_on(table, unread(
        "count_mismatch", f"{cards} cards left the {sources[0]}, {there} can have been in it",
        IN_ROUND if table.state.in_round else ("reshuffle", "remove_deck"), rule.cite,
    ))  # fmt: skip

"""Minibaccarat: feathered check, burn by the first card, two hands, third cards by the table."""

from __future__ import annotations

from controller.core.inputs import Burned, FirstCard, RoundDone
from controller.core.law import Ask, Verdict
from controller.core.machine import Rows, row
from controller.core.state import Phase
from controller.core.view import Table
from controller.games import card_by_card, dealing, pipeline
from controller.regions.idle import IDLE_ROWS
from controller.regions.irregularity import rule_on
from controller.regions.session import OPENING_ROWS
from controller.rules.burn import (
    extra_cards,
    first_card_agrees,
    first_card_was_named,
    law_of,
)
from controller.rules.irregularities import unread
from controller.rules.third_card import cards_of_a_round, next_draw
from hal.facts import CardDrawn


# ---- burn ----------------------------------------------------------------------------------------
def burn_card(table: Table, item: CardDrawn) -> None:
    card_by_card.burn_card(table, item)
    if table.state.pack.burned == 1 and item.face == "up" and item.rank is not None:
        name_first_card(table, item.rank)


def first_card(table: Table, item: FirstCard) -> None:
    """Shoe and dealer are two witnesses of the same card."""
    if not first_card_agrees(table, item):
        rule_on(table, unread(
            "burn_mismatch",
            f"shoe read {table.state.pack.burn_rank}, dealer said {item.rank}",
            ("continue", "reshuffle"), law_of(table).on_load.cite,
        ))  # fmt: skip
        return
    name_first_card(table, item.rank)


def name_first_card(table: Table, rank: str) -> None:
    if table.state.pack.burn_rank is not None or rank == "joker":
        return
    extra = extra_cards(table, rank)
    table.change("pack", burn_rank=rank, burn_due=extra + 1)
    table.emit("burn.required", law_of(table).on_load.rule, rank=rank, extra=extra)


# ---- round ---------------------------------------------------------------------------------------
def played_card(table: Table, item: CardDrawn) -> None:
    """A reading shoe is held to the table of third cards; a counting one to four to six cards."""
    ranks = table.state.round.ranks
    known = len(ranks) == table.state.round.cards
    permitted = not known or len(ranks) < 4 or next_draw(table, ranks) != "none"
    card_by_card.played_card(table, item)
    if not permitted:
        rule_on(table, unread(
            "unauthorised_third_card", "a card was drawn where none is permitted",
            ("continue", "void"), "627a.10",
        ))  # fmt: skip
    if known and item.face == "up" and item.rank is not None and item.rank != "joker":
        table.change("round", ranks=(*ranks, item.rank))


def cards_make_a_round(table: Table, item: RoundDone) -> Verdict:
    """Four to six cards; with known ranks, none that is still to be drawn."""
    play = table.state.round
    law = table.profile.third_card
    if law is None or "third_card" in table.state.waived:
        return None
    known = len(play.ranks) == play.cards and play.cards >= 4
    if not cards_of_a_round(play.cards):
        return Ask(law.natural.rule, f"{play.cards} cards left the shoe in this round",
                   "third_card")  # fmt: skip
    if known and next_draw(table, play.ranks) != "none":
        return Ask(law.natural.rule, "a third card is still to be drawn", "third_card")
    return None


ROWS: dict[Phase, Rows] = {
    Phase.BURN: {
        CardDrawn: row(then=burn_card),
        FirstCard: row(then=first_card),
        Burned: row(first_card_was_named, then=card_by_card.burned),
    },
    Phase.PLAY: {
        CardDrawn: row(then=played_card),
        RoundDone: row(cards_make_a_round, then=card_by_card.complete_round),
    },
}
STEPS = card_by_card.STEPS
TABLES = (OPENING_ROWS, IDLE_ROWS, pipeline.ROWS, dealing.REPORT_ROWS, card_by_card.ROWS, ROWS)

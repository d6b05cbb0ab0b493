"""The games: which table of rows each procedure follows, and the book made of all rooms."""

from __future__ import annotations

from typing import Any

from controller.core.book import Book, Step
from controller.core.inputs import DrawnInError, FaceUpCard, Revealed, WrongCount
from controller.core.law import Ask
from controller.core.machine import Move, Rows
from controller.core.profile import GameProfile
from controller.core.setup import Setup
from controller.core.state import Phase
from controller.core.view import Table
from controller.games import (
    blackjack,
    dealing,
    fortune_asia,
    minibaccarat,
    pipeline,
    stub_poker,
)
from controller.regions import (
    decisions,
    methods,
    number,
    panel,
    services,
    session,
    shoe,
    shuffler,
)
from controller.regions.cards import advance
from controller.regions.holds import hold
from controller.regions.irregularity import VOID_ROWS
from hal import facts

Procedure = tuple[tuple[dict[Phase, Rows], ...], dict[Phase, Step]]
PROCEDURES: dict[str, Procedure] = {
    "blackjack": (blackjack.TABLES, blackjack.STEPS),
    "minibaccarat": (minibaccarat.TABLES, minibaccarat.STEPS),
    "stub_poker": (stub_poker.TABLES, stub_poker.STEPS),
    "fortune_asia": (fortune_asia.TABLES, fortune_asia.STEPS),
}
COMMON: Rows = {**session.COMMON_ROWS, **methods.COMMON_ROWS, **decisions.COMMON_ROWS}
REPORTS = frozenset((FaceUpCard, DrawnInError, WrongCount, Revealed))


def book_of(setup: Setup, profile: GameProfile) -> Book:
    """The book of one table. Raises KeyError for a procedure that no table of rows follows."""
    tables, steps = PROCEDURES[profile.id.procedure]
    return Book(
        profile=profile,
        setup=setup,
        rows={
            phase: {kind: one for table in tables for kind, one in table.get(phase, {}).items()}
            for phase in Phase
        },
        common=COMMON,
        voiding=VOID_ROWS,
        reports=REPORTS,
        moves=MOVES,
        unexpected=UNEXPECTED,
        translate=panel.translate,
        ask=ask,
        settle=advance,
        steps=steps,
    )


def ask(table: Table, question: Ask) -> None:
    """Unread text never decides: the floorperson does, and may waive the duty for this round."""
    choices = question.choices if table.state.in_round else ("continue", "reshuffle")
    hold(table, question.waiver, question.reason, choices, question.rule, waiver=question.waiver)


def early_or_without_token(table: Table, item: Any) -> None:
    """Cards left the shoe outside of a deal: too early where a load lies in it, else unproven."""
    if table.state.load is not None and table.state.phase in (Phase.BETS, Phase.START):
        dealing.early_card(table, item)
    elif table.state.load is None:
        dealing.card_without_token(table, item)


def drawn_late(table: Table, item: facts.Drawn) -> None:
    """A number that comes when none is awaited is a failure of the generator."""
    one = table.book.rows.get(table.state.phase, {}).get(facts.Drawn)
    if one is not None:
        one.then(table, item)
    else:
        number.drawn(table, item)


UNEXPECTED: dict[type, Move] = {
    facts.StackDispensed: early_or_without_token,
    facts.CardDrawn: early_or_without_token,
    facts.ShoeLoaded: pipeline.shoe_loaded,
}
MOVES: dict[str, dict[type, Move]] = {
    "shuffler": shuffler.MOVES,
    "shoe": shoe.MOVES,
    "clock": services.MOVES,
    "system": services.MOVES,
    "rng": {
        facts.Drawn: drawn_late,
        facts.Shown: number.shown,
        facts.HealthFailed: number.health_failed,
        facts.Restored: number.restored,
    },
    "panel": {
        facts.Key: panel.key,
        facts.Cover: methods.cover_switch,
        facts.Case: panel.case,
        facts.Stuck: panel.stuck,
        facts.DisplayFault: number.display_fault,
    },
    "press": {panel.Toggled: panel.toggle},
}  # fmt: skip

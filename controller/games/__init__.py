"""The games: which table of rows each procedure follows, and the book made of all rooms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
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
    stacks,
    stub_poker,
)
from controller.regions import (
    decisions,
    exemption,
    idle,
    methods,
    number,
    panel,
    services,
    session,
    shoe,
    shuffler,
    software,
)
from controller.regions.cards import advance
from controller.regions.holds import hold
from controller.regions.irregularity import VOID_ROWS
from hal import facts


@dataclass(frozen=True, slots=True)
class Procedure:
    """Tables of rows, the later ones over the earlier; what follows the last hand of a round."""

    tables: tuple[dict[Phase, Rows], ...]
    steps: dict[Phase, Step]
    all_dealt: Callable[[Table], None] | None = None


PROCEDURES: dict[str, Procedure] = {
    "blackjack": Procedure(blackjack.TABLES, blackjack.STEPS),
    "minibaccarat": Procedure(minibaccarat.TABLES, minibaccarat.STEPS),
    "stub_poker": Procedure(stub_poker.TABLES, stub_poker.STEPS, stub_poker.all_dealt),
    "fortune_asia": Procedure(fortune_asia.TABLES, fortune_asia.STEPS, fortune_asia.all_dealt),
}
COMMON: Rows = {
    **session.COMMON_ROWS, **methods.COMMON_ROWS, **decisions.COMMON_ROWS, **software.COMMON_ROWS,
}  # fmt: skip
REPORTS = frozenset((FaceUpCard, DrawnInError, WrongCount, Revealed))


def book_of(setup: Setup, profile: GameProfile) -> Book:
    """The book of one table. Raises KeyError for a procedure that no table of rows follows."""
    procedure = PROCEDURES[profile.id.procedure]
    return Book(
        profile=profile,
        setup=setup,
        rows={
            phase: {
                kind: one
                for table in procedure.tables
                for kind, one in table.get(phase, {}).items()
            }
            for phase in Phase
        },
        common=COMMON,
        voiding=VOID_ROWS,
        reports=REPORTS,
        moves=MOVES,
        unexpected=UNEXPECTED,
        translate=panel.translate,
        ask=ask,
        settle=_settle(procedure),
        steps=procedure.steps,
        dealt_by={method: profile.dealt_by(method) for method in profile.method},
    )


def ask(table: Table, question: Ask) -> None:
    """Unread text never decides: the floorperson does, and may waive the duty for this round."""
    choices = question.choices if table.state.in_round else ("continue", "reshuffle")
    hold(table, question.waiver, question.reason, choices, question.rule, waiver=question.waiver)


def _settle(procedure: Procedure) -> Callable[[Table], None]:
    """What follows by itself at the end of every turn."""

    def settle(table: Table) -> None:
        if procedure.all_dealt is not None:
            stacks.deliver_waiting(table, procedure.all_dealt)
            stacks.ask_without_shoe(table)
        exemption.watch(table)
        advance(table)
        idle.watch(table)
        shoe.watch(table)

    return settle


def not_due(table: Table, item: Any) -> None:
    """Cards left the shoe outside of a deal: unproven, too early, or more than there are hands."""
    state = table.state
    if state.load is None:
        dealing.card_without_token(table, item)
    elif not state.in_round or state.phase in (Phase.START, Phase.UNLOAD):
        dealing.early_card(table, item)
    elif isinstance(item, facts.StackDispensed):
        stacks.surplus_stack(table, item)


def drawn(table: Table, item: facts.Drawn) -> None:
    """The number of this round's draw, or one whose round is over."""
    one = table.book.rows.get(table.state.phase, {}).get(facts.Drawn)
    if one is not None:
        one.then(table, item)
    else:
        number.drawn_late(table, item)


UNEXPECTED: dict[type, Move] = {
    facts.StackDispensed: not_due,
    facts.CardDrawn: not_due,
    facts.ShoeLoaded: pipeline.shoe_loaded,
    facts.RemainderRemoved: dealing.taken_out,
    facts.Emptied: dealing.taken_out,
}
MOVES: dict[str, dict[type, Move]] = {
    "shuffler": shuffler.MOVES,
    "shoe": shoe.MOVES,
    "clock": services.MOVES,
    "system": services.MOVES,
    "rng": {
        facts.Drawn: drawn,
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

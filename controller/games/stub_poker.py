"""DJ Wild and its cousins: stacks to the wagered seats, the dealer last, a stub, raises."""

from __future__ import annotations

from controller.core.book import Step
from controller.core.inputs import (
    Delivered,
    Done,
    ExtraCard,
    Misdeal,
    NoMoreBets,
    OrderRecut,
    RaisesClosed,
    RoundDone,
    Stub,
)
from controller.core.machine import Rows, row
from controller.core.state import Phase
from controller.core.view import Table
from controller.games import dealing, pipeline, rounds, stacks
from controller.regions import whereabouts
from controller.regions.idle import IDLE_ROWS
from controller.regions.irregularity import rule_on
from controller.regions.proof import deck_is_doubted, deck_is_proven
from controller.regions.session import OPENING_ROWS
from controller.rules.deal import (
    delivery_order,
    extra_card_belongs,
    extra_card_is_due,
)
from controller.rules.irregularities import stub_ruling
from controller.rules.stub import deck_leaves_the_table, stub_count_is_due, stub_expected
from hal.facts import RemainderRemoved, StackDispensed


def close_bets(table: Table, item: NoMoreBets) -> None:
    dealing.open_round(table, item)
    order = delivery_order(table, table.state.round.seats, None)
    table.change("round", order=order)
    table.go(Phase.DEAL)
    stacks.await_stack(table)


def stack(table: Table, item: StackDispensed) -> None:
    if stacks.stack_out(table, item):
        all_dealt(table)


def delivered(table: Table, item: Delivered) -> None:
    if stacks.delivered(table, item):
        all_dealt(table)


def all_dealt(table: Table) -> None:
    """Every hand is out: the rest leaves the automated shoe, then the extra card, then the stub."""
    table.emit("round.dealt", table.profile.deal.remainder.rule, extra=extra_card_is_due(table))
    if table.state.methods.deal == "auto_shoe":
        table.go(Phase.REMAINDER)
    else:
        whereabouts.rest_is_stub(table)
        after_remainder(table)


def remainder_out(table: Table, item: RemainderRemoved) -> None:
    """The shoe's count is testimony: where it differs, the stub is counted by hand now."""
    fits = stacks.remainder_out(table, item)
    limit = table.profile.stub.rounds_max
    if not fits and limit is not None:
        deck_is_doubted(table, limit.value)
    after_remainder(table)


def remainder_done(table: Table, item: Done) -> None:
    """The dealer says that the rest is out, where the shoe cannot."""
    whereabouts.rest_is_stub(table)
    after_remainder(table)


def after_remainder(table: Table) -> None:
    if extra_card_is_due(table) and not table.state.round.extra:
        table.go(Phase.EXTRA)
    else:
        after_extra(table)


def extra_card(table: Table, item: object) -> None:
    table.change("round", extra=True)
    whereabouts.move(table, ("stub", "shoe"), "layout", 1)
    if table.state.phase is Phase.EXTRA:
        after_extra(table)


def after_extra(table: Table) -> None:
    if stub_count_is_due(table):
        table.emit("stub.count_due", table.profile.stub.policy.rule,
                   expected=stub_expected(table))  # fmt: skip
        table.go(Phase.STUB)
    else:
        whereabouts.stub_to_rack(table)
        table.go(Phase.DECISIONS)


def stub(table: Table, item: Stub) -> None:
    """A good count proves the deck; a wrong one asks whether the cards were misdealt."""
    if not rounds.count_stub(table, item):
        table.change("round", remainder_cards=item.cards)
        table.go(Phase.MISDEAL)
    elif table.state.phase is Phase.STUB:
        table.go(Phase.SETTLE if table.state.round.raises_closed else Phase.DECISIONS)


def misdeal(table: Table, item: Misdeal) -> None:
    leaves = deck_leaves_the_table(table, item)
    got = table.state.round.remainder_cards
    table.change("round", deck_counted=True)
    if item.total == table.setup.batch_cards:
        deck_is_proven(table)
    rule_on(table, stub_ruling(table, got if got is not None else 0, stub_expected(table), leaves))
    if table.state.void is not None:
        # The hands are void and gathered; where a floorperson is asked first they lie as they lay.
        whereabouts.deck_is_counted(table, item.total)


def raises_closed(table: Table, item: object) -> None:
    table.change("round", raises_closed=True)
    table.emit("round.raises_closed", table.profile.wagers.settled_when_revealed.rule)
    table.go(Phase.SETTLE)


COUNT = row(rounds.stub_can_be_counted, then=stub)
ROWS: dict[Phase, Rows] = {
    Phase.BETS: {NoMoreBets: row(*dealing.CLOSING, then=close_bets)},
    Phase.DEAL: {
        StackDispensed: row(then=stack),
        Delivered: row(stacks.delivery_is_due, then=delivered),
        OrderRecut: pipeline.RECUT,
    },
    Phase.REMAINDER: {
        RemainderRemoved: row(then=remainder_out),
        Done: row(then=remainder_done),
        Delivered: row(stacks.delivery_is_due, then=delivered),
        ExtraCard: row(extra_card_belongs, then=extra_card),
        StackDispensed: row(then=stacks.surplus_stack),
    },
    Phase.EXTRA: {
        ExtraCard: row(extra_card_belongs, then=extra_card),
        Done: row(then=extra_card),
    },
    Phase.STUB: {
        Stub: COUNT,
        RaisesClosed: row(rounds.stub_was_counted, then=raises_closed),
    },
    Phase.MISDEAL: {Misdeal: row(then=misdeal)},
    Phase.DECISIONS: {
        Stub: COUNT,
        RaisesClosed: row(then=raises_closed),
        Done: row(then=raises_closed),
    },
    Phase.SETTLE: {
        Stub: COUNT,
        RoundDone: row(rounds.stub_was_counted, then=rounds.complete_round),
    },
}

STEPS: dict[Phase, Step] = {
    **pipeline.STEPS,
    Phase.BETS: Step("no_more_bets", "dealer", "Close the bets", ("start", "deal"),
                     lambda p: p.deal.bets_closed_first.rule),
    Phase.DEAL: Step("deal", "dealer", "Stack {stack} to {to}", (),
                     lambda p: p.deal.first.rule),
    Phase.REMAINDER: Step("remainder", "dealer", "Take the remaining cards out of the shoe",
                          ("deal",), lambda p: p.deal.remainder.rule),
    Phase.EXTRA: Step("extra_card", "dealer", "Place one card in the progressive area",
                      ("deal",), lambda p: p.deal.remainder.rule),
    Phase.STUB: Step("stub", "dealer", "Count the stub face down", ("deal", "settle"),
                     lambda p: p.stub.policy.rule),
    Phase.MISDEAL: Step("misdeal", "dealer", "Misdealt or not? Count all cards",
                        ("deal", "settle"), lambda p: p.stub.policy.rule),
    Phase.DECISIONS: Step("raises_closed", "dealer", "Take the decisions, close the raises",
                          ("deal",), lambda p: p.wagers.settled_when_revealed.rule),
    Phase.SETTLE: Step("round_done", "dealer", "Settle the wagers", ("deal",),
                       lambda p: p.shuffle.when.rule),
}  # fmt: skip
TABLES = (
    OPENING_ROWS, IDLE_ROWS, pipeline.ROWS, dealing.REPORT_ROWS, dealing.SEEN_ROWS, ROWS
)  # fmt: skip

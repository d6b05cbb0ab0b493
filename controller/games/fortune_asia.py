"""Fortune Asia Poker: a start position each round, stacks to every position, four cards left."""

from __future__ import annotations

from controller.core.book import Step
from controller.core.events import Refusal
from controller.core.inputs import (
    Delivered,
    Dice,
    Done,
    NoMoreBets,
    OrderRecut,
    RoundDone,
    Shaken,
    ShakerReset,
    StartMarked,
    Stub,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row
from controller.core.state import Phase
from controller.core.view import Table
from controller.games import dealing, pipeline, rounds, stacks
from controller.regions import number, whereabouts
from controller.regions.idle import IDLE_ROWS
from controller.regions.irregularity import rule_on
from controller.regions.session import OPENING_ROWS
from controller.rules.deal import delivery_order
from controller.rules.irregularities import stub_ruling
from controller.rules.start_position import (
    bets_come_first,
    dice_add_up,
    generator_is_in_service,
    generator_is_the_method,
    law_of,
    number_was_not_drawn,
    position_is_known,
    position_of,
    shaken_often_enough,
    shaker_is_the_method,
    shaker_was_reset,
)
from hal.facts import Button, Drawn, RemainderRemoved, StackDispensed


def close_bets(table: Table, item: NoMoreBets) -> None:
    dealing.open_round(table, item)
    # A draw that was asked for in an earlier round gives this one no number.
    table.change("rng", pending_draw=None)
    table.go(Phase.START)


# ---- start position ------------------------------------------------------------------------------
def draw(table: Table, item: Button) -> None:
    table.change("rng", pending_draw=table.draw())


def drawn(table: Table, item: Drawn) -> None:
    if number.drawn(table, item):
        deal_from_start(table)


def drawn_in_recut(table: Table, item: Drawn) -> None:
    """A recut came between the press and its number: the number is this round's all the same."""
    if table.state.recut_back is not Phase.START:
        number.drawn_late(table, item)
    elif number.drawn(table, item):
        order_from_start(table)
        table.put(recut_back=Phase.DEAL)


def shaken(table: Table, item: Shaken) -> None:
    table.change("round", shaken=table.state.round.shaken + item.times)


def dice(table: Table, item: Dice) -> None:
    total = sum(item.values) if item.values is not None else item.total
    assert total is not None, "the guard saw dice or a total"
    count, to = position_of(table, total)
    number.settle_start(table, "shaker", total, count, to)
    table.change("rng", shaker_reset_due=True)
    deal_from_start(table)


def deal_from_start(table: Table) -> None:
    order_from_start(table)
    table.go(Phase.DEAL)
    stacks.await_stack(table)


def order_from_start(table: Table) -> None:
    start = table.state.round.start
    assert start is not None, "the position was just settled"
    table.change("round", order=delivery_order(table, table.state.round.seats, start.to))


def shaker_reset_is_due(table: Table, item: ShakerReset) -> Verdict:
    """The shaker is reset once, after the deal it was used for."""
    if not table.state.rng.shaker_reset_due:
        return Refusal(law_of(table).reset_shakes.rule, "the shaker is in its place")
    return None


def shaker_reset(table: Table, item: object) -> None:
    table.change("rng", shaker_reset_due=False)
    table.emit("startpos.shaker_reset", law_of(table).reset_shakes.rule)


def mark(table: Table, item: StartMarked) -> None:
    start = table.state.round.start
    assert start is not None, "the guard saw the position"
    table.emit("startpos.marked", law_of(table).mark.rule, to=start.to)


# ---- deal ----------------------------------------------------------------------------------------
def stack(table: Table, item: StackDispensed) -> None:
    if stacks.stack_out(table, item):
        all_dealt(table)


def delivered(table: Table, item: Delivered) -> None:
    if stacks.delivered(table, item):
        all_dealt(table)


def all_dealt(table: Table) -> None:
    table.emit("round.dealt", table.profile.deal.remainder.rule)
    if table.state.methods.deal == "auto_shoe":
        table.go(Phase.REMAINDER)
    else:
        whereabouts.rest_is_stub(table)
        table.go(Phase.STUB)


def remainder_out(table: Table, item: RemainderRemoved) -> None:
    stacks.remainder_out(table, item)
    table.go(Phase.STUB)


def remainder_done(table: Table, item: Done) -> None:
    whereabouts.rest_is_stub(table)
    table.go(Phase.STUB)


def stub(table: Table, item: Stub) -> None:
    """Exactly four must be left; other numbers are asked about, their text is unread."""
    play = table.state.round
    if rounds.count_stub(table, item):
        if play.remainder_cards not in (None, item.cards):
            rule_on(table, stub_ruling(table, play.remainder_cards, item.cards, False))
        table.go(Phase.SETTLE)
        return
    expected = table.profile.stub.exact
    assert expected is not None, "this game checks an exact stub"
    rule_on(table, stub_ruling(table, item.cards, expected.value, False))


RESET = row(shaker_reset_is_due, then=shaker_reset)
MARK = row(position_is_known, then=mark)
COUNT = row(rounds.stub_can_be_counted, then=stub)
ROWS: dict[Phase, Rows] = {
    Phase.SHUFFLE: {ShakerReset: RESET},
    Phase.UNLOAD: {Drawn: row(then=drawn_in_recut)},
    Phase.CUT: {ShakerReset: RESET, Drawn: row(then=drawn_in_recut)},
    Phase.LOAD: {ShakerReset: RESET, Drawn: row(then=drawn_in_recut)},
    Phase.BETS: {
        NoMoreBets: row(bets_come_first, *dealing.CLOSING, then=close_bets),
        ShakerReset: RESET,
    },
    Phase.START: {
        Button: row(
            generator_is_the_method, generator_is_in_service, number_was_not_drawn, then=draw
        ),
        Drawn: row(then=drawn),
        Shaken: row(shaker_is_the_method, shaker_was_reset, then=shaken),
        Dice: row(shaker_is_the_method, shaken_often_enough, dice_add_up, then=dice),
        ShakerReset: RESET,
        OrderRecut: pipeline.RECUT,
        StackDispensed: row(then=dealing.early_card),
    },
    Phase.DEAL: {
        StackDispensed: row(then=stack),
        Delivered: row(stacks.delivery_is_due, then=delivered),
        StartMarked: MARK,
        OrderRecut: pipeline.RECUT,
    },
    Phase.REMAINDER: {
        RemainderRemoved: row(then=remainder_out),
        Done: row(then=remainder_done),
        Delivered: row(stacks.delivery_is_due, then=delivered),
        StackDispensed: row(then=stacks.surplus_stack),
        ShakerReset: RESET,
        Stub: COUNT,
    },
    Phase.STUB: {
        Stub: COUNT,
        RoundDone: row(rounds.stub_was_counted, then=rounds.complete_round),
        ShakerReset: RESET,
        StackDispensed: row(then=stacks.surplus_stack),
    },
    Phase.SETTLE: {
        RoundDone: row(rounds.stub_was_counted, then=rounds.complete_round),
        ShakerReset: RESET,
        Done: RESET,
    },
}

STEPS: dict[Phase, Step] = {
    **pipeline.STEPS,
    Phase.BETS: Step("no_more_bets", "dealer", "Close the bets", ("start", "deal"),
                     lambda p: p.deal.bets_closed_first.rule),
    Phase.START: Step("start_position", "dealer", "Find the start position by {start}",
                      ("deal",), lambda p: p.start_position.methods.rule
                      if p.start_position else ""),
    Phase.DEAL: Step("deal", "dealer", "Stack {stack} to {to}", (),
                     lambda p: p.deal.first.rule),
    Phase.REMAINDER: Step("remainder", "dealer", "Take the remaining cards out of the shoe",
                          ("deal",), lambda p: p.deal.remainder.rule),
    Phase.STUB: Step("stub", "dealer", "Count the stub: four cards",
                     ("deal", "settle"), lambda p: p.stub.policy.rule),
    Phase.SETTLE: Step("round_done", "dealer", "Settle the wagers", ("deal",),
                       lambda p: p.shuffle.when.rule),
}  # fmt: skip
TABLES = (
    OPENING_ROWS, IDLE_ROWS, pipeline.ROWS, dealing.REPORT_ROWS, dealing.SEEN_ROWS, ROWS
)  # fmt: skip

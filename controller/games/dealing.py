"""Stacks leaving the shoe one by one, and what may go wrong with them: rows that games share."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import (
    Delivered,
    DrawnInError,
    FaceUpCard,
    NoMoreBets,
    Revealed,
    WrongCount,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row
from controller.core.seats import DEALER
from controller.core.state import IN_ROUND, Phase, Round
from controller.core.view import Table
from controller.regions import shoe
from controller.regions.alarms import raise_alarm
from controller.regions.irregularity import rule_on
from controller.rules.deal import (
    bets_can_be_closed,
    hand_has_its_shuffler,
    hands_are_dealt,
    seats_exist,
    somebody_plays,
    stack_is_whole,
    wagered_seats,
)
from controller.rules.irregularities import (
    BEFORE_RAISES,
    drawn_in_error_ruling,
    face_up_ruling,
    revealed_ruling,
    unread,
    wrong_count_ruling,
)
from hal.facts import CardDrawn, StackDispensed

CLOSING = (bets_can_be_closed, hand_has_its_shuffler, seats_exist, somebody_plays)


def open_round(table: Table, item: NoMoreBets) -> None:
    """Bets are closed: the seats of this round are frozen and the round has its number."""
    seats = wagered_seats(table, item)
    table.put(
        round=Round(
            number=table.state.round.number + 1, open=True, seats=seats,
            progressive=tuple(sorted(item.progressive or ())),
            trips=tuple(sorted(item.trips or ())), cut=table.state.round.cut,
        ),
        occupied=tuple(sorted({*table.state.occupied, *seats})),
        stub_rounds=table.state.stub_rounds + 1,
        panel_seats=(),
    )  # fmt: skip
    table.emit(
        "round.no_more_bets", table.profile.deal.required_wagers.rule, seats=list(seats),
        progressive=list(table.state.round.progressive), trips=list(table.state.round.trips),
    )  # fmt: skip


def await_stack(table: Table) -> None:
    """Give the shoe the house's patience for its next stack."""
    if table.setup.dispense_timeout_ms is not None and table.state.methods.deal == "auto_shoe":
        table.start_timer(shoe.TIMER, table.setup.dispense_timeout_ms)


# ---- stacks --------------------------------------------------------------------------------------
def stack_out(table: Table, item: StackDispensed) -> bool:
    """One stack left the shoe; returns whether it was the last one of the round."""
    shoe.revived(table)
    play = table.state.round
    if item.number != play.dealt + 1:
        rule_on(table, unread(
            "out_of_order", f"stack {item.number} came where {play.dealt + 1} was due",
            ("continue", "void"), table.profile.deal.first.cite,
        ))  # fmt: skip
        return False
    return hand_out(table, item.cards)


def hand_out(table: Table, cards: int) -> bool:
    """The next position has its cards; a wrong number of them is an irregularity."""
    play = table.state.round
    to = play.order[play.dealt]
    table.change("round", dealt=play.dealt + 1)
    if not stack_is_whole(table, cards):
        rule_on(table, wrong_count_ruling(table, to, cards))
        return hands_are_dealt(table)
    leaf = table.profile.deal.remainder if to == DEALER else table.profile.deal.first
    table.emit("round.deal_progress", leaf.rule, stack=play.dealt + 1, to=to, cards=cards)
    if hands_are_dealt(table):
        table.cancel_timer(shoe.TIMER)
        return True
    await_stack(table)
    return False


def delivery_is_due(table: Table, item: Delivered) -> Verdict:
    """By hand the dealer says who got a stack; from the shoe he may, for the stack just out."""
    by_hand = table.state.methods.deal != "auto_shoe"
    if not by_hand and table.state.round.dealt == 0:
        return Refusal(table.profile.deal.first.rule, "no stack left the shoe yet")
    if item.to != DEALER and item.to not in range(1, table.setup.seats + 1):
        return Refusal(None, f"this table has seats 1 to {table.setup.seats}")
    return None


def delivered(table: Table, item: Delivered) -> bool:
    """A delivery that names another position than the lawful order is an irregularity."""
    play = table.state.round
    by_hand = table.state.methods.deal != "auto_shoe"
    due = play.order[min(play.dealt if by_hand else play.dealt - 1, len(play.order) - 1)]
    if item.to != due:
        rule_on(table, unread(
            "out_of_order", f"cards went to {item.to} where {due} was due",
            ("continue", "void"), table.profile.deal.first.cite,
        ))  # fmt: skip
        return False
    if by_hand:
        return hand_out(table, item.cards)
    if not stack_is_whole(table, item.cards):
        rule_on(table, wrong_count_ruling(table, item.to, item.cards))
    return False


def early_card(table: Table, item: StackDispensed | CardDrawn) -> None:
    """Cards left the shoe before the bets were closed or the start was known: asked, not voided."""
    table.change("round", early=table.state.round.early + 1)
    choices = ("continue", "void") if table.state.in_round else ("reshuffle", "continue")
    leaf = table.profile.deal.bets_closed_first
    rule_on(table, unread("early_card", "a card left the shoe too early", choices, leaf.cite))


def card_without_token(table: Table, item: object) -> None:
    """Cards leave a shoe in which none with a token lie: the gravest case there is."""
    rule = table.profile.shuffle.when
    raise_alarm(table, "token_refused", 4, "cards were dealt without a token", rule.rule)
    choices = ("continue", "void") if table.state.in_round else ("reshuffle", "remove_deck")
    rule_on(table, unread("no_token", "cards left the shoe without a token", choices, rule.cite))


def surplus_stack(table: Table, item: StackDispensed) -> None:
    """A stack more than there are hands."""
    rule_on(table, unread(
        "out_of_order", f"stack {item.number} came after the last hand", ("continue", "void"),
        table.profile.deal.first.cite,
    ))  # fmt: skip


# ---- reports -------------------------------------------------------------------------------------
def face_up(table: Table, item: FaceUpCard) -> None:
    ruling = face_up_ruling(table)
    table.change("round", face_up=table.state.round.face_up + 1)
    rule_on(table, ruling)


def drawn_in_error(table: Table, item: DrawnInError) -> None:
    rule_on(table, drawn_in_error_ruling(table, item.exposed))


def place_exists(table: Table, item: WrongCount | Revealed) -> Verdict:
    """The position named is at this table."""
    return place_at_table(table, item.to if isinstance(item, WrongCount) else item.whose)


def place_at_table(table: Table, place: int | str) -> Verdict:
    """A seat of this table or the dealer."""
    if place != DEALER and place not in range(1, table.setup.seats + 1):
        return Refusal(None, f"this table has seats 1 to {table.setup.seats}")
    return None


def wrong_count(table: Table, item: WrongCount) -> None:
    rule_on(table, wrong_count_ruling(table, item.to, item.cards))


def revealed(table: Table, item: Revealed) -> None:
    """Before the raises are closed it voids; after them cards are shown by rule."""
    if table.state.phase in BEFORE_RAISES and not table.state.round.raises_closed:
        rule_on(table, revealed_ruling(table, item.whose))


REPORTS: Rows = {
    FaceUpCard: row(then=face_up),
    DrawnInError: row(then=drawn_in_error),
    WrongCount: row(place_exists, then=wrong_count),
    Revealed: row(place_exists, then=revealed),
}
REPORT_ROWS: dict[Phase, Rows] = {phase: dict(REPORTS) for phase in IN_ROUND}

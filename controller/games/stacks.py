"""Stacks from the shoe to their positions, and the rest after the last one; shared rows."""

from __future__ import annotations

from collections.abc import Callable

from controller.core.altered import altered
from controller.core.events import Refusal
from controller.core.inputs import Delivered
from controller.core.law import Verdict
from controller.core.seats import DEALER
from controller.core.state import Phase, Round
from controller.core.view import Table
from controller.core.whereabouts import Place
from controller.regions import shoe, testimony, whereabouts
from controller.regions.holds import hold
from controller.regions.irregularity import rule_on
from controller.rules.deal import (
    hands_are_dealt,
    position_of_stack,
    remainder_expected,
    stack_is_outstanding,
    stack_is_whole,
)
from controller.rules.irregularities import (
    ROUND_CHOICES,
    unread,
    wrong_count_ruling,
    wrong_stack_ruling,
)
from controller.rules.shuffle import OUT_OF_SERVICE
from hal.facts import RemainderRemoved, StackDispensed

# One for each position of the widest layout; a shoe that gives more is held long since.
STACKS_WAITING_MAX = 16
# Of a stack whose number nobody goes by: it is for the first position without cards.
NO_NUMBER = 0


def await_stack(table: Table) -> None:
    """Give the shoe the house's patience for its next stack."""
    if table.setup.dispense_timeout_ms is not None and table.state.methods.deal == "auto_shoe":
        table.start_timer(shoe.TIMER, table.setup.dispense_timeout_ms)


# ---- out of the shoe -----------------------------------------------------------------------------
def stack_out(table: Table, item: StackDispensed) -> bool:
    """One stack left the shoe; returns whether it was the last one of the round."""
    shoe.revived(table)
    play, held = table.state.round, play_is_stopped(table)
    number = item.number - play.left_out
    if not _comes_in_turn(table, item):
        set_aside(table, item, number)
        _ask_whose_stack(table, item, play.heard + 1)
    elif held:
        set_aside(table, item, number)
    else:
        table.change("round", heard=max(play.heard, item.number))
        return hand_out(table, item.cards, number, "shoe")
    if held:
        rule_on(table, unread(
            "early_card", f"stack {item.number} left the shoe while play is held",
            ROUND_CHOICES, table.profile.deal.first.cite,
        ))  # fmt: skip
    return False


def _comes_in_turn(table: Table, item: StackDispensed) -> bool:
    """The next number, or one that was left out and whose position still waits for it."""
    play = table.state.round
    if item.number == play.heard + 1:
        return True
    return _came_late(table, item)


def _came_late(table: Table, item: StackDispensed) -> bool:
    play = table.state.round
    missing = stack_is_outstanding(table, item.number - play.left_out)
    return missing and item.number < play.heard


def _ask_whose_stack(table: Table, item: StackDispensed, due: int) -> None:
    """Either its number stands, and the one left out is still to come; or it is the next stack."""
    choices: tuple[str, ...] = ROUND_CHOICES
    if stack_is_outstanding(table, item.number - table.state.round.left_out):
        choices = ("continue", "use_next", "void")
    rule_on(table, unread(
        "out_of_order", f"stack {item.number} came where {due} was due", choices,
        table.profile.deal.first.cite,
    ))  # fmt: skip


def play_is_stopped(table: Table) -> bool:
    """Under a hold, a void, from a shoe in fault or without a record nothing counts as dealt."""
    state = table.state
    shoe_fault = state.methods.deal == "auto_shoe" and state.shoe.health != "ok"
    held = bool(state.holds) or state.void is not None
    return held or shoe_fault or not state.services.may_play


def set_aside(table: Table, item: StackDispensed, number: int) -> None:
    """A stack that was not due waits, face down, until a floorperson lets play go on."""
    play = table.state.round
    testimony.deal(table, ("shoe",), "layout", item.cards)
    # A shoe that lost its place counts from one again; one that gave a stack late does not.
    table.change(
        "round", heard=play.heard if _came_late(table, item) else item.number,
        waiting=(*play.waiting, item.cards)[:STACKS_WAITING_MAX],
        waiting_numbers=(*play.waiting_numbers, number)[:STACKS_WAITING_MAX],
    )  # fmt: skip


# ---- to the positions ----------------------------------------------------------------------------
def deliver_waiting(table: Table, all_dealt: Callable[[Table], None]) -> None:
    """Play goes on: stacks that waited go to their positions, in the order they came."""
    while table.state.phase is Phase.DEAL and table.state.round.waiting:
        if play_is_stopped(table):
            return
        cards, *others = table.state.round.waiting
        number, *numbers = table.state.round.waiting_numbers
        table.change("round", waiting=tuple(others), waiting_numbers=tuple(numbers))
        if hand_out(table, cards, number, "layout"):
            all_dealt(table)


def ask_without_shoe(table: Table) -> None:
    """Hands are still due from a shoe that was taken out of service: the round can only be void.

    A method changes between rounds and a device returns between rounds, so play cannot go on.
    """
    state = table.state
    if state.phase not in (Phase.START, Phase.DEAL) or state.methods.deal != "auto_shoe":
        return
    if state.shoe.health in OUT_OF_SERVICE and state.void is None and not state.holds:
        leaf = table.profile.irregularities.get("shoe_failed")
        hold(
            table, "shoe_failed", "the shoe is out of service and not every hand is dealt",
            ("void",), leaf.rule if leaf is not None else None,
        )  # fmt: skip


def hand_out(table: Table, cards: int, number: int, *sources: Place) -> bool:
    """A position has its cards; a wrong number of them is an irregularity.

    `number` is the stack's; returns whether every position of the round has cards now.
    """
    place = position_of_stack(table, number)
    testimony.deal(table, sources, "hands", cards)
    to = table.state.round.order[place - 1]
    table.put(round=_with_cards(table.state.round, place))
    if not stack_is_whole(table, cards):
        ruling = wrong_stack_ruling(table, to, cards)
        rule_on(table, ruling)
        if ruling.outcome != "use_next":
            return hands_are_dealt(table)
    law = table.profile.deal
    leaf = (law.dealer or law.remainder) if to == DEALER else law.first
    table.emit("round.deal_progress", leaf.rule, stack=place, to=to, cards=cards)
    if hands_are_dealt(table):
        table.cancel_timer(shoe.TIMER)
        return True
    await_stack(table)
    return False


def _with_cards(play: Round, place: int) -> Round:
    ahead = set(play.ahead) | {place}
    due = play.due
    while due in ahead:
        ahead.remove(due)
        due += 1
    return altered(
        play, dealt=play.dealt + 1, ahead=tuple(sorted(ahead)), last=place
    )  # fmt: skip


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
    due = play.order[(min(play.due, len(play.order)) if by_hand else play.last) - 1]
    if item.to != due:
        if by_hand:
            testimony.deal(table, ("shoe",), "layout", item.cards)
        rule_on(table, unread(
            "out_of_order", f"cards went to {item.to} where {due} was due",
            ROUND_CHOICES, table.profile.deal.first.cite,
        ))  # fmt: skip
        return False
    if by_hand:
        # Cards that went to another position are out of the shoe already.
        return hand_out(table, item.cards, NO_NUMBER, "layout", "shoe")
    if not stack_is_whole(table, item.cards):
        rule_on(table, wrong_count_ruling(table, item.to, item.cards))
    return False


# ---- after the last one --------------------------------------------------------------------------
def remainder_out(table: Table, item: RemainderRemoved) -> bool:
    """The rest left the shoe; its count is testimony, and by hand it is counted again.

    Returns whether the shoe's number fits; where it does not, both are on record.
    """
    table.change("round", remainder_cards=item.cards)
    least = remainder_expected(table)
    fits = item.cards is None or least <= item.cards <= least + table.state.round.discarded
    load = table.state.load
    if not fits and load is not None:
        table.emit(
            "deck.count_mismatch", table.profile.deal.remainder.rule, 3, batch=load.batch,
            place="shoe", cards=item.cards, expected=least, got=item.cards,
        )  # fmt: skip
    whereabouts.rest_is_stub(table, item.cards)
    return fits


def surplus_stack(table: Table, item: StackDispensed) -> None:
    """A stack more than there are hands: out of the shoe, or out of the rest that was in it."""
    whereabouts.move(table, ("shoe", "stub"), "layout", item.cards)
    rule_on(table, unread(
        "out_of_order", f"stack {item.number} came after the last hand", ROUND_CHOICES,
        table.profile.deal.first.cite,
    ))  # fmt: skip

"""Stacks leaving the shoe one by one, and what may go wrong with them: rows that games share."""

from __future__ import annotations

from collections.abc import Callable

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
from controller.core.state import IN_ROUND, Cut, Phase, Round
from controller.core.view import Table
from controller.core.whereabouts import Place
from controller.regions import shoe, testimony, whereabouts
from controller.regions.alarms import raise_alarm
from controller.regions.cards import load_candidate, require_shuffle, take_out
from controller.regions.irregularity import rule_on
from controller.regions.proof import round_is_dealt
from controller.rules.deal import (
    bets_can_be_closed,
    hand_has_its_shuffler,
    hands_are_dealt,
    remainder_expected,
    seats_exist,
    somebody_plays,
    stack_is_whole,
    wagered_seats,
)
from controller.rules.irregularities import (
    BEFORE_RAISES,
    ROUND_CHOICES,
    WHILE_DEALING,
    drawn_in_error_ruling,
    face_up_ruling,
    revealed_ruling,
    unread,
    wrong_count_ruling,
    wrong_stack_ruling,
)
from hal.facts import CardDrawn, RemainderRemoved, StackDispensed

# One for each position of the widest layout; a shoe that gives more is held long since.
STACKS_WAITING_MAX = 16
CLOSING = (bets_can_be_closed, hand_has_its_shuffler, seats_exist, somebody_plays)


def open_round(table: Table, item: NoMoreBets) -> None:
    """Bets are closed: the seats of this round are frozen and the round has its number."""
    seats = wagered_seats(table, item)
    table.put(
        round=Round(
            number=table.state.round.number + 1, open=True, seats=seats,
            progressive=tuple(sorted(item.progressive or ())),
            trips=tuple(sorted(item.trips or ())), cut=table.state.round.cut,
            early=table.state.round.early, heard=table.state.round.heard,
            waiting=table.state.round.waiting,
        ),
        occupied=tuple(sorted({*table.state.occupied, *seats})),
        panel_seats=(),
        # Why these cards were cut is history once they are played.
        cut=Cut(),
    )  # fmt: skip
    round_is_dealt(table)
    table.change("session", begun=True, wash_due=False)
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
    due = table.state.round.heard + 1
    if play_is_stopped(table):
        set_aside(table, item)
        rule_on(table, unread(
            "early_card", f"stack {item.number} left the shoe while play is held",
            ROUND_CHOICES, table.profile.deal.first.cite,
        ))  # fmt: skip
        return False
    if item.number != due:
        set_aside(table, item)
        rule_on(table, unread(
            "out_of_order", f"stack {item.number} came where {due} was due",
            ROUND_CHOICES, table.profile.deal.first.cite,
        ))  # fmt: skip
        return False
    table.change("round", heard=item.number)
    return hand_out(table, item.cards, "shoe")


def play_is_stopped(table: Table) -> bool:
    """Under a hold, a void, from a shoe in fault or without a record nothing counts as dealt."""
    state = table.state
    shoe_fault = state.methods.deal == "auto_shoe" and state.shoe.health != "ok"
    held = bool(state.holds) or state.void is not None
    return held or shoe_fault or not state.services.recording


def set_aside(table: Table, item: StackDispensed) -> None:
    """A stack that was not due waits, face down, until a floorperson lets play go on."""
    play = table.state.round
    testimony.deal(table, ("shoe",), "layout", item.cards)
    waiting = (*play.waiting, item.cards)[:STACKS_WAITING_MAX]
    table.change("round", heard=item.number, waiting=waiting)


def deliver_waiting(table: Table, all_dealt: Callable[[Table], None]) -> None:
    """Play goes on: stacks that waited go to the positions that are due, in the order they came."""
    while table.state.phase is Phase.DEAL and table.state.round.waiting:
        if play_is_stopped(table):
            return
        cards, *others = table.state.round.waiting
        table.change("round", waiting=tuple(others))
        if hand_out(table, cards, "layout"):
            all_dealt(table)


def hand_out(table: Table, cards: int, *sources: Place) -> bool:
    """The next position has its cards; a wrong number of them is an irregularity."""
    play = table.state.round
    testimony.deal(table, sources, "hands", cards)
    to = play.order[play.dealt]
    table.change("round", dealt=play.dealt + 1)
    if not stack_is_whole(table, cards):
        ruling = wrong_stack_ruling(table, to, cards)
        rule_on(table, ruling)
        if ruling.outcome != "use_next":
            return hands_are_dealt(table)
    law = table.profile.deal
    leaf = (law.dealer or law.remainder) if to == DEALER else law.first
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
        if by_hand:
            testimony.deal(table, ("shoe",), "layout", item.cards)
        rule_on(table, unread(
            "out_of_order", f"cards went to {item.to} where {due} was due",
            ("continue", "void"), table.profile.deal.first.cite,
        ))  # fmt: skip
        return False
    if by_hand:
        # Cards that went to another position are out of the shoe already.
        return hand_out(table, item.cards, "layout", "shoe")
    if not stack_is_whole(table, item.cards):
        rule_on(table, wrong_count_ruling(table, item.to, item.cards))
    return False


def early_card(table: Table, item: StackDispensed | CardDrawn) -> None:
    """Cards left the shoe before the bets were closed or the start was known: asked, not voided."""
    table.change("round", early=table.state.round.early + 1)
    if isinstance(item, StackDispensed):
        set_aside(table, item)
    choices = ("continue", "void") if table.state.in_round else ("reshuffle", "continue")
    leaf = table.profile.deal.bets_closed_first
    rule_on(table, unread("early_card", "a card left the shoe too early", choices, leaf.cite))


def taken_out(table: Table, item: object) -> None:
    """The cards left the automated shoe before every hand was dealt, or before the bets closed."""
    state = table.state
    if state.load is None:
        return
    if state.methods.deal != "auto_shoe":
        _open_shoe_is_empty(table)
        return
    if state.in_round and state.phase in (Phase.START, Phase.DEAL):
        # If play goes on, the shoe was wrong or they were put back.
        whereabouts.lose_sight_of_deal(table)
        leaf = table.profile.irregularities.get("shoe_failed")
        rule_on(table, unread(
            "shoe_failed", "the cards came out of the shoe before all hands were dealt",
            ("void", "continue"), leaf.cite if leaf is not None else None,
        ))  # fmt: skip
    elif state.phase is Phase.BETS:
        take_out(table)
        require_shuffle(table, "emptied")


def _open_shoe_is_empty(table: Table) -> None:
    """A shoe that the dealer draws from: in a round it says how many cards are left, none."""
    load = table.state.load
    assert load is not None, "only a loaded shoe gets empty"
    if table.state.phase is Phase.PLAY:
        testimony.ask_about_count(table, load.batch, "shoe", 0, ROUND_CHOICES)
    elif not table.state.in_round:
        # Taken out for a spread or a shuffle; what is dealt of them nonetheless cannot be.
        whereabouts.move(table, ("shoe",), "table")


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


def card_without_token(table: Table, item: object) -> None:
    """Cards leave a shoe in which none with a token lie: the gravest case there is."""
    batch = load_candidate(table, None)
    if batch is not None and batch.where != "removed":
        whereabouts.lose_sight_of_batch(table, batch.name)
    rule = table.profile.shuffle.when
    raise_alarm(table, "token_refused", 4, "cards were dealt without a token", rule.rule)
    choices: tuple[str, ...] = ("reshuffle", "remove_deck")
    if table.state.in_round:
        choices = ("continue", "void")
    if table.state.phase is Phase.CLOSED:
        choices = ("continue",)
    rule_on(table, unread("no_token", "cards left the shoe without a token", choices, rule.cite))


def surplus_stack(table: Table, item: StackDispensed) -> None:
    """A stack more than there are hands: out of the shoe, or out of the rest that was in it."""
    whereabouts.move(table, ("shoe", "stub"), "layout", item.cards)
    rule_on(table, unread(
        "out_of_order", f"stack {item.number} came after the last hand", ("continue", "void"),
        table.profile.deal.first.cite,
    ))  # fmt: skip


# ---- reports -------------------------------------------------------------------------------------
def face_up(table: Table, item: FaceUpCard) -> None:
    _found_face_up(table, "dealer")


def card_seen(table: Table, item: CardDrawn) -> None:
    """A shoe with a face sensor tells of a boxed card; what it counts face down is no news."""
    if item.face == "up":
        _found_face_up(table, "shoe")


def _found_face_up(table: Table, witness: str) -> None:
    """Shoe and dealer may tell of the same card: the second word confirms the first."""
    play = table.state.round
    told = (play.face_up_shoe if witness == "shoe" else play.face_up_dealer) + 1
    table.change("round", **{f"face_up_{witness}": told})
    if told <= play.face_up:
        return
    ruling = face_up_ruling(table)
    if table.state.phase in WHILE_DEALING:
        table.change("round", face_up=play.face_up + 1)
    if ruling.outcome == "discard" and table.state.void is None:
        table.change("round", discarded=play.discarded + 1)
        whereabouts.discard(table)
    rule_on(table, ruling)


def drawn_in_error(table: Table, item: DrawnInError) -> None:
    ruling = drawn_in_error_ruling(table, item.exposed)
    if ruling.outcome == "discard" and table.state.void is None:
        table.change("round", discarded=table.state.round.discarded + 1)
        whereabouts.discard(table)
    rule_on(table, ruling)


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
SEEN_ROWS: dict[Phase, Rows] = {phase: {CardDrawn: row(then=card_seen)} for phase in WHILE_DEALING}

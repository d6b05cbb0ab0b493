"""Bets closed, cards that come too early or from nowhere, reports of the dealer; shared rows."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import (
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
from controller.games import stacks
from controller.regions import testimony, whereabouts
from controller.regions.alarms import raise_alarm
from controller.regions.cards import load_candidate, require_shuffle, take_out
from controller.regions.irregularity import rule_on
from controller.regions.proof import round_is_dealt
from controller.rules.deal import (
    bets_can_be_closed,
    bonus_seats,
    hand_has_its_shuffler,
    seats_exist,
    somebody_plays,
    wagered_seats,
)
from controller.rules.irregularities import (
    BEFORE_RAISES,
    ROUND_CHOICES,
    WHILE_DEALING,
    count_is_wrong,
    drawn_in_error_ruling,
    face_up_ruling,
    place_has_a_hand,
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
            progressive=bonus_seats(item, "progressive"),
            trips=bonus_seats(item, "trips"), cut=table.state.round.cut,
            early=table.state.round.early, heard=table.state.round.heard,
            waiting=table.state.round.waiting,
            waiting_numbers=table.state.round.waiting_numbers,
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


# ---- cards that should not have come -------------------------------------------------------------
def early_card(table: Table, item: StackDispensed | CardDrawn) -> None:
    """Cards left the shoe before the bets were closed or the start was known: asked, not voided."""
    play = table.state.round
    table.change("round", early=play.early + 1)
    if isinstance(item, StackDispensed):
        # Before the deal nobody goes by a number that is wrong.
        number = item.number if item.number == play.heard + 1 else stacks.NO_NUMBER
        stacks.set_aside(table, item, number)
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
    WrongCount: row(place_exists, count_is_wrong, then=wrong_count),
    Revealed: row(place_exists, place_has_a_hand, then=revealed),
}
REPORT_ROWS: dict[Phase, Rows] = {phase: dict(REPORTS) for phase in IN_ROUND}
SEEN_ROWS: dict[Phase, Rows] = {phase: {CardDrawn: row(then=card_seen)} for phase in WHILE_DEALING}

"""Presses and the key switch: turned into the commands that they stand for. Pure."""

from __future__ import annotations

from typing import Literal

from controller.core.events import Refusal
from controller.core.inputs import (
    BonusesSettled,
    Burned,
    CallFloor,
    CardsLoaded,
    ConfirmVoid,
    CoverInserted,
    CutMade,
    Done,
    FaceUpCard,
    Inspected,
    NoMoreBets,
    RoundDone,
    Shuffled,
    ShuffleStarted,
    Spread,
    Stacked,
    WagersReturned,
)
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.decisions import key_turned
from controller.rules.out_of_service import is_floor
from hal.facts import Case, Key, Pressed, Stuck

SEAT = "seat_"


def translate(table: Table, item: object) -> object:
    """The command that a press or a `done` stands for; a Refusal where it stands for none."""
    if isinstance(item, Pressed):
        dealer = table.state.session.dealer
        if dealer is None:
            return Refusal(None, "no dealer is signed in; a press has no person")
        table.speak_as("dealer", dealer)
        return _command_of(table, item.button)
    if isinstance(item, Done):
        return _confirmed(table)
    return item


def _command_of(table: Table, button: str) -> object:
    if button == "done":
        return _confirmed(table)
    if button == "no_more_bets":
        return NoMoreBets(seats=table.state.panel_seats)
    if button == "round_done":
        return RoundDone()
    if button == "call_floor":
        return CallFloor()
    if button == "card_up":
        return FaceUpCard()
    seat = button.removeprefix(SEAT)
    if button.startswith(SEAT) and seat.isascii() and seat.isdigit():
        return Toggled(int(seat))
    return Refusal(None, f"the panel has no button {button}")


class Toggled:
    """A seat button: the seat is in the coming round, or no longer."""

    def __init__(self, seat: int) -> None:
        self.seat = seat


def toggle(table: Table, item: Toggled) -> Refusal | None:
    """Seats are picked while the bets are open."""
    if not 1 <= item.seat <= table.setup.seats:
        return Refusal(None, f"this table has seats 1 to {table.setup.seats}")
    if table.state.in_round:
        return Refusal(None, "the bets are closed")
    picked = set(table.state.panel_seats) ^ {item.seat}
    table.put(panel_seats=tuple(sorted(picked)))
    return None


def _confirmed(table: Table) -> object:
    """`done` confirms the step that is prompted."""
    void, phase = table.state.void, table.state.phase
    if void is not None:
        if void.settle and not void.bonuses_settled:
            return BonusesSettled()
        if void.returned_by is None:
            return WagersReturned()
        if void.deck_count_due:
            return Refusal(void.rule, "say how many cards the deck has: deck_counted{cards}")
        if not is_floor(table.role):
            return Refusal(void.rule, "a floorperson confirms the void")
        return ConfirmVoid()
    if Done in table.book.rows.get(phase, {}):
        return Done()
    if phase is Phase.SHUFFLE and table.state.methods.shuffle == "manual":
        return Shuffled() if table.state.cycle.by_hand else ShuffleStarted()
    by_hand = table.state.methods.deal == "hand"
    steps = {
        Phase.OPENING: Inspected(),
        Phase.IDLE: Spread("up" if table.state.session.asked_face_up else "down"),
        Phase.SPREAD: Inspected(),
        Phase.CUT: CutMade(_offered(table)),
        Phase.RESTACK: Stacked(),
        Phase.COVER: CoverInserted(),
        Phase.BURN: Burned(table.state.pack.burn_due),
        Phase.PLAY: RoundDone(),
        Phase.LOAD: CardsLoaded("hand" if by_hand else "shoe"),
        Phase.SETTLE: RoundDone(),
    }
    return steps.get(phase, Refusal(None, "nothing is prompted that done could confirm"))


def _offered(table: Table) -> int | Literal["dealer"]:
    offers = table.state.cut.offers
    return offers[0] if offers and isinstance(offers[0], int) else "dealer"


def key(table: Table, item: Key) -> Refusal | None:
    """The key stands for its holder in the roster."""
    if not item.on:
        return None
    holder = table.setup.keys.get(item.id)
    if holder is None:
        return Refusal(None, f"key {item.id} has no holder in the roster")
    table.speak_as(holder.role, holder.id)
    if not is_floor(holder.role):
        return Refusal(None, f"{holder.id} is {holder.role}; the key is a floorperson's")
    key_turned(table, item)
    return None


def case(table: Table, item: Case) -> None:
    """The case was opened: nobody does that at a table in play. Each start tells how it is."""
    if item.open == table.state.services.case_open:
        return
    table.change("services", case_open=item.open)
    table.emit("case.changed", None, 5 if item.open else 1, open=item.open)
    if item.open:
        raise_alarm(table, "case", 5, "the controller's case is open", live=True)
    else:
        clear_cause(table, "case")


def stuck(table: Table, item: Stuck) -> None:
    table.emit("panel.fault", button=item.button, code="stuck")
    raise_alarm(table, "panel.stuck", 2, f"button {item.button} is stuck")

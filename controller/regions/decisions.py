"""What a floorperson answers: decisions on holds, resume and void, orders, alarms. Pure."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import (
    Acknowledge,
    ConfirmVoid,
    Decide,
    OrderShuffle,
    Resume,
    VoidRound,
    Withdraw,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row, verdict_of
from controller.core.state import Phase
from controller.core.stops import Hold
from controller.core.view import Table
from controller.regions import device, number, record, whereabouts
from controller.regions.alarms import acknowledge, alarm_is_open, clear_cause, unacknowledged
from controller.regions.cards import deck_removed, remove_batch, shuffle_again
from controller.regions.holds import find, hold_offers_choice, offering, release
from controller.regions.irregularity import (
    VOID_ROWS,
    irregularity_is_open,
    void_by_decision,
    withdraw,
)
from controller.regions.methods import return_device
from controller.rules.shuffle import order_waits_for_round_end
from hal.facts import Key

# A stub whose paragraph is unread and that the floorperson accepts as it was counted.
SHOE_CODES = ("shoe_failed", "shoe_silent")
STUB_CODES = ("stub_mismatch",)
# Asked after the round with the cover card, where the house did not say how many rounds follow.
LAST_ROUND = "rounds_after_cover"


def decide(table: Table, item: Decide) -> None:
    one = find(table, item.hold)
    assert one is not None, "the guard found it"
    _answer(table, one, item.choice, item.reason)


def _answer(table: Table, one: Hold, choice: str, reason: str) -> None:
    """Carry a choice out: who decided and why is on record before anything follows."""
    release(table, one)
    table.emit(
        "floor.authorization", one.rule,
        hold=one.id, choice=choice, reason=reason, irregularity=one.irregularity,
    )  # fmt: skip
    if one.code == LAST_ROUND and table.state.load is not None:
        # Shuffled now, the round before was the last; with one more, that one is.
        table.emit("round.last_of_shoe", one.rule)
    if choice == "void":
        if table.state.in_round:
            void_by_decision(table, one, "reshuffle")
            return
        _reshuffle(table, one)
    elif (other := _other_than_played(table, one)) and choice in ("reshuffle", "remove_deck"):
        _other_batch(table, other, choice, one)
    elif choice == "reshuffle":
        _reshuffle(table, one)
    elif choice == "remove_deck":
        if table.state.in_round:
            void_by_decision(table, one, "remove_deck")
            return
        if one.batch is not None:
            remove_batch(table, one.batch, one.rule)
        else:
            deck_removed(table, one.rule)
    elif choice == "return_to_service" and one.device is not None:
        return_device(table, one.device)
    else:
        _go_on(table, one, choice)
    clear_cause(table, f"irregularity.{one.code}")


def _reshuffle(table: Table, one: Hold) -> None:
    if table.state.in_round:
        void_by_decision(table, one, "reshuffle")
        return
    shuffle_again(table, "cover_card" if one.code == LAST_ROUND else one.code, one.rule)


def _other_than_played(table: Table, one: Hold) -> str | None:
    """The batch in question, unless it was loaded meanwhile: then its own cards are in question."""
    load = table.state.load
    return None if load is not None and load.batch == one.batch else one.batch


def _other_batch(table: Table, batch: str, choice: str, one: Hold) -> None:
    """Only the batch in the shuffler is in question; a round in play goes on (ambiguity A14)."""
    if choice == "remove_deck":
        remove_batch(table, batch, one.rule)
    else:
        table.spoil(batch, "no_cycle")


def _go_on(table: Table, one: Hold, choice: str) -> None:
    """Play goes on where it was; an unread duty is waived for this round, and that is recorded."""
    if one.code == "digit" and choice == "discard":
        number.discard_number(table)
    elif one.code == "out_of_order" and choice == "use_next":
        _number_was_left_out(table)
    elif choice == "discard":
        table.change("round", discarded=table.state.round.discarded + 1)
        whereabouts.discard(table)
    if one.code in SHOE_CODES:
        device.works_after_all(table)
    if one.waiver is not None:
        table.put(waived=(*table.state.waived, one.waiver))
    if one.code in STUB_CODES and table.state.phase in (Phase.STUB, Phase.MISDEAL):
        table.change("round", stub_counted=True)
        whereabouts.stub_to_rack(table)
        raises_open = table.state.phase is Phase.MISDEAL and not table.state.round.raises_closed
        table.go(Phase.DECISIONS if raises_open else Phase.SETTLE)


def _number_was_left_out(table: Table) -> None:
    """The stack is the next one, whatever the shoe called it; its numbers count on from there."""
    play = table.state.round
    first = next((number for number in play.waiting_numbers if number > play.due), play.due)
    table.change("round", left_out=play.left_out + first - play.due,
                 waiting_numbers=(0,) * len(play.waiting_numbers))  # fmt: skip


def hold_offers_resume(table: Table, item: Resume) -> Verdict:
    """`resume` answers a hold that offers to go on."""
    one = offering(table, "resume")
    if one is None:
        return Refusal(None, "no open hold offers to resume")
    return _record_is_written(table, one)


def record_is_written(table: Table, item: Decide) -> Verdict:
    """Play that cannot be recorded cannot be let go on either."""
    one = find(table, item.hold)
    return None if one is None or item.choice != "resume" else _record_is_written(table, one)


def _record_is_written(table: Table, one: Hold) -> Verdict:
    if one.code == record.CODE and not table.state.services.recording:
        return Refusal(None, "the record still cannot be written: no record, no deal")
    return None


def hold_offers_void(table: Table, item: VoidRound) -> Verdict:
    """`void` answers a hold that offers it; nobody voids a round at will."""
    if offering(table, "void") is None:
        return Refusal(None, "no open hold offers to void")
    return None


def resume(table: Table, item: Resume) -> None:
    one = offering(table, "resume")
    assert one is not None, "the guard found it"
    _answer(table, one, "resume", item.reason)


def void_round(table: Table, item: VoidRound) -> None:
    one = offering(table, "void")
    assert one is not None, "the guard found it"
    _answer(table, one, "void", item.reason)


# ---- orders --------------------------------------------------------------------------------------
def table_is_open(table: Table, item: OrderShuffle) -> Verdict:
    """Cards are on the table only between its opening and its closing."""
    if table.state.phase is Phase.CLOSED:
        return Refusal(table.profile.shuffle.ordered.rule, "the table is closed")
    return None


def order_shuffle(table: Table, item: OrderShuffle) -> None:
    """At once outside of a round; in a round latched until its end."""
    rule = table.profile.shuffle.ordered.rule
    if order_waits_for_round_end(table):
        table.put(shuffle_ordered=True)
        return
    shuffle_again(table, "floor", rule)


# ---- key switch ----------------------------------------------------------------------------------
def key_turned(table: Table, item: Key) -> None:
    """The key acknowledges what is open and confirms a void that waits for it."""
    for alarm in unacknowledged(table):
        acknowledge(table, Acknowledge(alarm.id))
    if table.state.void is not None:
        confirm = VOID_ROWS[ConfirmVoid]
        if verdict_of(confirm, table, ConfirmVoid()) is None:
            confirm.then(table, ConfirmVoid())


COMMON_ROWS: Rows = {
    Decide: row(hold_offers_choice, record_is_written, then=decide),
    Resume: row(hold_offers_resume, then=resume),
    VoidRound: row(hold_offers_void, then=void_round),
    Withdraw: row(irregularity_is_open, then=withdraw),
    OrderShuffle: row(table_is_open, then=order_shuffle),
    Acknowledge: row(alarm_is_open, then=acknowledge),
}

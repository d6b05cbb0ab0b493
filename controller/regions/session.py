"""Opening and closing, people at the table, a new deck, and the idle spread. Pure."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import (
    Annotate,
    CallFloor,
    Close,
    Inspected,
    NewDeck,
    Open,
    OpeningVerified,
    PlayerArrived,
    PlayerLeft,
    Preshuffled,
    SignIn,
    Stacked,
    Washed,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row
from controller.core.state import Phase, Round, Session
from controller.core.view import Table
from controller.regions import deck_age
from controller.regions.alarms import raise_alarm
from controller.regions.cards import (
    ask_arrival,
    begin_shuffle_step,
    deck_is_missing,
    make_token,
    pass_cut_on,
    require_shuffle,
    spoil_all,
    take_out,
)
from controller.regions.idle import stacked_again, washed
from controller.regions.proof import deck_is_proven, every_deck_is_proven
from controller.regions.whereabouts import declare_decks, lie_open, renew, take_from_shuffler
from controller.rules.opening import (
    SEALS_MAX,
    cards_were_inspected,
    seal_is_new,
    verifier_is_another_person,
)


# ---- opening -----------------------------------------------------------------------------------
def open_table(table: Table, item: Open) -> None:
    seals, dealer = table.state.session.seals, table.state.session.dealer
    table.put(
        session=Session(dealer=dealer, preshuffled=item.preshuffled, seals=seals),
        first_arrival=None,
    )
    spoil_all(table, "no_cycle")
    declare_decks(table)
    lie_open(table)
    # A deck that was taken away before the table closed is replaced first.
    table.go(Phase.DECK if deck_is_missing(table) else Phase.OPENING)
    table.emit("table.opening", table.profile.shuffle.opening.rule, preshuffled=item.preshuffled)


def not_preshuffled(table: Table, item: object) -> Verdict:
    """A table opened for preshuffled cards waits for their seal."""
    if table.state.session.preshuffled:
        rule = table.profile.shuffle.preshuffled_waives.rule
        return Refusal(rule, "opened for preshuffled cards: preshuffled{seal,receipt} comes next")
    return None


def inspected(table: Table, item: Inspected) -> None:
    table.change("session", inspected_by=table.by)


def verified(table: Table, item: OpeningVerified) -> None:
    """Dealer inspected, floorperson verified: the deck is known to be whole."""
    after_idle = table.state.session.after_idle
    _opened(table)
    every_deck_is_proven(table)
    if after_idle:
        table.change("session", wash_due=True)
        table.emit("idle.ended", table.profile.idle.after.rule, path="manual")
        require_shuffle(table, "idle", table.profile.idle.after.rule)
    else:
        require_shuffle(table, "opening")


def preshuffled(table: Table, item: Preshuffled) -> None:
    """A sealed pack stands for inspection, verification and shuffle, once."""
    seals = (*table.state.session.seals, item.seal)[-SEALS_MAX:]
    table.change("session", seals=seals)
    _opened(table)
    begin_shuffle_step(table, "opening")
    name = table.state.batches[0].name
    deck_age.begin(table, only=name)
    deck_is_proven(table, name)
    if table.state.cycle.inside == name:
        table.change("cycle", inside=None)
    table.change_batch(name, where="table")
    take_from_shuffler(table, name, "stack")
    make_token(table, table.state.batches[0], "preshuffled", table.setup.batch_cards)


def _opened(table: Table) -> None:
    after_idle = table.state.session.after_idle
    # What was shuffled before the cards were spread for inspection is shuffled no longer.
    spoil_all(table, "no_cycle")
    lie_open(table)
    table.change("cycle", running=False, number=None, by_hand=False)
    table.change("session", inspected_by=None, preshuffled=False, after_idle=False,
                 asked_face_up=False)  # fmt: skip
    deck_age.begin(table)
    if not after_idle:
        table.emit("table.opened", table.profile.shuffle.opening.rule)


def nothing_is_open(table: Table, item: Close) -> Verdict:
    """A table closes between rounds, with every question answered."""
    if table.state.phase is Phase.CLOSED:
        return Refusal(None, "the table is closed")
    if table.state.in_round or table.state.void is not None:
        return Refusal(None, "a round is open")
    if table.state.holds:
        return Refusal(None, f"hold {table.state.holds[0].id} is open")
    return None


def close(table: Table, item: Close) -> None:
    take_out(table)
    spoil_all(table, "no_cycle")
    table.put(occupied=(), panel_seats=(), recut_back=None, shuffle_ordered=False,
              round=Round(table.state.round.number), waived=())  # fmt: skip
    table.change("cycle", by_hand=False)
    table.go(Phase.CLOSED)
    table.emit("table.closed")


# ---- people ------------------------------------------------------------------------------------
def sign_in(table: Table, item: SignIn) -> None:
    changed = table.state.session.dealer not in (None, item.dealer)
    table.change("session", dealer=item.dealer)
    table.emit("dealer.signed_in", dealer=item.dealer)
    burn = table.profile.burn
    again = burn is not None and burn.on_new_dealer is not None and burn.on_new_dealer.value
    if changed and again and table.state.in_round:
        table.change("pack", burn_owed=True)
    elif changed and again and table.state.phase is Phase.BETS:
        burn_for_new_dealer(table)


def burn_for_new_dealer(table: Table) -> None:
    """Who takes over a shoe burns one card before dealing from it."""
    table.change("pack", burned=0, burn_due=1, burn_owed=False)
    table.go(Phase.BURN)


def seat_exists(table: Table, item: PlayerArrived | PlayerLeft) -> Verdict:
    if item.seat > table.setup.seats:
        return Refusal(None, f"this table has seats 1 to {table.setup.seats}")
    return None


def seat_is_free(table: Table, item: PlayerArrived) -> Verdict:
    if item.seat in table.state.occupied:
        return Refusal(None, f"seat {item.seat} is occupied")
    return None


def seat_is_taken(table: Table, item: PlayerLeft) -> Verdict:
    if item.seat not in table.state.occupied:
        return Refusal(None, f"nobody sits in seat {item.seat}")
    return None


def arrive(table: Table, item: PlayerArrived) -> None:
    table.put(
        occupied=tuple(sorted((*table.state.occupied, item.seat))),
        first_arrival=table.state.first_arrival or item.seat,
    )
    table.emit("player.arrived", seat=item.seat)
    ask_arrival(table, item.seat)


def leave(table: Table, item: PlayerLeft) -> None:
    table.put(
        occupied=tuple(seat for seat in table.state.occupied if seat != item.seat),
        panel_seats=tuple(seat for seat in table.state.panel_seats if seat != item.seat),
    )
    table.emit("player.left", seat=item.seat)
    pass_cut_on(table, item.seat)


def call_floor(table: Table, item: CallFloor) -> None:
    table.emit("floor.called", reason=item.reason)
    raise_alarm(table, "floor_called", 3, item.reason or "the dealer calls the floorperson")


def annotate(table: Table, item: Annotate) -> None:
    table.emit("annotation.added", event=item.event, text=item.text)


# ---- deck --------------------------------------------------------------------------------------
def batch_exists(table: Table, item: NewDeck) -> Verdict:
    if table.batch(item.batch) is None:
        names = " ".join(batch.name for batch in table.state.batches)
        return Refusal(None, f"this table has batches {names}")
    return None


def batch_is_not_being_shuffled(table: Table, item: NewDeck) -> Verdict:
    cycle = table.state.cycle
    if cycle.running and cycle.inside == item.batch:
        return Refusal(None, f"batch {item.batch} is in a running cycle")
    return None


def new_deck(table: Table, item: NewDeck) -> None:
    """A new deck lies on the table: it is inspected and verified like the first one."""
    if table.state.cycle.inside == item.batch:
        table.change("cycle", inside=None)
    table.change_batch(item.batch, token=None, why="no_cycle", where="table")
    renew(table, item.batch, "table")
    deck_age.begin(table, only=item.batch)
    table.emit("deck.changed", table.profile.shuffle.opening.rule,
               batch=item.batch, ids=list(item.ids))  # fmt: skip
    if deck_is_missing(table):
        return
    table.change("session", inspected_by=None)
    table.go(Phase.OPENING)


COMMON_ROWS: Rows = {
    SignIn: row(then=sign_in),
    PlayerArrived: row(seat_exists, seat_is_free, then=arrive),
    PlayerLeft: row(seat_exists, seat_is_taken, then=leave),
    CallFloor: row(then=call_floor),
    Annotate: row(then=annotate),
    Close: row(nothing_is_open, then=close),
}
NEW_DECK = row(batch_exists, batch_is_not_being_shuffled, then=new_deck)
OPENING_ROWS: dict[Phase, Rows] = {
    Phase.CLOSED: {Open: row(then=open_table)},
    Phase.OPENING: {
        Inspected: row(not_preshuffled, then=inspected),
        OpeningVerified: row(
            not_preshuffled, cards_were_inspected, verifier_is_another_person, then=verified
        ),
        Preshuffled: row(seal_is_new, then=preshuffled),
        Washed: row(then=washed),
        Stacked: row(then=stacked_again),
        NewDeck: NEW_DECK,
    },
    # Cards may be changed before they are too old: while none lies in a shoe.
    Phase.SHUFFLE: {NewDeck: NEW_DECK},
    Phase.DECK: {NewDeck: NEW_DECK},
}

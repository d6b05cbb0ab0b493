"""Where the cards are between two rounds: required, shuffled, cut, loaded. Pure.

One token links them: made by a good cycle or a hand shuffle, spent when the cards are loaded.
"""

from __future__ import annotations

from typing import Literal

from controller.core.seats import DEALER
from controller.core.state import Batch, Cut, Load, Phase, Round, Shoe, Token
from controller.core.view import Table
from controller.regions.alarms import raise_alarm
from controller.regions.holds import hold
from controller.regions.proof import deck_is_proven
from controller.regions.whereabouts import gather, renew, take_down
from controller.rules.batches import batch_was_just_played, deck_is_too_old
from controller.rules.cut import cut_offers, offers_with_arrival
from controller.rules.exemption import device_is_approved
from controller.rules.idle import batches_were_exchanged
from controller.rules.shuffle import (
    cut_is_required,
    load_is_refused_because,
)
from controller.rules.stub import shuffle_proves_the_deck

# Reasons that ask for the missing step, not for a new shuffle.
STEP_MISSING = ("not_cut", "not_checked")
# Inspection, spread and a new deck are never skipped by a call for a shuffle, which they lead to.
BEFORE_SHUFFLE = (
    Phase.CLOSED, Phase.OPENING, Phase.IDLE, Phase.SPREAD, Phase.WASH, Phase.DECK,
)  # fmt: skip
# Phases that stand on a token which waits outside of the shuffler.
ON_TOKEN = (Phase.CUT, Phase.RESTACK, Phase.COVER, Phase.LOAD)
# Phases between a shuffle's cause and the load that it is for.
BEFORE_LOAD = (Phase.SHUFFLE, Phase.CHECK, *ON_TOKEN)


def require_shuffle(table: Table, reason: str, rule: str | None = None) -> None:
    """No card is dealt until a token lies on the table."""
    begin_shuffle_step(table, reason)
    leaf = table.profile.shuffle.when
    table.emit("shuffle.required", rule or leaf.rule, reason=reason)


def begin_shuffle_step(table: Table, reason: str) -> None:
    """The procedure stands before its shuffle; why decides whom the cut is offered to first.

    A shuffle that has to be run again, or is put off for a new deck, keeps its first cause.
    """
    cut = Cut() if reason == "floor" else Cut(origin="other")
    if reason in ("opening", "idle") and not table.state.session.begun:
        cut = Cut(origin="first_arrival")
    elif reason != "floor" and table.state.phase in (*BEFORE_SHUFFLE, *BEFORE_LOAD):
        cut = Cut(origin=table.state.cut.origin, seat=table.state.cut.seat)
    table.put(recut_back=None, shuffle_ordered=False, round=Round(table.state.round.number),
              cut=cut)  # fmt: skip
    table.change("cycle", by_hand=False)
    table.go(Phase.SHUFFLE)


def shuffle_again(table: Table, reason: str, rule: str | None = None) -> None:
    """What lies ready is shuffled anew; a step that comes before the shuffle anyway stays due."""
    take_out(table)
    spoil_all(table, "no_cycle")
    phase = table.state.phase
    if phase not in BEFORE_SHUFFLE:
        require_shuffle(table, reason, rule)
    elif phase is not Phase.CLOSED:
        leaf = table.profile.shuffle.when
        table.emit("shuffle.required", rule or leaf.rule, reason=reason)


def spoil_all(table: Table, why: str) -> None:
    """Every batch outside of a running cycle loses its token."""
    for batch in table.state.batches:
        if batch.where != "removed":
            table.spoil(batch.name, why)


def make_token(
    table: Table, batch: Batch, method: str, cards: int | None, cycle: int | None = None
) -> None:
    """These cards are shuffled: cut them where the paragraph says so, then load them."""
    needed = cut_is_required(table, method)
    token = Token(method, cards, cycle, "needed" if needed else "none")
    table.change_batch(batch.name, token=token, why="no_cycle")
    if method != "device":
        gather(table, batch.name, "stack")
    table.emit(
        "token.made", table.profile.shuffle.when.rule, batch=batch.name, method=method, cards=cards
    )
    if method == "device" and shuffle_proves_the_deck(table, cards):
        deck_is_proven(table, batch.name)


def advance(table: Table) -> None:
    """Once a token lies outside of the shuffler the procedure leaves the shuffle by itself."""
    _token_is_gone(table)
    if table.state.phase is Phase.SHUFFLE and deck_is_missing(table):
        table.go(Phase.DECK)
    if table.state.phase not in (Phase.SHUFFLE, Phase.WASH):
        return
    batch = table.ready_batch()
    if batch is None:
        return
    if table.state.phase is Phase.WASH:
        if not (table.state.session.stacked and batches_were_exchanged(table, batch)):
            return
        table.emit("idle.ended", table.profile.idle.after.rule, path="stored_batch")
        table.put(cut=Cut(origin="first_arrival"))
        table.go(Phase.SHUFFLE)
    assert batch.token is not None, "a ready batch has a token"
    if batch.token.cut == "needed":
        table.change("round", cut=False)
        offer_cut(table, cut_offers(table))
    else:
        table.change("round", cut=batch.token.cut == "made")
        table.go(Phase.LOAD)


def _token_is_gone(table: Table) -> None:
    """The cards that a step waits for were spoiled, or went back into the shuffler."""
    state = table.state
    if state.phase is Phase.UNLOAD:
        batch = table.batch(state.load.batch) if state.load is not None else None
        lost = batch is None or batch.token is None
    else:
        lost = state.phase in ON_TOKEN and table.ready_batch() is None
    if not lost:
        return
    if not state.in_round:
        why = next((one.why for one in state.batches if one.token is None), "no_cycle")
        take_out(table)
        require_shuffle(table, why)
        return
    hold(
        table, "no_token", "the cards of this round lost the proof of their shuffle", ("void",),
        table.profile.shuffle.when.rule,
    )  # fmt: skip


def offer_cut(table: Table, offers: tuple[int | str, ...]) -> None:
    """Offer the cut to the first of those entitled; the others follow as they refuse."""
    table.go(Phase.CUT)
    table.change("cut", offers=offers)
    law = table.profile.cut
    # A cause that (c) does not name is read as an order of the floorperson (A3b).
    origin = table.state.cut.origin.replace("other", "floor")
    if law.by.value == DEALER or law.first is None:
        origin = DEALER
    elif law.first.value != "cause":
        origin = law.first.value
    table.emit("cut.offered", law.by.rule, to=offers[0], origin=origin)


def ask_arrival(table: Table, seat: int) -> None:
    """A player who comes while the stack is offered is asked as well."""
    if table.state.phase is not Phase.CUT:
        return
    offers = offers_with_arrival(table, seat)
    if offers[0] != table.state.cut.offers[0]:
        offer_cut(table, offers)
    else:
        table.change("cut", offers=offers)


def pass_cut_on(table: Table, seat: int) -> None:
    """A player who left is asked no more: the cut is offered to the next one entitled."""
    offers = table.state.cut.offers
    asked = table.state.phase is Phase.CUT and offers[:1] == (seat,)
    # The first of them has cut already unless he is being asked; who follows him counts on.
    kept = (*offers[:1], *(place for place in offers[1:] if place != seat))
    if asked:
        offer_cut(table, kept[1:] or (DEALER,))
    else:
        table.change("cut", offers=kept)


def load_candidate(table: Table, name: str | None) -> Batch | None:
    """The batch that a load means: the one named, else the one with a token, else the only one."""
    if name is not None:
        return table.batch(name)
    with_token = (one for one in table.state.batches if one.token and not one.token.spent)
    return next(with_token, table.state.batches[0])


def load_seen(table: Table, name: str | None, cards: int | None, into: str, witness: str) -> None:
    """A load was reported by a device or, after the guard, by the dealer."""
    load = table.state.load
    if load is not None and load.witness != witness and not load.confirmed:
        _second_witness(table, load, name, cards)
        return
    batch = load_candidate(table, name)
    reason = load_is_refused_because(table, batch, cards)
    recut = table.state.recut_back is not None
    if reason is None and ((table.state.in_round and not recut) or load is not None):
        reason = "unknown_state"
    if reason is None and table.state.phase in BEFORE_SHUFFLE:
        # A shuffle before the inspection proves nothing: the cards are spread in between.
        reason = "unknown_state"
    if reason is not None:
        refuse_token(table, reason, name if batch is None else batch.name, cards)
        return
    assert batch is not None, "a load without reason has a batch"
    assert batch.token is not None, "a load without reason has a token"
    table.change_token(batch, spent=True)
    table.change_batch(batch.name, where="shoe")
    gather(table, batch.name, "shoe", ("stack", "table", "unknown", "shuffler"))
    if table.state.cycle.inside == batch.name:
        table.change("cycle", inside=None)
    table.emit("token.spent", table.profile.shuffle.when.rule, batch=batch.name,
               method=batch.token.method)  # fmt: skip
    back = table.state.recut_back
    if back is None:
        table.counted("shoes")
    known = cards if cards is not None else batch.token.cards
    exempt = batch.token.cut == "none" and device_is_approved(table)
    table.put(load=Load(batch.name, into, witness, known, exempt=exempt), recut_back=None)
    table.emit("shoe.loaded", table.profile.shuffle.when.rule, batch=batch.name, cards=known)
    table.put(pack=Shoe(burn_due=_burn_due(table)))
    if deck_is_too_old(table, batch):
        leaf = table.profile.cards.deck_change_hours
        hold(
            table, "deck_change", f"batch {batch.name} is too old for a new shoe",
            ("remove_deck",), leaf.rule if leaf is not None else None,
        )  # fmt: skip
    _other_deck(table, batch)
    burns = table.profile.burn is not None and not device_is_approved(table)
    table.go(back or (Phase.BURN if burns else Phase.BETS))


def _other_deck(table: Table, batch: Batch) -> None:
    """After a void by 687a.13(f) another deck than the one dealt from was loaded (A30)."""
    rested = table.state.rested
    table.put(rested=None)
    if rested in (None, batch.name) or table.profile.readings.taken("other_deck_next") == "use":
        return
    leaf = table.profile.irregularities.get("shoe_failed")
    hold(
        table, "other_deck", f"batch {rested} of the void round is not the one loaded",
        ("continue", "reshuffle"), leaf.rule if leaf is not None else None,
    )  # fmt: skip


def _burn_due(table: Table) -> int:
    return 0 if table.profile.burn is None else table.profile.burn.on_load.value


def _second_witness(table: Table, load: Load, name: str | None, cards: int | None) -> None:
    differs = (name not in (None, load.batch)) or (
        cards is not None and load.cards is not None and cards != load.cards
    )
    table.change("load", confirmed=True)
    if cards is not None:
        take_down(table, load.batch, "shoe", cards)
    if differs:
        hold(
            table, "load_differs", "shoe and dealer report different loads",
            ("continue", "reshuffle"), table.profile.shuffle.when.rule,
        )  # fmt: skip


def refuse_token(table: Table, reason: str, batch: str | None, cards: int | None) -> None:
    """Cards went into the shoe that no token proves: the red light that cannot be ignored."""
    rule = table.profile.shuffle.when.rule
    played = table.batch(batch)
    if played is not None and batch_was_just_played(table, played):
        leaf = table.profile.cards.alternation
        table.emit("batch.conflict", leaf.rule if leaf else rule, batch=batch, reason="just_played")
    table.emit("token.refused", rule, reason=reason, batch=batch, cards=cards)
    raise_alarm(table, "token_refused", 4, f"cards loaded without a token: {reason}", rule)
    if reason in STEP_MISSING:
        return
    if table.state.in_round:
        hold(
            table, "no_token", f"cards were loaded in a round: {reason}", ("continue", "void"), rule
        )
        return
    if table.state.load is not None:
        take_out(table)
    table.spoil(batch, reason)
    if table.state.phase not in BEFORE_SHUFFLE:
        require_shuffle(table, reason, rule)


def take_out(table: Table) -> None:
    """The cards of the load lie on the table again; their token is gone."""
    load = table.state.load
    if load is not None:
        inside = table.state.cycle.inside == load.batch
        where: Literal["shuffler", "table"] = "shuffler" if inside else "table"
        table.change_batch(load.batch, token=None, why="already_spent", where=where)
        gather(table, load.batch, where)
        table.put(load=None, last_batch=load.batch, pack=Shoe())


def finish_round_cards(table: Table) -> None:
    """After a round its cards are no longer shuffled."""
    take_out(table)


def deck_is_missing(table: Table) -> bool:
    """A batch left the table and none came in its place."""
    return any(batch.where == "removed" for batch in table.state.batches)


def deck_removed(table: Table, rule: str | None, played: str | None = None) -> None:
    """The whole deck leaves the table; nothing is dealt before a new one is inspected.

    It is the batch `played`, else the one that is loaded, else the last that was: with two batches
    the other one may lie on the table as well.
    """
    load = table.state.load
    last = table.batch(table.state.last_batch)
    if last is not None and last.where not in ("table", "shoe"):
        last = None
    name = played or (load.batch if load is not None else None) or (last.name if last else None)
    lies = (one.name for one in table.state.batches if one.where in ("table", "shoe"))
    remove_batch(table, name or next(lies, table.state.batches[0].name), rule)


def remove_batch(table: Table, name: str, rule: str | None) -> None:
    """One batch leaves the table."""
    if table.state.cycle.inside == name:
        table.change("cycle", inside=None, running=False)
    load = table.state.load
    table.change_batch(name, token=None, why="no_cycle", where="removed")
    renew(table, name, "removed")
    table.emit("deck.removed", rule, batch=name)
    if load is not None and load.batch != name:
        if table.state.in_round:
            # The round is played with the other batch; the gap is filled when it is over.
            return
        # It comes out for the inspection that follows, and was the last one played.
        take_out(table)
    table.put(load=None, recut_back=None)
    if table.state.phase is not Phase.CLOSED:
        table.go(Phase.DECK)

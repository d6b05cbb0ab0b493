"""From the shuffle to the loaded cards, and recut and idle on the way: rows that games share."""

from __future__ import annotations

from controller.core.book import Step
from controller.core.events import Refusal
from controller.core.inputs import (
    CardsLoaded,
    CoverInserted,
    CutMade,
    CutRefused,
    DeckCounted,
    Done,
    Feathered,
    Idle,
    OrderRecut,
    Shuffled,
    ShuffleStarted,
    Stacked,
    Washed,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row
from controller.core.seats import DEALER
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions import shoe, testimony
from controller.regions.cards import (
    advance,
    load_candidate,
    load_seen,
    make_token,
    offer_cut,
    require_shuffle,
)
from controller.regions.idle import IDLE_ROW, stacked_again, washed
from controller.regions.whereabouts import gather, take_from_shuffler
from controller.rules.cut import (
    cover_is_deep_enough,
    cut_is_deep_enough,
    cutter_was_offered,
    dealer_cuts,
    recut_cutters,
    recut_is_by_one_entitled,
    recut_window_is_open,
    seat_was_offered,
)
from controller.rules.idle import cards_were_washed_again
from controller.rules.shuffle import (
    batch_for_the_hand,
    hand_shuffle_began,
    hand_shuffles_the_whole_deck,
    load_is_refused_because,
    shuffle_is_by_hand,
)
from hal.facts import Emptied, ShoeLoaded


# ---- hand shuffle ------------------------------------------------------------------------------
def begin_shuffle(table: Table, item: ShuffleStarted) -> None:
    batch = batch_for_the_hand(table).name
    if table.state.cycle.inside == batch:
        # A hand took the cards out of a shuffler that could not give them back.
        table.change("cycle", inside=None, running=False)
    table.change_batch(batch, token=None, why="incomplete", where="table")
    take_from_shuffler(table, batch, "table")
    table.change("cycle", by_hand=True)
    table.change("session", wash_due=False)
    table.emit("shuffle.started", table.profile.shuffle.when.rule, method="manual", batch=batch)


def end_shuffle(table: Table, item: Shuffled) -> None:
    """The dealer says it is done; where the stack stays feathered the floorperson looks first."""
    batch = batch_for_the_hand(table)
    table.change("cycle", by_hand=False)
    rule = table.profile.shuffle.when.rule
    table.emit("shuffle.completed", rule, method="manual", batch=batch.name)
    check = table.profile.shuffle.feather_check
    if check is not None and check.value:
        # A load before the check lacks the check, not the shuffle.
        table.spoil(batch.name, "not_checked")
        table.go(Phase.CHECK)
        return
    make_token(table, batch, "manual", None)


def feathered(table: Table, item: Feathered) -> None:
    """The floorperson saw the feathered stack: even is a token, uneven is shuffled again."""
    check = table.profile.shuffle.feather_check
    rule = check.rule if check is not None else None
    table.emit("floor.feather_check", rule, even=item.even)
    if not item.even:
        require_shuffle(table, "feathered", rule)
        return
    table.go(Phase.SHUFFLE)
    make_token(table, batch_for_the_hand(table), "manual", None)


def deck_counted(table: Table, item: DeckCounted) -> None:
    """The dealer counted what a hand shuffle is to mix."""
    testimony.whole_deck(table, batch_for_the_hand(table).name, item.cards)


# ---- cut ---------------------------------------------------------------------------------------
def cut(table: Table, item: CutMade) -> None:
    batch = table.ready_batch()
    assert batch is not None, "the cut follows a token"
    if _after_cut(table) is Phase.LOAD:
        table.change_token(batch, cut="made")
    table.change("round", cut=True)
    table.change("cut", cutter=item.cutter)
    table.emit("cut.made", table.profile.cut.cards_min_top.rule, cutter=item.cutter,
               from_top=item.from_top)  # fmt: skip
    table.go(_after_cut(table))


def _after_cut(table: Table) -> Phase:
    law = table.profile.cut
    if law.restack is not None and law.restack.value:
        return Phase.RESTACK
    return Phase.COVER if law.cover_min_part or law.cover_min_cards else Phase.LOAD


def refuse_cut(table: Table, item: CutRefused) -> None:
    """The next one entitled is asked; where no player is left, the dealer cuts."""
    table.emit("cut.refused", table.profile.cut.by.rule, seat=item.seat)
    offer_cut(table, table.state.cut.offers[1:] or (DEALER,))


def restacked(table: Table, item: Stacked) -> None:
    table.go(Phase.COVER)


def cover(table: Table, item: CoverInserted) -> None:
    leaf = table.profile.cut.cover_min_part or table.profile.cut.cover_min_cards
    rule = leaf.rule if leaf is not None else table.profile.cut.by.rule
    batch = table.ready_batch()
    assert batch is not None, "the cover card follows a cut"
    # Only now may the stack be loaded: a load before it lacks a step of the cut.
    table.change_token(batch, cut="made")
    table.emit("cover.inserted", rule, from_bottom=item.from_bottom)
    table.go(Phase.LOAD)


def order_recut(table: Table, item: OrderRecut) -> None:
    """Cut again: from the stack at once, from the shoe once the cards are out."""
    cutter = item.cutter or recut_cutters(table)[0]
    table.emit("cut.recut_ordered", table.profile.cut.recut_window.rule,
               cutter=cutter, reason=item.reason)  # fmt: skip
    if table.state.load is not None:
        table.put(recut_back=table.state.phase)
        table.go(Phase.UNLOAD)
        return
    batch = table.ready_batch()
    assert batch is not None, "before the load the token is unspent"
    table.change_token(batch, cut="needed")
    offer_cut(table, _from(table, cutter))


def _from(table: Table, cutter: int | str) -> tuple[int | str, ...]:
    """The rotation from a cutter on; who is not in it is asked first and the rotation follows."""
    offers = table.state.cut.offers
    return offers[offers.index(cutter) :] if cutter in offers else (cutter, *offers)


def unloaded(table: Table, item: object) -> None:
    """The cards are out: their token counts as unspent again and the cut follows."""
    load = table.state.load
    assert load is not None, "only loaded cards come out"
    batch = table.batch(load.batch)
    assert batch is not None, "loaded cards have a batch"
    if batch.token is None:
        # They went into the shuffler: a hold asks what becomes of the round.
        return
    table.change_batch(batch.name, where="stack")
    gather(table, batch.name, "stack")
    table.change_token(table.batch(batch.name) or batch, spent=False, cut="needed")
    table.put(load=None)
    law = table.profile.start_position
    if law is not None and law.redraw.value and table.state.recut_back is Phase.DEAL:
        # A7, the other reading: cards that lie differently take a new position.
        table.change("round", start=None, order=())
        table.put(recut_back=Phase.START)
    table.emit("token.made", table.profile.cut.recut_window.rule, batch=batch.name, method="recut")
    offer_cut(table, (DEALER,))


# ---- load --------------------------------------------------------------------------------------
def load_has_token(table: Table, item: CardsLoaded) -> Verdict:
    """A dealer's load without a token is refused, so that nothing is dealt from it."""
    load = table.state.load
    if load is not None and load.witness != "dealer" and not load.confirmed:
        return None
    rule = table.profile.shuffle.when.rule
    if load is not None:
        return Refusal(rule, "the cards are loaded")
    reason = load_is_refused_because(table, load_candidate(table, item.batch), item.cards)
    return None if reason is None else Refusal(rule, f"no token for these cards: {reason}")


def load_fits_method(table: Table, item: CardsLoaded) -> Verdict:
    """Cards go where the dealing method needs them."""
    into = "hand" if table.state.methods.deal == "hand" else "shoe"
    if item.into != into:
        return Refusal(table.profile.deal.methods.rule, f"cards are dealt from the {into}")
    return None


def dealer_loaded(table: Table, item: CardsLoaded) -> None:
    load_seen(table, item.batch, item.cards, item.into, "dealer")


def shoe_loaded(table: Table, item: ShoeLoaded) -> None:
    shoe.revived(table)
    if table.state.recut_back is not None and table.state.phase is Phase.UNLOAD:
        # Loaded again without the cut that was ordered.
        unloaded(table, item)
    load_seen(table, item.batch, item.cards, "shoe", "shoe")


# ---- rows --------------------------------------------------------------------------------------
LOADED = row(load_fits_method, load_has_token, then=dealer_loaded)
RECUT = row(recut_window_is_open, recut_is_by_one_entitled, then=order_recut)

ROWS: dict[Phase, Rows] = {
    Phase.SHUFFLE: {
        ShuffleStarted: row(
            shuffle_is_by_hand, cards_were_washed_again, hand_shuffles_the_whole_deck,
            then=begin_shuffle,
        ),
        DeckCounted: row(shuffle_is_by_hand, then=deck_counted),
        Shuffled: row(shuffle_is_by_hand, hand_shuffle_began, then=end_shuffle),
        Washed: row(then=washed),
        Stacked: row(then=stacked_again),
        CardsLoaded: LOADED,
        Idle: IDLE_ROW,
        OrderRecut: RECUT,
    },
    Phase.CHECK: {Feathered: row(then=feathered)},
    Phase.CUT: {
        CutMade: row(dealer_cuts, cutter_was_offered, cut_is_deep_enough, then=cut),
        CutRefused: row(seat_was_offered, then=refuse_cut),
        CardsLoaded: LOADED,
        OrderRecut: RECUT,
        Idle: IDLE_ROW,
    },
    Phase.RESTACK: {Stacked: row(then=restacked), OrderRecut: RECUT, Idle: IDLE_ROW},
    Phase.COVER: {
        CoverInserted: row(cover_is_deep_enough, then=cover),
        OrderRecut: RECUT,
        Idle: IDLE_ROW,
    },
    Phase.UNLOAD: {Emptied: row(then=unloaded), Done: row(then=unloaded), OrderRecut: RECUT},
    Phase.LOAD: {CardsLoaded: LOADED, OrderRecut: RECUT, Idle: IDLE_ROW},
    Phase.BETS: {CardsLoaded: LOADED, OrderRecut: RECUT, Idle: IDLE_ROW},
}  # fmt: skip

STEPS: dict[Phase, Step] = {
    Phase.CLOSED: Step("open", "floorperson", "Open the table", ("shuffle", "cut", "load", "bets",
                       "start", "deal"), lambda p: p.shuffle.opening.rule),
    Phase.OPENING: Step("inspect", "dealer", "Inspect the cards; a floorperson verifies them",
                        ("shuffle", "cut", "load", "bets", "start", "deal"),
                        lambda p: p.shuffle.opening.rule),
    Phase.IDLE: Step("spread", "dealer", "Take the cards out of shoe and rack and spread them",
                     ("shuffle", "cut", "load", "bets", "start", "deal"),
                     lambda p: p.idle.spread.rule),
    Phase.SPREAD: Step("inspect", "dealer", "Let the first player look at the cards",
                       ("shuffle", "cut", "load", "bets", "start", "deal"),
                       lambda p: p.idle.spread.rule),
    Phase.DECK: Step("new_deck", "floorperson", "The deck left the table; bring a new one",
                     ("shuffle", "cut", "load", "bets", "start", "deal"),
                     lambda p: p.shuffle.opening.rule),
    Phase.SHUFFLE: Step("shuffle", "dealer", "Shuffle the cards",
                        ("cut", "load", "bets", "start", "deal"), lambda p: p.shuffle.when.rule),
    Phase.CHECK: Step("check", "floorperson", "Check the feathered stack",
                      ("cut", "load", "bets", "start", "deal"), lambda p: p.shuffle.when.rule),
    Phase.CUT: Step("cut", "dealer", "Offer the cut to {cutter}", ("load", "bets", "start", "deal"),
                    lambda p: p.cut.by.rule),
    Phase.WASH: Step("wash", "dealer", "Wash and stack the cards, or swap with the stored batch",
                     ("cut", "load", "bets", "start", "deal"), lambda p: p.idle.after.rule),
    Phase.RESTACK: Step("stack", "dealer", "Put the cards above the cover card to the bottom",
                        ("load", "bets", "start", "deal"), lambda p: p.cut.cards_min_top.rule),
    Phase.COVER: Step("cover", "dealer", "Insert the cover card, {least} cards or more up",
                      ("load", "bets", "start", "deal"),
                      lambda p: (p.cut.cover_min_part or p.cut.cover_min_cards or p.cut.by).rule),
    Phase.UNLOAD: Step("unload", "dealer", "Take the cards out of the shoe for the recut",
                       ("load", "bets", "start", "deal"), lambda p: p.cut.recut_window.rule),
    Phase.LOAD: Step("load", "dealer", "Load the cards", ("bets", "start", "deal"),
                     lambda p: p.shuffle.when.rule),
}  # fmt: skip

__all__ = ["LOADED", "RECUT", "ROWS", "STEPS", "advance", "shoe_loaded"]

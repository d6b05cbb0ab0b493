"""The cut: who makes it and how deep, and when it may be ordered again."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import CoverInserted, CutMade, CutRefused, OrderRecut
from controller.core.law import Verdict, broken
from controller.core.seats import DEALER, Place, counter_clockwise_from, highest_printed
from controller.core.state import Phase
from controller.core.view import Table
from controller.rules.exemption import applies
from controller.rules.registry import rule


@rule("CUT-BY-DEALER", cites=("659a.5(c)",))
def dealer_cuts(table: Table, item: CutMade) -> Verdict:
    """Where the dealer cuts, nobody else does."""
    leaf = table.profile.cut.by
    if leaf.value == DEALER and item.cutter != DEALER:
        return broken(leaf, "the dealer cuts the cards", "cut_by")
    return None


@rule(
    "CUT-ORDER",
    cites=("633a.5(b)", "633a.5(c)(1)", "633a.5(c)(2)", "633a.5(c)(3)", "633a.5(c)(4)",
           "627a.5(b)"),
)  # fmt: skip
def cut_offers(table: Table) -> tuple[Place, ...]:
    """Who is asked to cut, in turn: by the cause of the shuffle or the layout, the dealer last."""
    seats, occupied = table.setup.seats, table.state.occupied
    law = table.profile.cut
    if law.by.value == DEALER or law.first is None:
        return (DEALER,)
    if law.first.value == "highest_number":
        if not occupied:
            return (DEALER,)
        begin = highest_printed(occupied, table.setup.numbering)
        ring = _clockwise_from(begin, seats)
    else:
        # (c)(3) and (4) begin far right; the cover card's seat and the first arrival before them.
        cut, readings = table.state.cut, table.profile.readings
        seat = table.state.first_arrival if cut.origin == "first_arrival" else cut.seat
        unnamed = seat is None and cut.origin not in ("floor", "cover_dealer")
        if unnamed and readings.taken("cut_other_cause") == DEALER:
            return (DEALER,)
        ring = counter_clockwise_from(seat or seats, seats)
        if seat is not None and readings.taken("cut_rotation") == "clockwise":
            ring = _clockwise_from(seat, seats)
    return (*(seat for seat in ring if seat in occupied), DEALER)


@rule("CUT-ARRIVAL", cites=("633a.5(b)", "633a.5(c)(1)", "627a.5(b)"))
def offers_with_arrival(table: Table, seat: int) -> tuple[Place, ...]:
    """Who sits down while the stack is offered is asked too: in his turn, or before the dealer."""
    cut = table.state.cut
    if table.profile.cut.by.value == DEALER or cut.cutter is not None:
        # A cut that is made again stays among those who were entitled to it.
        return cut.offers
    asked, *others = cut.offers
    players = cut_offers(table)[:-1]
    if not players:
        # Another reading of A3b has the dealer cut, whoever sits there.
        return cut.offers
    if asked == DEALER:
        return (seat, DEALER)
    turn = players.index(asked)
    ring = (*players[turn + 1 :], *players[:turn])
    return (asked, *(place for place in ring if place in (*others, seat)), DEALER)


def _clockwise_from(seat: int, seats: int) -> tuple[int, ...]:
    return (*range(seat, seats + 1), *range(1, seat))


@rule("CUT-OFFERED", cites=("633a.5(b)", "627a.5(b)"))
def cutter_was_offered(table: Table, item: CutMade) -> Verdict:
    """The cut is made by the position that it is offered to now."""
    offers = table.state.cut.offers
    leaf = table.profile.cut.by
    if leaf.value != DEALER and offers and item.cutter != offers[0]:
        return broken(leaf, f"the cut is offered to {_named(offers[0])} now", "cut_by")
    return None


@rule("CUT-REFUSED", cites=("633a.5(b)", "627a.5(b)"))
def seat_was_offered(table: Table, item: CutRefused) -> Verdict:
    """Only the player who is asked can refuse; nobody may refuse for the dealer."""
    offers = table.state.cut.offers
    if not offers or item.seat != offers[0]:
        asked = _named(offers[0]) if offers else "nobody"
        return Refusal(table.profile.cut.by.rule, f"the cut is offered to {asked} now")
    return None


def _named(place: Place) -> str:
    return f"seat {place}" if isinstance(place, int) else f"the {place}"


@rule("COVER-DEPTH", cites=("633a.5(d)", "627a.5(d)"))
def cover_is_deep_enough(table: Table, item: CoverInserted) -> Verdict:
    """The cover card goes in at least a quarter, or a number of cards, above the bottom (A5)."""
    law = table.profile.cut
    leaf = law.cover_min_part or law.cover_min_cards
    if leaf is None or item.from_bottom is None:
        return None
    cards = table.setup.batch_cards
    least = -(-cards // leaf.value) if law.cover_min_part is not None else leaf.value
    if not least <= item.from_bottom <= cards:
        return broken(
            leaf, f"cover card {item.from_bottom} above the bottom, {least} at least", "cover_depth"
        )
    return None


@rule("CUT-DEPTH", cites=("633a.5(d)", "627a.5(c)", "659a.5(c)"))
def cut_is_deep_enough(table: Table, item: CutMade) -> Verdict:
    """A cut leaves the lawful number of cards above the cover card, and below it where stated."""
    if item.from_top is None:
        return None
    top, bottom = table.profile.cut.cards_min_top, table.profile.cut.cards_min_bottom
    below = table.setup.batch_cards - item.from_top
    if item.from_top < top.value:
        return broken(top, f"cut {item.from_top} cards from the top, {top.value} at least",
                      "cut_depth")  # fmt: skip
    if below < bottom.value or below < 0:
        return broken(bottom, f"cut {below} cards from the bottom, {max(bottom.value, 0)} at least",
                      "cut_depth")  # fmt: skip
    return None


BEFORE_LOAD = (Phase.RESTACK, Phase.COVER, Phase.LOAD)


@rule("RECUT-WINDOW", cites=("633a.5(e)", "627a.5(e)", "659a.5(d)"))
def recut_window_is_open(table: Table, item: OrderRecut) -> Verdict:
    """A recut may be ordered after the cut, until the load or until the first card is dealt."""
    leaf = table.profile.cut.recut_window
    if not applies(table, leaf.cite):
        exemption = table.profile.exemption
        assert exemption is not None, "only an exemption switches a paragraph off"
        return Refusal(exemption.disables.rule, "the approved device switches the recut off")
    if not table.state.round.cut:
        return Refusal(leaf.rule, "the cards of this round were not cut")
    if leaf.value == "load":
        if table.state.load is None and table.state.phase not in BEFORE_LOAD:
            return Refusal(leaf.rule, "there is no cut to repeat now")
        if table.state.phase not in BEFORE_LOAD:
            return Refusal(leaf.rule, "the cards are in the shoe; the recut window is closed")
        return None
    undealt = table.state.phase is Phase.DEAL and table.state.round.dealt == 0
    if table.state.phase not in (Phase.LOAD, Phase.BETS, Phase.START) and not undealt:
        if table.state.in_round:
            return Refusal(leaf.rule, "the first card of the round was dealt")
        return Refusal(leaf.rule, "there is no cut to repeat now")
    if table.state.round.early:
        return Refusal(leaf.rule, "a card has left the shoe")
    return None


@rule("RECUT-BY", cites=("633a.5(e)", "627a.5(e)", "659a.5(d)"))
def recut_is_by_one_entitled(table: Table, item: OrderRecut) -> Verdict:
    """Cut again by the last cutter or the next entitled, as the game has it; dealer by dealer."""
    entitled = recut_cutters(table)
    if item.cutter is not None and item.cutter not in entitled:
        names = " or ".join(_named(place) for place in entitled)
        return Refusal(table.profile.cut.recut_window.rule, f"the recut is for {names}")
    return None


def recut_cutters(table: Table) -> tuple[Place, ...]:
    """Who may cut again, the usual one first."""
    law, cut = table.profile.cut, table.state.cut
    last = cut.cutter
    if law.by.value == DEALER or last is None or last == DEALER:
        return (DEALER,)
    following = cut.offers[1:] or (DEALER,)
    if law.recut_by is not None and law.recut_by.value == "next":
        return (following[0],)
    if last not in table.state.occupied:
        return (following[0],)
    return (last, following[0])

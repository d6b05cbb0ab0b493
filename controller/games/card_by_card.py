"""Games dealt card by card from a shoe: burn, rounds, cover card, end of the shoe; shared rows."""

from __future__ import annotations

from controller.core.book import Step
from controller.core.inputs import (
    Burned,
    CoverCardOut,
    FirstCard,
    NoMoreBets,
    OrderRecut,
    RoundDone,
)
from controller.core.law import Verdict
from controller.core.machine import Rows, row
from controller.core.state import Cut, Phase, Round
from controller.core.view import Table
from controller.core.whereabouts import Place
from controller.games import dealing, pipeline, stacks
from controller.regions import testimony, whereabouts
from controller.regions.alarms import raise_alarm
from controller.regions.cards import finish_round_cards, require_shuffle
from controller.regions.decisions import LAST_ROUND
from controller.regions.holds import hold
from controller.regions.irregularity import rule_on
from controller.regions.session import burn_for_new_dealer
from controller.rules.burn import burn_is_right, cards_were_burned, law_of
from controller.rules.end_of_shoe import rounds_after_cover, shoe_ends_because
from controller.rules.irregularities import ROUND_CHOICES, unread
from controller.rules.order_check import exposed, looks_unshuffled
from hal.facts import CardDrawn, CoverCardSeen


# ---- cards leaving the shoe --------------------------------------------------------------------
def card_out(table: Table, item: CardDrawn, to: Place) -> None:
    """Count a card, look at its order where it is exposed, and at whether there can be so many."""
    table.change("pack", cards_out=table.state.pack.cards_out + 1)
    before = looks_unshuffled(table)
    table.put(pack=exposed(table.state.pack, item))
    if looks_unshuffled(table) and not before:
        _pack_order(table)
    testimony.deal(table, ("shoe",), to, 1)


def _pack_order(table: Table) -> None:
    """The red light that nobody may ignore: no more cards until a floorperson has looked."""
    rule, text = table.profile.shuffle.when.rule, "exposed cards come out in pack order"
    raise_alarm(table, "unshuffled_pack", 4, text, rule)
    choices = ("continue", "void") if table.state.in_round else ("continue", "reshuffle")
    hold(table, "unshuffled_pack", text, choices, rule)


def early_card(table: Table, item: CardDrawn) -> None:
    card_out(table, item, "layout")
    dealing.early_card(table, item)


def played_card(table: Table, item: CardDrawn) -> None:
    """A card that leaves while play is held is told of, as a stack is at the poker games."""
    stopped = stacks.play_is_stopped(table)
    card_out(table, item, "hands")
    table.change("round", cards=table.state.round.cards + 1)
    if stopped:
        rule_on(table, unread(
            "early_card", "a card left the shoe while play is held", ROUND_CHOICES,
            table.profile.deal.first.cite,
        ))  # fmt: skip


# ---- burn ----------------------------------------------------------------------------------------
def burn_card(table: Table, item: CardDrawn) -> None:
    card_out(table, item, "burned")
    table.change("pack", burned=table.state.pack.burned + 1)


def burned(table: Table, item: Burned) -> None:
    """The dealer says how many went to the rack, the exposed first one included."""
    rule = law_of(table).on_load.rule
    whereabouts.burn_is_stated(table, item.cards)
    if burn_is_right(table, item):
        table.emit("burn.completed", rule, cards=item.cards)
    else:
        pack = table.state.pack
        got = item.cards if item.cards != pack.burn_due else pack.burned
        table.emit("burn.mismatch", rule, cards=got, expected=pack.burn_due, got=got)
        rule_on(table, unread(
            "burn_mismatch", f"{got} cards burned, {pack.burn_due} expected",
            ("continue", "reshuffle"), law_of(table).on_load.cite,
        ))  # fmt: skip
    table.go(Phase.BETS)


def first_card_ignored(table: Table, item: FirstCard) -> None:
    """A house that burns a fixed number may still name the card; nothing follows from it."""


# ---- rounds --------------------------------------------------------------------------------------
def close_bets(table: Table, item: NoMoreBets) -> None:
    dealing.open_round(table, item)
    table.go(Phase.PLAY)


def close_after_burn(table: Table, item: NoMoreBets) -> None:
    """The shoe counted the burn out itself; where a floorperson waived it, none is claimed."""
    pack = table.state.pack
    if pack.burned == pack.burn_due:
        table.emit("burn.completed", law_of(table).on_load.rule, cards=pack.burned)
    close_bets(table, item)


def cover_seen(table: Table, item: CoverCardSeen) -> None:
    """Latched at the sensor; where it came out the dealer says, at the latest with the round."""
    if table.state.pack.cover_seen:
        # Seen again, or the one below it: the rounds that are left are counted from the first.
        return
    table.change("pack", cover_seen=True, rounds_left=rounds_after_cover(table))


def position_exists(table: Table, item: CoverCardOut) -> Verdict:
    return dealing.place_at_table(table, item.where)


def cover_out(table: Table, item: CoverCardOut) -> None:
    pack = table.state.pack
    if pack.cover_told:
        if pack.cover_where != item.where:
            hold(
                table, "cover_differs", "the cover card was reported in two places",
                ("continue",), _end_rule(table),
            )  # fmt: skip
        return
    if not pack.cover_seen:
        table.change("pack", cover_seen=True, rounds_left=rounds_after_cover(table))
    table.change("pack", cover_where=item.where)
    _cover_known(table, item.where)


def _cover_known(table: Table, where: int | str | None) -> None:
    rule = _end_rule(table)
    table.change("pack", cover_told=True)
    table.emit("shoe.cover_card_out", rule, where=where)
    # Where the house did not say how many rounds follow, a floorperson's answer says it.
    if table.state.pack.rounds_left == 0:
        table.emit("round.last_of_shoe", rule)


def _end_rule(table: Table) -> str:
    law = table.profile.end_of_shoe
    return law.reached.rule if law is not None else table.profile.shuffle.when.rule


def complete_round(table: Table, item: RoundDone) -> None:
    """The round is over; the shoe goes on, or its cards are shuffled."""
    pack = table.state.pack
    if pack.cover_seen and not pack.cover_told:
        _cover_known(table, None)
    table.emit("round.completed", table.profile.shuffle.when.rule)
    whereabouts.hands_to_rack(table)
    table.put(round=Round(number=table.state.round.number), waived=())
    table.go(Phase.BETS)
    _end_shoe(table)
    if table.state.pack.burn_owed:
        burn_for_new_dealer(table)


def _end_shoe(table: Table) -> None:
    pack = table.state.pack
    reason = shoe_ends_because(table)
    if reason is not None and pack.cover_seen and pack.rounds_left is None and reason != "floor":
        # How many rounds may follow is the house's own submission; unset, a person says.
        hold(
            table, LAST_ROUND, "was this the last round, or does one more follow?",
            ("reshuffle", "continue"), _end_rule(table),
        )  # fmt: skip
        table.change("pack", rounds_left=0)
        return
    if reason is None:
        if pack.cover_seen:
            table.change("pack", rounds_left=(pack.rounds_left or 0) - 1)
            table.emit("round.last_of_shoe", _end_rule(table))
        return
    where = pack.cover_where
    finish_round_cards(table)
    ordered = table.profile.shuffle.ordered.rule
    require_shuffle(table, reason, _end_rule(table) if reason == "cover_card" else ordered)
    if reason == "cover_card" and where is not None:
        seat = where if isinstance(where, int) else None
        origin = "cover_seat" if seat is not None else "cover_dealer"
        table.put(cut=Cut(origin=origin, seat=seat))


CLOSING = (cards_were_burned, *dealing.CLOSING)
COVER = row(position_exists, then=cover_out)
CLOSE = row(*CLOSING, then=close_after_burn)
OPEN_BETS = row(*dealing.CLOSING, then=close_bets)
ROWS: dict[Phase, Rows] = {
    Phase.BURN: {
        CardDrawn: row(then=burn_card),
        Burned: row(then=burned),
        FirstCard: row(then=first_card_ignored),
        NoMoreBets: CLOSE,
        CoverCardSeen: row(then=cover_seen),
        CoverCardOut: COVER,
        **pipeline.ROWS[Phase.BETS],
    },
    Phase.BETS: {
        NoMoreBets: OPEN_BETS,
        CardDrawn: row(then=early_card),
        CoverCardSeen: row(then=cover_seen),
        CoverCardOut: COVER,
    },
    Phase.PLAY: {
        CardDrawn: row(then=played_card),
        CoverCardSeen: row(then=cover_seen),
        CoverCardOut: COVER,
        RoundDone: row(then=complete_round),
        OrderRecut: pipeline.RECUT,
    },
}

STEPS: dict[Phase, Step] = {
    **pipeline.STEPS,
    Phase.BURN: Step("burn", "dealer", "Burn the first cards", ("bets", "deal"),
                     lambda p: p.burn.on_load.rule if p.burn else ""),
    Phase.BETS: Step("no_more_bets", "dealer", "Close the bets", ("deal",),
                     lambda p: p.deal.bets_closed_first.rule),
    Phase.PLAY: Step("round_done", "dealer", "Deal and settle the round", (),
                     lambda p: p.deal.first.rule),
}  # fmt: skip

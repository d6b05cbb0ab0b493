"""The cut: who makes it and how deep, and when it may be ordered again."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import CutMade, OrderRecut
from controller.core.law import Verdict, broken
from controller.core.seats import DEALER
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


@rule("CUT-DEPTH", cites=("659a.5(c)",))
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


@rule("RECUT-WINDOW", cites=("659a.5(d)",))
def recut_window_is_open(table: Table, item: OrderRecut) -> Verdict:
    """A recut may be ordered after this round's cut and before the first card is dealt."""
    leaf = table.profile.cut.recut_window
    if not applies(table, leaf.cite):
        exemption = table.profile.exemption
        assert exemption is not None, "only an exemption switches a paragraph off"
        return Refusal(exemption.disables.rule, "the approved device switches the recut off")
    if not table.state.round.cut:
        return Refusal(leaf.rule, "the cards of this round were not cut")
    undealt = table.state.phase is Phase.DEAL and table.state.round.dealt == 0
    if table.state.phase not in (Phase.LOAD, Phase.BETS, Phase.START) and not undealt:
        if table.state.in_round:
            return Refusal(leaf.rule, "the first card of the round was dealt")
        return Refusal(leaf.rule, "there is no cut to repeat now")
    if table.state.round.early:
        return Refusal(leaf.rule, "a card has left the shoe")
    return None


@rule("RECUT-BY", cites=("659a.5(d)",))
def recut_is_by_dealer(table: Table, item: OrderRecut) -> Verdict:
    """Where the dealer had cut, the dealer cuts again."""
    if table.profile.cut.by.value == DEALER and item.cutter not in (None, DEALER):
        return Refusal(table.profile.cut.recut_window.rule, "the dealer cuts again")
    return None

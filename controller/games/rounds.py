"""The end of a round and the stub: rows that games dealt from one deck share."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import RaisesClosed, RoundDone, Stub
from controller.core.law import Ask, Verdict
from controller.core.state import Round
from controller.core.view import Table
from controller.regions import whereabouts
from controller.regions.cards import finish_round_cards, require_shuffle
from controller.regions.proof import deck_is_proven
from controller.rules.shuffle import shuffle_follows_round
from controller.rules.stub import stub_count_is_due, stub_expected, stub_leaf


def stub_was_counted(table: Table, item: RoundDone | RaisesClosed) -> Verdict:
    """A stub that is due is counted before play goes on; where its text is unread, ask."""
    leaf = table.profile.stub.policy
    if not stub_count_is_due(table) or "stub" in table.state.waived:
        return None
    if leaf.verified:
        return Refusal(leaf.rule, "count the stub first: stub{cards}")
    return Ask(leaf.rule, "the stub was not counted", "stub")


def stub_can_be_counted(table: Table, item: Stub) -> Verdict:
    """A stub is counted once a round."""
    if table.state.round.stub_counted:
        return Refusal(table.profile.stub.policy.rule, "the stub of this round was counted")
    return None


def count_stub(table: Table, item: Stub) -> bool:
    """Record the count against what must be there; returns whether it fits."""
    expected = stub_expected(table)
    good = item.cards == expected
    table.emit(
        "stub.count_result", stub_leaf(table, good).rule, None if good else 3,
        expected=expected, got=item.cards, ok=good,
    )  # fmt: skip
    whereabouts.stub_is_counted(table, item.cards)
    table.change("round", stub_counted=good)
    if good:
        whereabouts.stub_to_rack(table)
        deck_is_proven(table)
    return good


def complete_round(table: Table, item: RoundDone) -> None:
    """Wagers are settled: the round is over and its cards are shuffled again."""
    table.emit("round.completed", table.profile.shuffle.when.rule)
    ordered = table.state.shuffle_ordered
    finish_round_cards(table)
    table.put(round=Round(number=table.state.round.number), waived=())
    if shuffle_follows_round(table):
        require_shuffle(table, "floor" if ordered else "round")

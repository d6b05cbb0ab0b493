"""The stub: when it is counted, what it must hold, and what a wrong count means."""

from __future__ import annotations

from controller.core.inputs import Misdeal
from controller.core.law import Lawful
from controller.core.view import Table
from controller.rules.registry import rule


@rule("STUB-DUE", cites=("687a.10(d)", "687a.9(f)", "687a.8"))
def stub_count_is_due(table: Table) -> bool:
    """The stub is counted at least once in five rounds, unless a counting shuffler proved it."""
    law = table.profile.stub
    if table.state.round.stub_counted:
        return False
    if law.policy.value == "every_round":
        return True
    return law.rounds_max is not None and table.state.unproven_rounds >= law.rounds_max.value


@rule("STUB-COUNTER", cites=("687a.10(d)",))
def shuffle_proves_the_deck(table: Table, cards: int | None) -> bool:
    """A shuffler that counted the whole deck after this shuffle stands for the stub count."""
    law = table.profile.stub
    exempt = law.exempt_if_counting is not None and law.exempt_if_counting.value
    return exempt and cards == table.setup.batch_cards and table.setup.shuffler.counts


@rule("STUB-EXPECTED", cites=("687a.10(d)", "687a.10(e)", "687a.9(e)", "687a.9(f)", "659a.10"))
def stub_expected(table: Table) -> int:
    """The deck less every hand, the extra card and the cards in the discard rack."""
    law, play = table.profile.stub, table.state.round
    if law.exact is not None:
        return law.exact.value - play.discarded
    hands = len(play.order) * table.profile.deal.stack_cards.value
    return table.setup.batch_cards - hands - int(play.extra) - play.discarded


def stub_leaf(table: Table, good: bool) -> Lawful[str] | Lawful[int]:
    """The leaf whose paragraph a stub result cites."""
    law = table.profile.stub
    leaf = law.good if good else law.bad
    if leaf is not None:
        return leaf
    assert law.exact is not None, "a stub policy without outcomes checks an exact count"
    return law.exact


@rule("STUB-MISDEAL", cites=("687a.10(f)",))
def deck_leaves_the_table(table: Table, item: Misdeal) -> bool:
    """Only a misdeal with the whole deck still there keeps the deck (ambiguity A9)."""
    if item.misdealt and item.total != table.setup.batch_cards:
        return table.profile.readings.taken("misdeal_of_another_total") == "remove_deck"
    return not item.misdealt

"""Opening a table: two people look at the cards, or a sealed pack stands for both."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import OpeningVerified, Preshuffled
from controller.core.law import Verdict
from controller.core.view import Table
from controller.rules.registry import rule

# Enough for years of openings; the oldest seals are long destroyed by then.
SEALS_MAX = 4096


@rule("OPEN-INSPECT", cites=("633a.4", "627a.4", "659a.4(c)", "687a.4"))
def cards_were_inspected(table: Table, item: OpeningVerified) -> Verdict:
    """The dealer looks at the cards before the floorperson verifies them."""
    if table.state.session.inspected_by is None:
        leaf = table.profile.shuffle.opening
        return Refusal(leaf.rule, "the dealer has not inspected the cards yet")
    return None


@rule("OPEN-TWO-PEOPLE", cites=("633a.4", "627a.4", "659a.4(c)", "687a.4"))
def verifier_is_another_person(table: Table, item: OpeningVerified) -> Verdict:
    """The person who verifies the cards is not the one who inspected them."""
    if table.state.session.inspected_by == table.by:
        leaf = table.profile.shuffle.opening
        return Refusal(leaf.rule, f"{table.by} inspected the cards; another person verifies them")
    return None


@rule("PRESHUFFLED-SEAL", cites=("633a.5(a)", "627a.5(a)", "659a.5(a)", "687a.5"))
def seal_is_new(table: Table, item: Preshuffled) -> Verdict:
    """A sealed pack stands for inspection and shuffle once, at its first opening."""
    leaf = table.profile.shuffle.preshuffled_waives
    if not table.state.session.preshuffled:
        return Refusal(leaf.rule, "the table was not opened for preshuffled cards")
    if item.seal in table.state.session.seals:
        return Refusal(leaf.rule, f"seal {item.seal} was opened before")
    return None

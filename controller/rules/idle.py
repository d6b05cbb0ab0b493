"""An open table without gaming: how the cards are spread, and how they come back into play."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import Idle, ShuffleStarted, Spread, Stacked
from controller.core.law import Verdict, broken
from controller.core.state import Batch
from controller.core.view import Table
from controller.rules.exemption import applies
from controller.rules.registry import rule


@rule("IDLE-EXEMPT", cites=("633a.5(h)", "659a.5(f)"))
def table_may_idle(table: Table, item: Idle) -> Verdict:
    """The spread belongs to an open table without gaming, unless a device switches it off."""
    exemption = table.profile.exemption
    if exemption is not None and not applies(table, table.profile.idle.spread.cite):
        return Refusal(exemption.disables.rule, "the approved device switches the idle spread off")
    return None


@rule("IDLE-FACE", cites=("633a.5(g)", "627a.5(g)", "659a.5(e)"))
def face_is_as_asked(table: Table, item: Spread) -> Verdict:
    """Face down, unless a player asked for face up."""
    asked = "up" if table.state.session.asked_face_up else "down"
    if item.face != asked:
        return broken(table.profile.idle.spread, f"the cards are spread face {asked}", "spread")
    return None


@rule("IDLE-WASH", cites=("633a.5(g)(1)", "627a.5(g)"))
def spread_cards_were_washed(table: Table, item: Stacked) -> Verdict:
    """Without a shuffler the cards are washed before they are stacked."""
    if table.state.methods.shuffle == "manual" and not table.state.session.washed:
        return broken(table.profile.idle.after, "the cards were not washed", "wash")
    return None


@rule("IDLE-OPENING-WASH", cites=("659a.5(e)", "659a.4(c)", "687a.5"))
def cards_were_washed_again(table: Table, item: ShuffleStarted) -> Verdict:
    """Where an idle spread ends in the opening's steps, the hand shuffles washed, stacked cards."""
    session = table.state.session
    if session.wash_due and not (session.washed and session.stacked):
        leaf = table.profile.shuffle.opening
        return broken(leaf, "the cards were spread: they are washed and stacked first", "wash")
    return None


@rule("IDLE-STORED", cites=("633a.5(g)(2)",))
def stored_batch_serves(table: Table) -> bool:
    """The one batch stored in the shuffler need not be spread or shuffled, unless a player asks."""
    leaf = table.profile.idle.stored_batch
    return (
        leaf is not None
        and leaf.value
        and table.state.methods.shuffle == "device"
        and table.setup.shuffler.stores_one_batch
        and not table.state.session.asked_spread
        and any(one.where == "shuffler" and one.token for one in table.state.batches)
    )


@rule("IDLE-EXCHANGED", cites=("633a.5(g)(2)",))
def batches_were_exchanged(table: Table, stored: Batch) -> bool:
    """The stored batch is played once the spread cards are in the shuffler in its place."""
    return all(
        one.where in ("shuffler", "removed")
        for one in table.state.batches
        if one.name != stored.name
    )


@rule("IDLE-ASKED", cites=("633a.5(g)(2)",))
def other_batch_is_spread_too(table: Table) -> bool:
    """A player who asks after the look has the batch of the shuffler spread as well."""
    leaf = table.profile.idle.stored_batch
    return (
        leaf is not None
        and leaf.value
        and table.state.methods.shuffle == "device"
        and any(one.where == "shuffler" for one in table.state.batches)
    )

"""An open table without gaming: cards spread, looked at, and back by one of two ways. Pure."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import (
    AskedFaceUp,
    AskedSpread,
    Idle,
    Inspected,
    Spread,
    Stacked,
    Washed,
)
from controller.core.law import Verdict, broken
from controller.core.machine import Rows, row
from controller.core.state import Phase, Round
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.cards import require_shuffle, take_out
from controller.regions.whereabouts import lie_open
from controller.rules.exemption import applies

TIMER = "idle"
WITHOUT_GAMING = (Phase.SHUFFLE, Phase.CUT, Phase.LOAD, Phase.BURN, Phase.BETS)


def table_may_idle(table: Table, item: Idle) -> Verdict:
    """The spread belongs to an open table without gaming, unless a device switches it off."""
    exemption = table.profile.exemption
    if exemption is not None and not applies(table, table.profile.idle.spread.cite):
        return Refusal(exemption.disables.rule, "the approved device switches the idle spread off")
    return None


def watch(table: Table) -> None:
    """Time runs while bets could be placed and nobody plays; the house says how long is idle."""
    state, after_ms = table.state, table.setup.idle_after_ms
    if after_ms is None:
        return
    waiting = not state.in_round and state.phase in WITHOUT_GAMING
    if not waiting:
        table.cancel_timer(TIMER)
    elif TIMER not in state.timers:
        table.start_timer(TIMER, after_ms)


def fired(table: Table) -> None:
    """The dealer decides whether there is no gaming activity: the text gives no time (A24)."""
    rule = table.profile.idle.spread.rule
    raise_alarm(table, TIMER, 2, "no round for long: spread the cards if nobody plays", rule)


def idle(table: Table, item: Idle) -> None:
    take_out(table)
    keep = table.profile.idle.stored_batch
    for batch in table.state.batches:
        stored = keep is not None and keep.value and batch.where == "shuffler"
        if not stored and batch.where != "removed":
            table.spoil(batch.name, "no_cycle")
    lie_open(table)
    table.put(recut_back=None, shuffle_ordered=False, first_arrival=None,
              round=Round(table.state.round.number))  # fmt: skip
    table.change("cycle", by_hand=False)
    clear_cause(table, TIMER)
    table.change("session", asked_face_up=False, asked_spread=False, washed=False, stacked=False,
                 begun=False)  # fmt: skip
    table.go(Phase.IDLE)


def asked_face_up(table: Table, item: AskedFaceUp) -> None:
    table.change("session", asked_face_up=True)


def face_is_as_asked(table: Table, item: Spread) -> Verdict:
    """Face down, unless a player asked for face up."""
    asked = "up" if table.state.session.asked_face_up else "down"
    if item.face != asked:
        return broken(table.profile.idle.spread, f"the cards are spread face {asked}", "spread")
    return None


def spread(table: Table, item: Spread) -> None:
    table.emit("idle.spread", table.profile.idle.spread.rule, face=item.face)
    table.go(Phase.SPREAD)


def looked_at(table: Table, item: Inspected) -> None:
    """The first player had a chance to look: the opening's steps come again."""
    table.emit("idle.inspected", table.profile.idle.spread.rule)
    if "opening" not in table.profile.idle.after.value:
        table.go(Phase.WASH)
        return
    table.change("session", after_idle=True, inspected_by=table.by)
    table.go(Phase.OPENING)


def asked_spread(table: Table, item: AskedSpread) -> None:
    table.change("session", asked_spread=True)


def stored_batch_serves(table: Table) -> bool:
    """633a.5(g)(2): the batch stored in the shuffler need not be spread unless a player asks."""
    leaf = table.profile.idle.stored_batch
    return (
        leaf is not None
        and leaf.value
        and table.state.methods.shuffle == "device"
        and table.setup.shuffler.stores_one_batch
        and not table.state.session.asked_spread
        and any(one.where == "shuffler" and one.token for one in table.state.batches)
    )


def washed(table: Table, item: Washed) -> None:
    table.change("session", washed=True)


def washed_by_hand(table: Table, item: Stacked) -> Verdict:
    """Without a shuffler the cards are washed before they are stacked."""
    if table.state.methods.shuffle == "manual" and not table.state.session.washed:
        return broken(table.profile.idle.after, "the cards were not washed", "wash")
    return None


def stacked(table: Table, item: Stacked) -> None:
    """Swapped with the stored batch where that is lawful, shuffled otherwise."""
    table.change("session", stacked=True)
    if stored_batch_serves(table):
        return
    for batch in table.state.batches:
        if batch.where != "removed":
            table.spoil(batch.name, "no_cycle")
    rule = table.profile.idle.after.rule
    table.emit("idle.ended", rule, path="manual")
    require_shuffle(table, "idle", rule)


IDLE_ROWS: dict[Phase, Rows] = {
    Phase.IDLE: {
        AskedSpread: row(then=asked_spread),
        AskedFaceUp: row(then=asked_face_up),
        Spread: row(face_is_as_asked, then=spread),
    },
    Phase.SPREAD: {
        AskedFaceUp: row(then=asked_face_up),
        Spread: row(face_is_as_asked, then=spread),
        AskedSpread: row(then=asked_spread),
        Inspected: row(then=looked_at),
    },
    Phase.WASH: {
        AskedSpread: row(then=asked_spread),
        Washed: row(then=washed),
        Stacked: row(washed_by_hand, then=stacked),
    },
}
IDLE_ROW = row(table_may_idle, then=idle)

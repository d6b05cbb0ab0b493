"""An open table without gaming: cards spread, looked at, and back by one of two ways. Pure."""

from __future__ import annotations

from controller.core.inputs import (
    AskedFaceUp,
    AskedSpread,
    Idle,
    Inspected,
    Spread,
    Stacked,
    Washed,
)
from controller.core.machine import Rows, row
from controller.core.state import Phase, Round
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.cards import require_shuffle, take_out
from controller.regions.whereabouts import lie_open
from controller.rules.idle import (
    face_is_as_asked,
    other_batch_is_spread_too,
    spread_cards_were_washed,
    stored_batch_serves,
    table_may_idle,
)

TIMER = "idle"
WITHOUT_GAMING = (Phase.SHUFFLE, Phase.CUT, Phase.LOAD, Phase.BURN, Phase.BETS)


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
                 wash_due=False, begun=False)  # fmt: skip
    table.go(Phase.IDLE)


def asked_face_up(table: Table, item: AskedFaceUp) -> None:
    table.change("session", asked_face_up=True)


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
    """Asked before the look, one spread shows both batches."""
    table.change("session", asked_spread=True)


def asked_after_look(table: Table, item: AskedSpread) -> None:
    """What lies in the shuffler comes out and is spread and looked at before it is shuffled."""
    asked_spread(table, item)
    if other_batch_is_spread_too(table):
        table.change("session", washed=False, stacked=False)
        table.go(Phase.IDLE)


def washed(table: Table, item: Washed) -> None:
    table.change("session", washed=True)


def stacked_again(table: Table, item: Stacked) -> None:
    """Part of the opening's steps, which an idle spread repeats in some games."""
    table.change("session", stacked=True)


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
        AskedSpread: row(then=asked_after_look),
        Washed: row(then=washed),
        Stacked: row(spread_cards_were_washed, then=stacked),
    },
}
IDLE_ROW = row(table_may_idle, then=idle)

"""The shoe as a device: jams, stops, losses; what its cards mean is the procedure's. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller.core.machine import Move
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions import device
from controller.regions.alarms import raise_alarm
from controller.regions.holds import hold
from controller.regions.irregularity import rule_on
from controller.regions.whereabouts import lose_sight_of_deal
from controller.rules.irregularities import shoe_failed_ruling
from hal import facts

NAME = "shoe"
TIMER = "dispense"
DEALING = (
    Phase.START,
    Phase.DEAL,
    Phase.PLAY,
    Phase.REMAINDER,
    Phase.EXTRA,
    Phase.STUB,
    Phase.MISDEAL,
)


def shoe_failed(table: Table, cause: str) -> None:
    """687a.13(f) in a round that is being dealt; otherwise a fault that shuts the bets."""
    leaf = table.profile.irregularities.get("shoe_failed")
    rule = leaf.rule if leaf is not None else table.profile.out_of_service.cover_or_sign.rule
    table.cancel_timer(TIMER)
    device.fail(table, NAME, cause, rule)
    if table.state.phase in DEALING and table.state.in_round:
        rule_on(table, shoe_failed_ruling(table, cause))
    else:
        device.alarm_fault(table, NAME, cause, rule)


def jam(table: Table, item: facts.Jam) -> None:
    table.change(NAME, jammed=True)
    shoe_failed(table, "jam")


def jam_cleared(table: Table, item: facts.JamCleared) -> None:
    table.change(NAME, jammed=False)
    if not table.state.shoe.faults:
        device.restore(table, NAME)


def stopped(table: Table, item: facts.Stopped) -> None:
    shoe_failed(table, "stop")


def incomplete(table: Table, item: facts.Incomplete) -> None:
    shoe_failed(table, "not_all_dealt")


def revived(table: Table) -> None:
    """A shoe that stopped and takes or gives cards again works; one that is jammed does not."""
    if not table.state.shoe.jammed and not table.state.shoe.faults:
        device.restore(table, NAME)


def timed_out(table: Table) -> None:
    """No stack within the house's patience: the text names a stop, a person says whether it is."""
    if table.state.phase is Phase.DEAL and table.state.in_round:
        leaf = table.profile.irregularities.get("shoe_failed")
        hold(
            table, "shoe_silent", "the shoe has not dealt for too long", ("void", "continue"),
            leaf.rule if leaf is not None else None,
        )  # fmt: skip


def watch(table: Table) -> None:
    """The house's patience runs while a stack is due, and anew once play goes on after a hold."""
    state, patience_ms = table.state, table.setup.dispense_timeout_ms
    if patience_ms is None:
        return
    due = state.in_round and state.phase is Phase.DEAL and state.methods.deal == "auto_shoe"
    if not due or state.holds or state.void is not None:
        table.cancel_timer(TIMER)
    elif TIMER not in state.timers:
        table.start_timer(TIMER, patience_ms)


def _not_known(table: Table, code: str, reason: str) -> None:
    """Cards may have left the shoe unseen: a partial round is never called whole."""
    rule = table.profile.out_of_service.cover_or_sign.rule
    lose_sight_of_deal(table)
    if table.state.in_round:
        hold(table, code, reason, ("void", "continue"), rule, device=NAME)
    elif table.state.load is not None:
        hold(table, code, reason, ("reshuffle", "continue"), rule, device=NAME)


def link(table: Table, item: facts.Link) -> None:
    if item.up:
        device.link_restored(table, NAME)
    elif device.link_lost(table, NAME):
        lose_sight_of_deal(table)
        if table.state.phase in DEALING:
            _not_known(table, "shoe_lost", "the shoe is not heard in a round")


def restarted(table: Table, item: facts.Restarted) -> None:
    """An automated shoe that lost its place in mid-deal stopped dealing: A22 presets the void."""
    rule = table.profile.out_of_service.cover_or_sign.rule
    lose_sight_of_deal(table)
    if table.state.phase in DEALING and table.state.in_round:
        shoe_failed(table, "restarted")
        return
    table.emit("device.fault", rule, 2, device=NAME, code="restarted")
    if table.state.load is not None and not table.state.in_round:
        # What it held when it went down is on record, what it holds now is not.
        hold(
            table, "shoe_lost", "the shoe restarted with cards inside: are they the same?",
            ("reshuffle", "continue"), rule, device=NAME,
        )  # fmt: skip


def facts_missing(table: Table, item: facts.FactsMissing) -> None:
    rule = table.profile.out_of_service.cover_or_sign.rule
    table.emit("link.facts_missing", rule, device=NAME, count=item.count)
    _not_known(table, "facts_missing", f"{item.count} events of the shoe never arrived")


def fault(table: Table, item: facts.Fault) -> None:
    if device.fault_raised(table, NAME, item) and table.state.phase is Phase.DEAL:
        shoe_failed(table, "stop")


def power(table: Table, item: facts.Power) -> None:
    if device.power_is_bad(item):
        shoe_failed(table, f"power_{item.state}"[:32])


def lid(table: Table, item: facts.Lid) -> None:
    if item.open and table.state.load is not None and table.state.phase is not Phase.UNLOAD:
        rule = table.profile.out_of_service.cover_or_sign.rule
        table.emit("device.fault", rule, 3, device=NAME, code="lid_open")
        raise_alarm(table, "shoe.lid", 3, "the shoe's lid was opened over cards", rule)


def _common(move: Callable[[Table, str, Any], object]) -> Callable[[Table, Any], None]:
    def of_shoe(table: Table, item: Any) -> None:
        move(table, NAME, item)

    return of_shoe


MOVES: dict[type, Move] = {
    facts.Jam: jam, facts.JamCleared: jam_cleared, facts.Stopped: stopped,
    facts.Incomplete: incomplete, facts.Link: link, facts.Restarted: restarted,
    facts.FactsMissing: facts_missing, facts.Fault: fault, facts.Power: power, facts.Lid: lid,
    facts.FaultCleared: _common(device.fault_cleared), facts.Identity: _common(device.identity),
    facts.IdentityChanged: _common(device.identity_changed),
    facts.Noise: _common(device.noise), facts.Mode: _common(device.mode),
    facts.Meters: _common(device.meters),
}  # fmt: skip

"""The shuffler: loaded, running, ended, given out; and every way to fail on the way. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from controller.core.machine import Move
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions import device
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.cards import make_token, require_shuffle, take_out
from controller.regions.holds import hold
from controller.regions.irregularity import rule_on
from controller.regions.testimony import ask_about_count
from controller.regions.whereabouts import (
    chamber_is_empty,
    leave_in_shuffler,
    lose_sight_of_batch,
    lose_sight_of_shuffler,
    take_down,
    take_from_shuffler,
)
from controller.rules.exemption import device_is_approved
from controller.rules.irregularities import shuffler_failed_ruling, unread
from controller.rules.shuffle import cycle_is_no_shuffle_because
from hal import facts

NAME = "shuffler"
TIMER = "shuffle"
# The device's own way of ending badly, as 687a.13(e) lists them.
BROKEN_CYCLE = ("aborted", "incomplete")


def loaded(table: Table, item: facts.ShufflerLoaded) -> None:
    batch = table.batch(item.batch)
    if batch is None:
        table.change("cycle", inside=item.batch, loaded_cards=item.cards, running=False)
        return
    if _in_play(table, item.batch):
        _claim(table, item.batch, "the batch in play was put into the shuffler")
        if table.state.in_round:
            return
    table.change("cycle", inside=item.batch, loaded_cards=item.cards, running=False, number=None)
    if batch.where != "removed":
        table.change_batch(
            item.batch, token=None, why="no_cycle", where="shuffler", counted=False
        )  # fmt: skip
        take_from_shuffler(table, item.batch, "shuffler")
        # An approved continuous device is fed with the cards of a round, the others stay inside.
        if item.cards is not None and not device_is_approved(table):
            ask_about_count(table, item.batch, "shuffler", item.cards)


def _in_play(table: Table, batch: str | None) -> bool:
    load = table.state.load
    return load is not None and load.batch == batch


def _claim(table: Table, batch: str, what: str) -> None:
    """Two devices claim the same cards; in a round their token stays until a person says."""
    table.emit("batch.conflict", _rule(table), batch=batch, reason="in_play")
    if table.state.in_round:
        lose_sight_of_batch(table, batch)
        hold(table, "batch_conflict", what, ("continue", "void"), _rule(table))
        return
    take_out(table)
    require_shuffle(table, "batch_in_shuffler", _rule(table))


def cycle_started(table: Table, item: facts.CycleStarted) -> None:
    table.change(
        "cycle", number=item.cycle, mode=item.mode, running=True,
        started_mono_ms=table.arrived.mono_ms,
    )  # fmt: skip
    table.spoil(table.state.cycle.inside, "incomplete")
    if item.mode == "shuffle":
        table.emit(
            "shuffle.started", _rule(table),
            method="device", batch=table.state.cycle.inside, cycle=item.cycle,
        )  # fmt: skip
    if table.setup.shuffle_timeout_ms is not None:
        table.start_timer(TIMER, table.setup.shuffle_timeout_ms)


def cycle_ended(table: Table, item: facts.CycleEnded) -> None:
    """A good cycle makes the token; any other leaves the reason a load would be refused for."""
    reason = cycle_is_no_shuffle_because(table, item)
    inside = table.state.cycle.inside
    table.cancel_timer(TIMER)
    table.change("cycle", running=False)
    batch = table.batch(inside)
    counted = item.cards if item.result == "ok" else None
    if batch is not None and batch.where == "shuffler" and counted is not None:
        take_down(table, batch.name, "shuffler", counted)
    if reason is None and batch is not None:
        table.emit(
            "shuffle.completed", _rule(table),
            method="device", batch=batch.name, cycle=item.cycle, cards=item.cards,
        )  # fmt: skip
        device.restore(table, NAME)
        table.change("cycle", counted=item.cards is not None)
        make_token(table, batch, "device", item.cards, item.cycle)
        return
    reason = reason or "wrong_batch"
    if reason in BROKEN_CYCLE:
        fail_shuffle(table, reason)
        return
    table.spoil(inside, reason)
    table.emit("shuffle.failed", _rule(table), method="device", batch=inside, cycle=item.cycle,
               reason=reason, cards=item.cards)  # fmt: skip
    if reason == "wrong_count":
        _count_mismatch(table, inside, item.cards or 0)
    elif reason in ("sort_mode", "count_mode"):
        # No shuffle, but a count all the same: a deck that is not whole is not whole in any mode.
        if batch is not None and counted not in (None, table.setup.batch_cards):
            _count_mismatch(table, inside, counted or 0)
    else:
        raise_alarm(table, "shuffle.suspect", 4, f"no shuffle: {reason}", _rule(table))


def _count_mismatch(table: Table, batch: str | None, cards: int) -> None:
    leaf = table.profile.cards.deck_cards
    table.emit("deck.count_mismatch", leaf.rule, batch=batch, cards=cards,
               expected=table.setup.batch_cards, got=cards)  # fmt: skip
    rule_on(
        table,
        unread(
            "count_mismatch", f"the shuffler counted {cards}, {table.setup.batch_cards} expected",
            ("reshuffle", "remove_deck"), leaf.cite,
        ),
        batch,
    )  # fmt: skip


def fail_shuffle(table: Table, cause: str) -> None:
    """687a.13(e) and its unread sisters: the cards are shuffled again, the round goes on."""
    cycle = table.state.cycle
    ruling = shuffler_failed_ruling(table, cause)
    table.cancel_timer(TIMER)
    table.change("cycle", running=False)
    if cycle.inside is not None:
        table.spoil(cycle.inside, "incomplete" if cause not in BROKEN_CYCLE else cause)
    table.emit("shuffle.failed", ruling.cited, method="device", batch=cycle.inside,
               cycle=cycle.number, reason=cause)  # fmt: skip
    rule_on(table, ruling, cycle.inside)
    if table.state.phase is Phase.SHUFFLE:
        require_shuffle(table, "shuffler_failed", ruling.cited)


def ejected(table: Table, item: facts.Ejected) -> None:
    """The batch lies in front of the shuffler, whole or not."""
    cycle = table.state.cycle
    batch = table.batch(item.batch)
    if cycle.running:
        fail_shuffle(table, "aborted")
    stored = batch is not None and batch.where == "shuffler" and batch.token is not None
    other = cycle.inside is not None and cycle.inside != item.batch
    if other and _in_play(table, item.batch):
        _claim(table, item.batch, "the shuffler gave out the batch in play")
    elif other and not stored:
        table.spoil(item.batch, "wrong_batch")
    if other and stored:
        # One batch went in, the stored one came out: it becomes the playing batch.
        table.emit("batch.swapped", _rule(table), batch=item.batch, into=cycle.inside)
    if batch is not None and batch.where not in ("shoe", "removed"):
        table.change_batch(item.batch, where="stack")
        take_from_shuffler(table, item.batch, "stack")
    missing = _missing(table, item.cards, other) if stored or not other else 0
    if not other:
        table.change("cycle", inside=None, loaded_cards=None)
    if missing > 0:
        _residue(table, item.batch, missing)
    elif item.cards is not None and batch is not None and batch.where == "shuffler":
        ask_about_count(table, batch.name, "stack", item.cards)


def _missing(table: Table, cards: int | None, other: bool) -> int:
    """Cards that went in and did not come out; of `other`, the stored batch, all went in."""
    if cards is None:
        return 0
    went_in = None if other else table.state.cycle.loaded_cards
    return (went_in if went_in is not None else table.setup.batch_cards) - cards


def residue(table: Table, item: facts.Residue) -> None:
    if item.cards == 0:
        table.change("cycle", residue=False)
        clear_cause(table, "shuffler.residue")
        chamber_is_empty(table)
        return
    ready = table.ready_batch()
    _residue(table, table.state.cycle.inside or (ready.name if ready else None), item.cards)


def _residue(table: Table, batch: str | None, cards: int) -> None:
    """Cards stayed inside: whatever came out is not the whole deck (the SugarHouse case)."""
    table.change("cycle", residue=True)
    for one in table.state.batches:
        # Whatever was counted before, it was not these cards.
        table.change_batch(one.name, counted=False)
    if not (table.state.in_round and _in_play(table, batch)):
        # In a round their token stays until the floorperson decides: a hold asks.
        table.spoil(batch, "residue")
    load = table.state.load
    found = batch or (load.batch if load is not None else None)
    if found is not None:
        leave_in_shuffler(table, found, cards)
    _short_in_play(table, batch)
    table.emit("device.fault", _rule(table), 4, device=NAME, code="residue", cards=cards)
    raise_alarm(table, "shuffler.residue", 4, f"{cards} cards left in the shuffler",
                _rule(table), live=True)  # fmt: skip


def _short_in_play(table: Table, batch: str | None) -> None:
    """Cards of the deck that was loaded are still in the shuffler: it is not whole."""
    load = table.state.load
    if load is None or batch not in (None, load.batch):
        return
    if table.state.in_round:
        hold(table, "residue", "cards of the batch in play are left in the shuffler",
             ("continue", "void"), _rule(table))  # fmt: skip
        return
    take_out(table)
    require_shuffle(table, "residue")


def jam(table: Table, item: facts.Jam) -> None:
    table.change(NAME, jammed=True)
    _broken(table, "jam")


def jam_cleared(table: Table, item: facts.JamCleared) -> None:
    """The path is free; the device is whole again only after a full good cycle."""
    table.change(NAME, jammed=False)


def stopped(table: Table, item: facts.Stopped) -> None:
    _broken(table, "stop")


def timed_out(table: Table) -> None:
    """The shuffle took longer than the house gives it."""
    if table.state.cycle.running:
        _broken(table, "timeout")


def _broken(table: Table, cause: str) -> None:
    rule = table.profile.irregularities.get("shuffler_failed")
    cited = rule.rule if rule is not None else _rule(table)
    device.fail(table, NAME, cause, cited)
    if table.state.cycle.running or table.state.cycle.inside is not None:
        device.alarm_fault(table, NAME, cause, cited)
        fail_shuffle(table, cause)
    else:
        device.alarm_fault(table, NAME, cause, cited)


def lost_sight(table: Table, cause: str) -> None:
    """What went on inside is not known: not known is not shuffled."""
    cycle = table.state.cycle
    if cycle.running:
        fail_shuffle(table, cause)
    lose_sight_of_shuffler(table)
    for batch in table.state.batches:
        if batch.where == "shuffler":
            table.spoil(batch.name, "unknown_state")


def link(table: Table, item: facts.Link) -> None:
    if item.up:
        device.link_restored(table, NAME)
    elif device.link_lost(table, NAME):
        lost_sight(table, "link_lost")


def restarted(table: Table, item: facts.Restarted) -> None:
    table.emit("device.fault", _rule(table), 2, device=NAME, code="restarted")
    lost_sight(table, "restarted")


def facts_missing(table: Table, item: facts.FactsMissing) -> None:
    table.emit("link.facts_missing", _rule(table), device=NAME, count=item.count)
    lost_sight(table, "facts_missing")
    ready = table.ready_batch()
    if ready is not None and ready.token is not None and ready.token.method == "device":
        table.spoil(ready.name, "unknown_state")


def lamp(table: Table, item: facts.Lamp) -> None:
    """A red lamp counts even where the port says all is well (seven fined incidents)."""
    table.change(NAME, lamp=item.colour)
    if item.colour in ("red", "blink"):
        raise_alarm(table, "shuffler.lamp", 3, "the shuffler's lamp is red", _rule(table),
                    live=True)  # fmt: skip
        if table.state.shuffler.health == "ok":
            table.emit("device.fault", _rule(table), device=NAME, code="red_lamp")
    else:
        clear_cause(table, "shuffler.lamp")


def door(table: Table, item: facts.Door) -> None:
    table.emit("device.fault", _rule(table), 2, device=NAME,
               code="door_open" if item.open else "door_closed")  # fmt: skip
    if item.open and table.state.cycle.running:
        fail_shuffle(table, "stop")


def fault(table: Table, item: facts.Fault) -> None:
    if device.fault_raised(table, NAME, item) and table.state.cycle.running:
        fail_shuffle(table, "stop")


def power(table: Table, item: facts.Power) -> None:
    if device.power_is_bad(item):
        table.emit("device.fault", _rule(table), 2, device=NAME, code=f"power_{item.state}"[:32])
        lost_sight(table, "power")


def identity_changed(table: Table, item: facts.IdentityChanged) -> None:
    device.identity_changed(table, NAME, item)
    lost_sight(table, "identity_changed")


def _rule(table: Table) -> str:
    return table.profile.shuffle.when.rule


def _common(move: Callable[[Table, str, Any], object]) -> Callable[[Table, Any], None]:
    def of_shuffler(table: Table, item: Any) -> None:
        move(table, NAME, item)

    return of_shuffler


MOVES: dict[type, Move] = {
    facts.ShufflerLoaded: loaded, facts.CycleStarted: cycle_started,
    facts.CycleEnded: cycle_ended, facts.Ejected: ejected, facts.Residue: residue,
    facts.Jam: jam, facts.JamCleared: jam_cleared, facts.Stopped: stopped, facts.Link: link,
    facts.Restarted: restarted, facts.FactsMissing: facts_missing, facts.Lamp: lamp,
    facts.Door: door, facts.Fault: fault, facts.Power: power,
    facts.IdentityChanged: identity_changed,
    facts.FaultCleared: _common(device.fault_cleared), facts.Identity: _common(device.identity),
    facts.Noise: _common(device.noise), facts.Mode: _common(device.mode),
    facts.Meters: _common(device.meters),
}  # fmt: skip

"""Deck age: each batch has its time, warned of and then kept out of a new shoe. Pure."""

from __future__ import annotations

from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.rules.batches import deck_age_ms_max

TIMER = "deck."


def begin(table: Table, only: str | None = None) -> None:
    """New or freshly inspected decks: their time runs from now."""
    limit = deck_age_ms_max(table)
    for batch in table.state.batches:
        if limit is None or (only is not None and batch.name != only):
            continue
        if only is None and batch.since_ms is not None:
            # An inspection does not make an old deck new.
            continue
        table.change_batch(batch.name, since_ms=table.arrived.at_ms, change_due=False)
        table.start_timer(f"{TIMER}{batch.name}", limit)
        clear_cause(table, f"deck_age.{batch.name}")


def fired(table: Table, name: str) -> None:
    """The time of a batch is over; the round in play is finished."""
    batch = table.batch(name.removeprefix(TIMER))
    leaf = table.profile.cards.deck_change_hours
    if batch is None or leaf is None:
        return
    table.change_batch(batch.name, change_due=True)
    table.emit("deck.change_due", leaf.rule, batch=batch.name)
    raise_alarm(table, f"deck_age.{batch.name}", 3, f"batch {batch.name} has to be changed",
                leaf.rule, live=True)  # fmt: skip


def follow_method(table: Table) -> None:
    """Dealt from the hand decks age sooner: what is left of each one's time is told anew."""
    limit = deck_age_ms_max(table)
    for batch in table.state.batches:
        if limit is None or batch.since_ms is None or batch.change_due:
            continue
        age_ms = max(0, table.arrived.at_ms - batch.since_ms)
        table.start_timer(f"{TIMER}{batch.name}", max(0, limit - age_ms))


def resume(table: Table) -> None:
    """After a restart the wall clock says how old a deck is; where it went back, nothing is won."""
    limit = deck_age_ms_max(table)
    for batch in table.state.batches:
        name = f"{TIMER}{batch.name}"
        if limit is None or batch.since_ms is None or name not in table.state.timers:
            continue
        left_ms = max(0, limit - max(0, table.arrived.at_ms - batch.since_ms))
        known_ms = table.state.timers[name] - table.arrived.mono_ms
        table.start_timer(name, max(0, min(left_ms, known_ms)))

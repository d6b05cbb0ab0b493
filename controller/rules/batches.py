"""Two batches that alternate, and decks that grow too old."""

from __future__ import annotations

from controller.core.state import Batch
from controller.core.view import Table
from controller.rules.exemption import device_is_approved
from controller.rules.registry import rule

HOUR_MS = 3_600_000


@rule("BATCH-ALTERNATE", cites=("633a.3(b)",))
def batch_was_just_played(table: Table, batch: Batch) -> bool:
    """With a shuffler each of two batches is used for every second shoe."""
    leaf = table.profile.cards.alternation
    return (
        leaf is not None
        and leaf.value
        and len(table.state.batches) > 1
        and table.state.methods.shuffle == "device"
        and not device_is_approved(table)
        and table.state.last_batch == batch.name
    )


@rule("DECK-AGE", cites=("633a.3(d)",))
def deck_age_ms_max(table: Table) -> int | None:
    """Decks are changed at least every 24 hours, every 4 where they are dealt from the hand."""
    law = table.profile.cards
    leaf = law.deck_change_hours
    if table.state.methods.deal == "hand" and law.deck_change_hours_hand is not None:
        leaf = law.deck_change_hours_hand
    return None if leaf is None else leaf.value * HOUR_MS


@rule("DECK-DUE", cites=("633a.3(d)",))
def deck_is_too_old(table: Table, batch: Batch) -> bool:
    """A batch that was not changed in time is not loaded into a new shoe."""
    return batch.change_due

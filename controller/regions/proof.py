"""Rounds since a deck was last proven whole, for the table and for each deck (A16). Pure.

Two counters, the higher one decides: one deck's proof starts the table's anew, never the other
deck's. So a deck that no stub count and no counting shuffle proved for five of its own rounds is
counted, however often its sister was (A17).
"""

from __future__ import annotations

from controller.core.view import Table


def round_is_dealt(table: Table) -> None:
    """One more round was dealt from the deck in play since its last proof."""
    table.put(stub_rounds=table.state.stub_rounds + 1)
    load = table.state.load
    batch = None if load is None else table.batch(load.batch)
    if batch is not None:
        table.change_batch(batch.name, stub_rounds=batch.stub_rounds + 1)


def round_does_not_count(table: Table) -> None:
    """The round is void, and where a profile reads A16 so it was none."""
    table.put(stub_rounds=max(0, table.state.stub_rounds - 1))
    load = table.state.load
    batch = None if load is None else table.batch(load.batch)
    if batch is not None:
        table.change_batch(batch.name, stub_rounds=max(0, batch.stub_rounds - 1))


def deck_is_proven(table: Table, name: str | None = None) -> None:
    """This deck, or the one in play, was counted and is whole."""
    table.put(stub_rounds=0)
    load = table.state.load
    known = name if name is not None or load is None else load.batch
    if known is not None:
        table.change_batch(known, stub_rounds=0)


def every_deck_is_proven(table: Table) -> None:
    """All decks were inspected and verified at the table."""
    table.put(stub_rounds=0)
    for batch in table.state.batches:
        if batch.where != "removed":
            whole = batch.counted or batch.where != "shuffler"
            table.change_batch(batch.name, stub_rounds=0, counted=whole)


def deck_is_doubted(table: Table, rounds: int) -> None:
    """What a device said of the deck in play does not fit: its count is due as after `rounds`."""
    load = table.state.load
    batch = None if load is None else table.batch(load.batch)
    if batch is not None:
        table.change_batch(batch.name, stub_rounds=max(batch.stub_rounds, rounds))

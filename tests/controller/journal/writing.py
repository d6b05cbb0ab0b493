"""Writes small journals with the real store, without an engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from controller.core.inputs import Arrived, Malformed, Spread, Started
from controller.journal.record import Chain, seal
from controller.journal.seal import Sealer
from controller.journal.store import Entry, Snapshot, Store
from hal.facts import CardDrawn, Drawn
from tests.controller.small_table import SmallState, run, small_program

MOMENT_MS = 1_767_636_000_000

# One of each kind of turn: events only, effects only, a fact of another source, a refusal.
MIX: tuple[tuple[str, object], ...] = (
    ("system", Started("0.1", "", "", "")),
    ("shoe", CardDrawn(1, "down")),
    ("dealer", Spread("up")),
    ("rng", Drawn(4, 1)),
    ("unknown", Malformed("open", "naïve “quotes” and ü")),
    ("shoe", CardDrawn(2, "up", "A", "spades")),
)


class Writer:
    """The state that an engine would have, and entries for `Store.commit`."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.state = SmallState()

    def entry(self, source: str, item: object) -> Entry:
        number = self.chain.inputs + 1
        arrived = Arrived(number, MOMENT_MS + number, number, 1, True, source, "ann", item)
        turn = run(self.state, arrived)
        sealed = seal(self.chain, turn.arrived, turn.events, turn.effects)
        self.state, self.chain = turn.state, sealed.chain
        return Entry(sealed)

    def snapshot(self) -> Snapshot:
        state = self.state
        return Snapshot(self.chain, lambda: small_program().dump(state))


async def write_journal(
    path: Path, items: Sequence[tuple[str, object]] = MIX, sealer: Sealer | None = None
) -> Writer:
    """A closed journal of table T-1 with one turn for each item, a snapshot in its middle."""
    store = await Store.open(path, "T-1")
    writer = Writer(store.chain)
    for i, (source, item) in enumerate(items):
        entry = writer.entry(source, item)
        snapshot = writer.snapshot() if i == len(items) // 2 else None
        await store.commit([entry], snapshot)
    if sealer is not None:
        statement = sealer.checkpoint(writer.chain, MOMENT_MS)
        await store.commit([], None, (writer.chain.sequence, statement))
    await store.close()
    return writer

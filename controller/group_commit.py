"""Writes decided turns in groups, with their marks, snapshots and checkpoints; tells slow ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from controller.core.inputs import DaemonStopped
from controller.decided import Decided
from controller.journal.store import Snapshot, Store
from controller.marks import cursor_of, number_of_mark

S = TypeVar("S")

# A start replays fewer turns than this: well under a second.
INPUTS_PER_SNAPSHOT = 256
# Faults T02: cards stall for seconds now and then; longer than this is told, while it lasts.
SLOW_S = 2.0


class GroupCommit(Generic[S]):
    """The journal's writer as the engine sees it. `snapshot_at` is the input of the last one."""

    def __init__(self, store: Store, dump: Callable[[S], bytes], snapshot_at: int) -> None:
        self._store = store
        self._dump = dump
        self._snapshot_at = snapshot_at

    async def commit(self, group: list[Decided[S]], slow: Callable[[], None]) -> int:
        """Make one group durable; the milliseconds that it took where that was long, else 0.

        `slow` is called while a write does not come back. Raises JournalTrouble.
        """
        seal = group[-1].seal
        snapshot = self._snapshot(group[-1]) if seal is None else seal.snapshot
        checkpoint = None if seal is None else (seal.sequence, seal.body)
        entries = [one.entry for one in group]
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        writing = asyncio.ensure_future(
            self._store.commit(entries, snapshot, checkpoint, _heard(group))
        )
        try:
            done, _ = await asyncio.wait((writing,), timeout=SLOW_S)
            if not done:
                slow()
            await writing
        finally:
            writing.cancel()
        if snapshot is not None:
            self._snapshot_at = snapshot.chain.inputs
        took_s = loop.time() - began_s
        return int(took_s * 1000) if took_s >= SLOW_S else 0

    def _snapshot(self, last: Decided[S]) -> Snapshot | None:
        chain = last.entry.turn.chain
        due = chain.inputs - self._snapshot_at >= INPUTS_PER_SNAPSHOT
        if not due and not isinstance(last.waiting.item, DaemonStopped):
            return None
        dump, state = self._dump, last.state
        return Snapshot(chain, lambda: dump(state))


def _heard(group: list[Decided[S]]) -> dict[str, int]:
    """How far each device was heard: the next start resumes there.

    An input that is not acknowledged is sent again and must not count as heard.
    """
    return {
        cursor_of(one.waiting.source): number_of_mark(one.waiting.mark)
        for one in group
        if one.waiting.mark is not None and one.acknowledged
    }

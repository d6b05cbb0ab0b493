"""The numbers that a journal's end holds, for the self-check of a generator that starts again."""

from __future__ import annotations

import json
from typing import Protocol

from controller.journal.record import Chain, SealedEvent
from hal.self_check import SELF_CHECK, WINDOW_NUMBERS

# Some 4,000 rounds at twelve events each; a second of reading on a slow board.
EVENTS_READ_MAX = 50_000
EVENTS_A_READ = 256


class Events(Protocol):
    """What is read here of a store."""

    @property
    def chain(self) -> Chain:
        """Where the record ends."""
        ...

    async def events_after(self, sequence: int, limit: int = ...) -> list[SealedEvent]:
        """The next events in order."""
        ...


async def numbers_on_record(store: Events) -> list[int]:
    """Up to a window of numbers drawn by the generator, oldest first.

    After a failed self-check the window begins anew: whoever started the daemon since has looked
    at the generator, and numbers from before would put it out of service again at once.
    """
    end = store.chain.sequence
    after = max(0, end - EVENTS_READ_MAX)
    numbers: list[int] = []
    while after < end and (events := await store.events_after(after, EVENTS_A_READ)):
        for event in events:
            if event.type not in ("startpos.determined", "rng.failed"):
                continue
            data = json.loads(event.body)["data"]
            if data.get("method") == "rng":
                numbers.append(data["raw"])
            elif data.get("test") == SELF_CHECK:
                numbers.clear()
        after = events[-1].sequence
    return numbers[-WINDOW_NUMBERS:]

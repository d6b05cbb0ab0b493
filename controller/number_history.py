"""The numbers that a journal's end holds, for the self-check of a generator that starts again."""

from __future__ import annotations

import json
from typing import Protocol

from controller.journal.record import Chain, SealedEvent
from hal.self_check import SELF_CHECK, WINDOW_NUMBERS

EVENTS_A_READ = 256


class Events(Protocol):
    """What is read here of a store."""

    @property
    def chain(self) -> Chain:
        """Where the record ends."""
        ...

    async def draws_before(self, sequence: int, limit: int = ...) -> list[SealedEvent]:
        """Events of the generator, newest first."""
        ...


async def numbers_on_record(store: Events) -> list[int]:
    """Up to a window of numbers drawn by the generator, oldest first.

    Read from the end, and only what the generator said: as fast after years as after a day. After a
    failed self-check the window begins anew: whoever started the daemon since has looked at the
    generator, and numbers from before would put it out of service again at once.
    """
    before = store.chain.sequence + 1
    newest: list[int] = []
    while len(newest) < WINDOW_NUMBERS and (
        events := await store.draws_before(before, EVENTS_A_READ)
    ):
        for event in events:
            data = json.loads(event.body)["data"]
            if data.get("test") == SELF_CHECK:
                return newest[::-1]
            if data.get("method") == "rng":
                newest.append(data["raw"])
        before = events[-1].sequence
    return newest[:WINDOW_NUMBERS][::-1]

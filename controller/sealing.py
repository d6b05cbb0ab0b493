"""When the chain is signed, and what is said then: the schedule of checkpoints. No I/O."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from controller.core.codec import canonical, plain
from controller.core.recording import Sealed
from controller.decided import Seal
from controller.journal.record import Chain, SealedEvent
from controller.journal.store import Snapshot

S = TypeVar("S")
Signer = Callable[[Chain, int], Sealed]

# Signed every so often, beside the times of the clock, and at these ends and beginnings.
EVENTS_PER_CHECKPOINT = 1000
SEALED_AFTER = frozenset(("table.closed", "config.profile_loaded"))


class Sealing(Generic[S]):
    """What was signed and what is due. A table without a `signer` signs nothing.

    `sealed_at` is the sequence of the last event that needs no checkpoint of its own: that of the
    last one made, whose event says nothing new.
    """

    def __init__(self, signer: Signer | None, dump: Callable[[S], bytes], sealed_at: int) -> None:
        self._signer = signer
        self._dump = dump
        self._sealed_at = sealed_at

    @property
    def signs(self) -> bool:
        """Whether there is a key."""
        return self._signer is not None

    def is_new(self, chain: Chain) -> bool:
        """Whether something stands in the chain that no checkpoint speaks of yet."""
        return self.signs and chain.sequence > self._sealed_at

    def is_due(self, chain: Chain, events: tuple[SealedEvent, ...]) -> bool:
        """Whether it is time after a turn that brought these events."""
        many = chain.sequence - self._sealed_at >= EVENTS_PER_CHECKPOINT
        now = any(event.type in SEALED_AFTER for event in events)
        return self.is_new(chain) and (many or now)

    def statement(self, chain: Chain, state: S, at_ms: int) -> tuple[Seal, Sealed]:
        """Sign the chain: the row for the journal, and the input that makes it known outside."""
        assert self._signer is not None, "only a table with a key signs"
        stated = self._signer(chain, at_ms)
        body, dump = canonical(plain(stated.checkpoint)), self._dump
        return Seal(chain.sequence, body, Snapshot(chain, lambda: dump(state))), stated

    def done(self, chain: Chain) -> None:
        """The statement's own event stands in the chain by now."""
        self._sealed_at = chain.sequence

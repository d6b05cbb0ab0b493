"""How far the record has come: journaled, taken by the broker, held by the room. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from controller.messages import Json


@dataclass(frozen=True, slots=True)
class Reach:
    """Sequences up to which each has come, without a gap.

    `expected` is the principal of the store that the table's file names, or None; `refusing`:
    the broker refuses the event that is next.
    """

    journaled: int
    broker: int
    store: int
    expected: str | None
    refusing: bool

    @property
    def delivered(self) -> int:
        """What may be called delivered: the store's word where one is configured (F47)."""
        return self.broker if self.expected is None else self.store

    def outbox(self) -> dict[str, Json]:
        """Member `outbox` of health."""
        return {
            "depth": self.journaled - self.broker,
            "cursor": self.broker,
            "refusing": self.refusing,
        }

    def levels(self, journal: str) -> dict[str, Json]:
        """Member `delivery` of health."""
        return {
            "journal": journal,
            "journaled": self.journaled,
            "broker": self.broker,
            "store": self.store,
            "store_expected": self.expected,
            "delivered": self.delivered,
        }

"""Turns that are decided and not yet durable: what each waits with, and which go together."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from controller.core.effects import Effect
from controller.core.outputs import Outputs
from controller.intake import Waiting
from controller.journal.answer import Answer
from controller.journal.record import SealedEvent
from controller.journal.store import Entry, Snapshot

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Seal:
    """A checkpoint's canonical record, the sequence it speaks of, and the state it was made in."""

    sequence: int
    body: bytes
    snapshot: Snapshot


@dataclass(frozen=True, slots=True)
class Decided(Generic[S]):
    """One turn between its computing and its adoption; `seal` is written together with it."""

    waiting: Waiting
    entry: Entry
    state: S
    outputs: Outputs
    effects: tuple[Effect, ...]
    answer: Answer | None
    acknowledged: bool
    seal: Seal | None = None

    @property
    def number(self) -> int:
        """Of the input in the journal."""
        return self.entry.turn.input_number


@dataclass(frozen=True, slots=True)
class Committed:
    """What became durable just now: its events, in order, and the outputs that follow from them.

    `sequence` is the last durable one.
    """

    sequence: int
    outputs: Outputs
    events: tuple[SealedEvent, ...]


def group_of(decided: deque[Decided[S]], most: int) -> list[Decided[S]]:
    """The turns of the next commit: at most `most`, and none after one that carries a seal."""
    group = []
    for i in range(min(len(decided), most)):
        group.append(decided[i])
        if decided[i].seal is not None:
            break
    return group

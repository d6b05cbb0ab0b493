"""One call that joins the rooms of the broker line, for the daemon."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from controller.broker_line import BrokerLine, LineParts, LineSettings
from controller.command_desk import CommandDesk
from controller.commands import Moment
from controller.core.inputs import Broker, PublishRefused
from controller.journal.answer import Answer
from controller.levels import Levels
from controller.messages import Birth, Json, Topics
from controller.outbox import EventStore, Outbox
from controller.replayer import Replayer

# Bound of `core.inputs.Reason`.
REASON_CHARACTERS_MAX = 200


class Door(Protocol):
    """What the line asks of the intake."""

    def offer_item(self, source: str, item: object) -> None:
        """What clock or system say."""
        ...

    def offer_command(
        self, source: str, by: str | None, item: object, command_id: str | None,
        answer: Callable[[Answer], None],
    ) -> bool:  # fmt: skip
        """A person's command; `answer` is called once."""
        ...


def line_of(
    settings: LineSettings,
    topics: Topics,
    birth: Birth,
    *,
    store: EventStore,
    tail: int,
    door: Door,
    roster: Mapping[str, str],
    now: Callable[[], Moment],
    known: Callable[[str, str], Answer | None],
    measure: Callable[[OutboxView], Awaitable[Mapping[str, Json]]],
    jitter: random.Random,
) -> BrokerLine:
    """Build the line of one table.

    `tail` is the last durable sequence; `roster` principal -> role; `known` the answer that
    (principal, command id) was given before; `measure` gives the health report, every 30 s.
    """

    def refused(sequence: int, reason: str) -> None:
        door.offer_item("system", PublishRefused(sequence, reason[:REASON_CHARACTERS_MAX]))

    def changed(up: bool) -> None:
        door.offer_item("system", Broker(up))

    outbox = Outbox(topics, store, tail, refused)
    replayer = Replayer(topics, store)
    desk = CommandDesk(topics, roster, door, now, known, replayer)
    parts = LineParts(outbox, Levels(topics), desk, replayer)
    return BrokerLine(settings, topics, birth, parts, changed, lambda: measure(outbox), jitter)


class OutboxView(Protocol):
    """What health may know of the outbox."""

    @property
    def depth(self) -> int:
        """Durable events that the broker has not taken yet."""
        ...

    @property
    def cursor(self) -> int:
        """The last event of the gap-free row that the broker took."""
        ...

    @property
    def refusing(self) -> bool:
        """Whether the broker refuses the event that is next."""
        ...

"""One call that joins the rooms of the broker line, for the daemon."""

from __future__ import annotations

import functools
import random
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from controller.allowance import Allowances
from controller.broker_line import BrokerLine, LineParts, LineSettings
from controller.command_desk import CommandDesk
from controller.commands import Moment
from controller.core.inputs import (
    Broker,
    CredentialsDue,
    Flooded,
    LevelCorrected,
    PublishRefused,
    RecordDisputed,
    Recorder,
)
from controller.corrections import Cause, Corrections
from controller.credential_keeper import CredentialKeeper
from controller.journal.answer import Answer
from controller.levels import Levels
from controller.messages import Birth, Json, Topics, event_message
from controller.onvif import OnvifLetters
from controller.outbox import EventStore, Outbox
from controller.reach import Reach
from controller.replayer import Replayer
from controller.room_copy import RoomCopy

# Cursor of what went to video systems.
ONVIF = "onvif"
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
    measure: Callable[[Reach], Awaitable[Mapping[str, Json]]],
    jitter: random.Random,
    recorder: str | None = None,
) -> BrokerLine:
    """Build the line of one table.

    `tail` is the last durable sequence; `roster` principal -> role; `known` the answer that
    (principal, command id) was given before; `measure` gives the health report, every 30 s;
    `recorder` the principal whose word makes a record delivered, None where the broker's does.
    """

    def refused(sequence: int, reason: str) -> None:
        door.offer_item("system", PublishRefused(sequence, reason[:REASON_CHARACTERS_MAX]))

    def refused_onvif(sequence: int, reason: str) -> None:
        refused(sequence, f"for video systems: {reason}")

    def changed(up: bool) -> None:
        door.offer_item("system", Broker(up))

    def confirming(up: bool) -> None:
        door.offer_item("system", Recorder(up))

    def disputed(sequence: int, reason: str) -> None:
        door.offer_item("system", RecordDisputed(sequence, reason[:REASON_CHARACTERS_MAX]))

    def credentials(wish: str | None) -> None:
        reason = None if wish is None else wish[:REASON_CHARACTERS_MAX]
        door.offer_item("system", CredentialsDue(reason))

    def flooded(principal: str, commands: int) -> None:
        door.offer_item("system", Flooded(principal, commands))

    def corrected(topic: str, cause: Cause, times: int) -> None:
        door.offer_item("system", LevelCorrected(topic, cause, times))

    corrections = Corrections(corrected)
    outbox = Outbox(functools.partial(event_message, topics), store, tail, refused)
    outboxes: tuple[Outbox, ...] = (outbox,)
    if settings.onvif:
        # With a cursor of its own: a right that is missing there must not hold up the record.
        outboxes = (
            outbox,
            Outbox(OnvifLetters(topics), store, tail, refused_onvif, ONVIF, from_start=False),
        )
    replayer = Replayer(topics, store)
    room = RoomCopy(store, birth.journal, lambda: outbox.tail, recorder, confirming, disputed)
    allowances = Allowances(roster, settings.commands_per_minute)
    desk = CommandDesk(topics, roster, door, now, known, replayer, room, allowances, flooded)
    keeper = CredentialKeeper(settings.address, lambda: now().at_ms, credentials)
    parts = LineParts(outboxes, Levels(topics, corrections.count), desk, replayer, room, keeper)

    async def report() -> Mapping[str, Json]:
        reach = Reach(outbox.tail, outbox.cursor, room.cursor, recorder, outbox.refusing)
        return {
            **await measure(reach),
            "credentials": keeper.status(),
            "corrections": corrections.status(),
        }

    return BrokerLine(settings, topics, birth, parts, changed, report, jitter)

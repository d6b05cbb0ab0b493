"""The way of a command between broker and intake: read, offered, answered, then acknowledged.

The broker gets its acknowledgement only when the command's fate is durable, or was `busy` in
words: until then it keeps the command and hands it over again (faults M14).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from controller.allowance import Allowances
from controller.broker_port import Broker, Crowded, Received
from controller.clock import loop_ms
from controller.commands import Command, Moment, Order, Rejection, parse, reply
from controller.core.inputs import Recorded, Replay
from controller.journal.answer import Answer
from controller.messages import Json, Topics
from controller.replayer import Replayer, Request
from controller.room_copy import RoomCopy, Statement

log = logging.getLogger(__name__)

# The broker holds the rest back under MQTT 5; under 3.1.1 a flood beyond this is told `busy`.
PENDING_COMMANDS_MAX = 256
# Retained commands come again with every connection: each is refused, and logged once (M15).
LOGGED_TOPICS_MAX = 64
# One line of the record a minute and person, however much he asks.
FLOOD_TELL_S = 60.0


class Offers(Protocol):
    """What the desk asks of the intake."""

    def offer_command(
        self, source: str, by: str | None, item: object, command_id: str | None,
        answer: Callable[[Answer], None],
    ) -> bool:  # fmt: skip
        """Queue a command; `answer` is called once, when its fate is durable, or with `busy`."""
        ...


class CommandDesk:
    """Reads commands and answers them.

    `known` gives the answer that a principal's command id was given before, also before a restart;
    `flooded` is told who asked too much, and how many of his commands left no other trace.
    """

    def __init__(
        self,
        topics: Topics,
        roster: Mapping[str, str],
        offers: Offers,
        now: Callable[[], Moment],
        known: Callable[[str, str], Answer | None],
        replayer: Replayer,
        room: RoomCopy,
        allowances: Allowances,
        flooded: Callable[[str, int], None],
    ) -> None:
        self._allowances = allowances
        self._flooded = flooded
        self._telling: asyncio.TimerHandle | None = None
        self._topics = topics
        self._roster = roster
        self._offers = offers
        self._now = now
        self._known = known
        self._replayer = replayer
        self._room = room
        self._logged: deque[tuple[str, str]] = deque(maxlen=LOGGED_TOPICS_MAX)
        self.pending = 0
        self.rejected = 0

    def hear(self, broker: Broker, received: Received) -> bool:
        """A message of the broker; True if it was meant for the desk."""
        if not received.topic.startswith(self._topics.below("commands", "")):
            return False
        order = Order(
            received.topic, received.payload, received.retain,
            received.response_topic, received.correlation,
        )  # fmt: skip
        parsed = parse(self._topics, self._roster, order, self._now())
        visit = _Visit(self._topics, broker, received, order, parsed.by, parsed.id)
        if isinstance(parsed, Command):
            self._take(visit, parsed)
        else:
            self._refuse(visit, parsed)
        return True

    def _take(self, visit: _Visit, command: Command) -> None:
        item = command.item
        if isinstance(item, Recorded):
            # About the record and not part of it: else each confirmation would make a record that
            # waits for its confirmation.
            self._room.offer(Statement(command.by, item, visit.answer))
            return
        known = self._known(command.by, command.id)
        if known is not None:
            visit.answer(known)
            return
        if isinstance(item, Replay) and not self._replayer.has_room():
            visit.answer(Answer("busy", reason="too many replays are waiting; ask again"))
            return
        if not self._allowances.may_ask(command.by, loop_ms()):
            visit.answer(Answer("busy", reason="too many commands; send fewer, a little later"))
            self._note_flood()
            return
        if self._has_no_room(visit):
            return

        def answered(answer: Answer) -> None:
            self.pending -= 1
            visit.answer(answer)
            if answer.result == "refused":
                self._allowances.was_refused(command.by, loop_ms())
            if isinstance(item, Replay) and answer.result == "accepted":
                self._replayer.ask(Request(command.by, item.first, item.last))

        self.pending += 1
        self._offers.offer_command(command.source, command.by, item, command.id, answered)

    def _refuse(self, visit: _Visit, rejection: Rejection) -> None:
        if rejection.stale and rejection.claimed == Recorded.TYPE:
            # A confirmation that a broker kept for an absent table: the next one says more.
            visit.answer(Answer("refused", reason=rejection.reason))
            return
        if rejection.stale and rejection.by is not None and rejection.id is not None:
            # It was taken in time, and only its acknowledgement was lost.
            known = self._known(rejection.by, rejection.id)
            if known is not None:
                visit.answer(known)
                return
        self.rejected += 1
        if not self._allowances.may_be_refused(rejection.by, loop_ms()):
            visit.answer(Answer("refused", reason=rejection.reason))
            self._note_flood()
            return
        self._log_once(visit.order.topic, rejection.reason)
        if self._has_no_room(visit):
            return

        def recorded(answer: Answer) -> None:
            self.pending -= 1
            busy = answer.result == "busy"
            visit.answer(answer if busy else Answer("refused", reason=rejection.reason))

        self.pending += 1
        # Without its id: a refused attempt does not use up the id of a later, lawful one.
        self._offers.offer_command(rejection.source, rejection.by, rejection.item, None, recorded)

    def _has_no_room(self, visit: _Visit) -> bool:
        if self.pending < PENDING_COMMANDS_MAX:
            return False
        visit.answer(Answer("busy", reason="too many commands are waiting; send it again"))
        return True

    def _note_flood(self) -> None:
        """The first is told at once, what follows once a minute for as long as it lasts."""
        if self._telling is None:
            self._tell_flood()

    def _tell_flood(self) -> None:
        self._telling = None
        for principal, commands in self._allowances.counted():
            log.warning("%s asks too much: %s commands were not taken", principal, commands)
            self._flooded(principal, commands)
            loop = asyncio.get_running_loop()
            self._telling = self._telling or loop.call_later(FLOOD_TELL_S, self._tell_flood)

    def _log_once(self, topic: str, reason: str) -> None:
        if (topic, reason) not in self._logged:
            self._logged.append((topic, reason))
            # As ASCII in quotes: a stranger's topic must not steer the reader's terminal.
            log.warning("command on %.200a refused: %s", topic, reason)


class _Visit:
    """One command at the desk, from its arrival to its acknowledgement."""

    def __init__(
        self, topics: Topics, broker: Broker, received: Received, order: Order,
        principal: str | None, identifier: str | None,
    ) -> None:  # fmt: skip
        self.order = order
        self._topics = topics
        self._broker = broker
        self._received = received
        self._principal = principal
        self._identifier = identifier

    def answer(self, answer: Answer) -> None:
        """Tell the principal, then let the broker forget the command."""
        told: dict[str, Json] = {"result": answer.result}
        if answer.result == "accepted":
            told["sequences"] = list(answer.sequences)
        else:
            told["reason"] = answer.reason
        if answer.result == "refused":
            told["rule"] = answer.rule
        if self._principal is not None:
            message = reply(self._topics, self.order, self._principal, self._identifier, told)
            try:
                self._broker.publish(message)
            except Crowded:
                # The same id, sent again, is told the same.
                log.warning("no room for the answer to %s", self._principal)
        self._broker.settle(self._received)

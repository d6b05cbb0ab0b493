"""What the surveillance room's recorder says it holds: compared with the journal, then noted.

A broker's acknowledgement is not durability. Where the table's file names a store, only its word
makes a record delivered, and only after the hash that it names is the journal's own.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from controller.core.inputs import Recorded
from controller.journal.answer import Answer
from controller.journal.tables import STORE
from controller.journal.trouble import JournalTrouble
from controller.outbox import EventStore

log = logging.getLogger(__name__)

CURSOR = STORE
# A recorder speaks once a second; a few recorders at once, and one that stammers.
WAITING_STATEMENTS_MAX = 16
# Four of the recorder's looks at `health`: longer, and nobody would call it real time (F47).
UNCONFIRMED_S_MAX = 120
LOOK_S = 5
# A principal who invents differences must not fill the record: the alarm is latched by the first.
DISPUTE_TOLD_EVERY_S = 60

# What a recorder does about a refusal depends on which one it is, so `rule` tells them apart.
OTHER_JOURNAL = "recorded.other_journal"
BEYOND = "recorded.beyond"
DIFFERS = "recorded.differs"


@dataclass(frozen=True, slots=True)
class Statement:
    """Who says what; `answer` is called once."""

    principal: str
    item: Recorded
    answer: Callable[[Answer], None]


class RoomCopy:
    """The journal's reader that lives in another building.

    `tail` gives the last durable sequence; `expected` is the principal whose word counts, None
    where no store is configured: then every recorder's word is noted, and none is missed.
    `confirming` is told False when the room falls behind for UNCONFIRMED_S_MAX and True when it has
    caught up; `disputed` the sequence and what differs, once for each difference and at most
    once in DISPUTE_TOLD_EVERY_S of each kind.
    """

    def __init__(
        self,
        store: EventStore,
        journal: str,
        tail: Callable[[], int],
        expected: str | None,
        confirming: Callable[[bool], None],
        disputed: Callable[[int, str], None],
    ) -> None:
        self._store = store
        self._journal = journal
        self._tail = tail
        self._tell_confirming = confirming
        self._tell_disputed = disputed
        self._waiting: deque[Statement] = deque()
        self._filled = asyncio.Event()
        self._mark: tuple[int, float] | None = None
        self._told_disputes: dict[str, tuple[int, float]] = {}
        self._confirming = True
        self.expected = expected
        self.cursor = store.cursor(CURSOR)

    def offer(self, statement: Statement) -> None:
        """Queue a statement; one too many is told `busy`, the recorder speaks again anyway."""
        if len(self._waiting) >= WAITING_STATEMENTS_MAX:
            statement.answer(Answer("busy", reason="too many statements are waiting"))
            return
        self._waiting.append(statement)
        self._filled.set()

    async def run(self) -> None:
        """Judge what is offered and watch the room's pace, until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._judge_all(), name="room copy")
            tasks.create_task(self._watch(), name="room copy watch")

    async def _judge_all(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._waiting:
                statement = self._waiting.popleft()
                try:
                    answer = await self._judge(statement.principal, statement.item)
                except JournalTrouble as trouble:
                    answer = Answer("busy", reason=f"the journal cannot be read: {trouble.why}")
                statement.answer(answer)

    async def _judge(self, principal: str, item: Recorded) -> Answer:
        if item.journal != self._journal:
            return Answer("refused", rule=OTHER_JOURNAL, reason="this table's journal is another")
        if item.sequence > self._tail():
            # Nobody else could have made it: this journal was put back to an older copy.
            return self._dispute(
                BEYOND, item.sequence,
                f"the room holds event {item.sequence}, the journal ends at {self._tail()}",
            )  # fmt: skip
        page = await self._store.events_after(item.sequence - 1, 1)
        held = page[0] if page and page[0].sequence == item.sequence else None
        if held is not None and held.hash != item.hash:
            return self._dispute(
                DIFFERS, item.sequence, f"event {item.sequence} has another hash in the room"
            )
        # One that is pruned was confirmed before, else it would still be here.
        if principal == self.expected or self.expected is None:
            await self._note(item.sequence)
        return Answer("accepted")

    async def _note(self, sequence: int) -> None:
        if sequence > self.cursor:
            self.cursor = sequence
            await self._store.set_cursor(CURSOR, sequence)

    def _dispute(self, rule: str, sequence: int, reason: str) -> Answer:
        told, now_s = self._told_disputes.get(rule), asyncio.get_running_loop().time()
        if told is None or (sequence != told[0] and now_s - told[1] >= DISPUTE_TOLD_EVERY_S):
            self._told_disputes[rule] = sequence, now_s
            log.error("the room's copy is disputed: %s", reason)
            self._tell_disputed(sequence, reason)
        return Answer("refused", rule=rule, reason=reason)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while self.expected is not None:
            self.look(loop.time())
            await asyncio.sleep(LOOK_S)

    def look(self, now_s: float) -> None:
        """Compare with the last look: each event has UNCONFIRMED_S_MAX to be confirmed in."""
        tail = self._tail()
        if self.cursor >= tail or self._mark is None or self.cursor >= self._mark[0]:
            self._mark = (tail, now_s)
            self._confirm(True)
        elif now_s - self._mark[1] >= UNCONFIRMED_S_MAX:
            self._confirm(False)

    def _confirm(self, confirming: bool) -> None:
        if confirming is not self._confirming:
            self._confirming = confirming
            self._tell_confirming(confirming)

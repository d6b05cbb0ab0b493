"""The room's word about the record: compared with the journal, noted, and missed when it ends."""

from __future__ import annotations

import asyncio
import json

import pytest

from controller.core.inputs import Malformed, RecordDisputed, Recorded, Recorder
from controller.core.stamp import stamp_of
from controller.journal.answer import Answer
from controller.journal.tables import STORE
from controller.messages import Outgoing
from controller.room_copy import (
    BEYOND,
    DIFFERS,
    OTHER_JOURNAL,
    UNCONFIRMED_S_MAX,
    WAITING_STATEMENTS_MAX,
    RoomCopy,
    Statement,
)
from tests.mqtt.mosquitto import Mosquitto, until
from tests.mqtt.rooms import NOW_MS, TOPICS, MemoryJournal, listener, serving, table_at


class Room:
    """A room copy whose words are kept."""

    def __init__(self, journal: MemoryJournal, expected: str | None = "eye-1") -> None:
        self.confirming: list[bool] = []
        self.disputed: list[tuple[int, str]] = []
        self.journal = journal
        self.copy = RoomCopy(
            journal, "j", lambda: journal.chain.sequence, expected, self.confirming.append,
            lambda sequence, reason: self.disputed.append((sequence, reason)),
        )  # fmt: skip

    async def say(
        self, sequence: int, digest: str, journal: str = "j", who: str = "eye-1"
    ) -> Answer:
        return await self.copy._judge(who, Recorded(journal, sequence, digest))

    def digest(self, sequence: int) -> str:
        return self.journal.events[sequence - 1].hash


def filled(count: int) -> MemoryJournal:
    journal = MemoryJournal()
    journal.add(count)
    return journal


async def test_a_hash_that_agrees_moves_the_cursor_and_never_back() -> None:
    room = Room(filled(5))
    assert (await room.say(3, room.digest(3))).result == "accepted"
    assert (await room.say(2, room.digest(2))).result == "accepted"
    assert (room.copy.cursor, room.journal.cursors[STORE]) == (3, 3)


async def test_a_hash_that_differs_is_refused_and_disputed_once() -> None:
    room = Room(filled(5))
    for _ in range(2):
        answer = await room.say(3, "f" * 64)
        assert (answer.result, answer.rule) == ("refused", DIFFERS)
    assert [sequence for sequence, _ in room.disputed] == [3]
    assert room.copy.cursor == 0


async def test_the_last_event_is_accepted_and_one_beyond_the_end_is_a_journal_put_back() -> None:
    room = Room(filled(5))
    assert (await room.say(5, room.digest(5))).result == "accepted"
    answer = await room.say(6, "f" * 64)
    assert (answer.result, answer.rule) == ("refused", BEYOND)
    assert room.disputed == [(6, "the room holds event 6, the journal ends at 5")]


async def test_another_journal_is_refused_without_a_dispute() -> None:
    room = Room(filled(5))
    assert (await room.say(3, room.digest(3), "older")).rule == OTHER_JOURNAL
    assert room.disputed == []


@pytest.mark.parametrize(("expected", "cursor"), [("eye-1", 0), (None, 2)])
async def test_a_second_recorder_counts_only_where_none_is_named(
    expected: str | None, cursor: int
) -> None:
    room = Room(filled(5), expected)
    assert (await room.say(2, room.digest(2), who="eye-2")).result == "accepted"
    assert room.copy.cursor == cursor


async def test_one_statement_too_many_is_told_busy() -> None:
    room, answers = Room(filled(1)), list[Answer]()
    for _ in range(WAITING_STATEMENTS_MAX + 1):
        item = Recorded("j", 1, room.digest(1))
        room.copy.offer(Statement("eye-1", item, answers.append))
    assert [answer.result for answer in answers] == ["busy"]
    task = asyncio.create_task(room.copy.run())
    await until(lambda: len(answers) == WAITING_STATEMENTS_MAX + 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_the_room_is_missed_when_an_event_waits_too_long_and_not_before() -> None:
    room = Room(filled(5))
    room.copy.look(0)
    room.journal.add(1)
    room.copy.look(UNCONFIRMED_S_MAX - 1)
    assert room.confirming == []
    room.copy.look(UNCONFIRMED_S_MAX)
    assert room.confirming == [False]
    room.copy.cursor = 5
    room.copy.look(UNCONFIRMED_S_MAX + 1)
    assert room.confirming == [False, True]


def test_a_table_that_is_idle_does_not_miss_the_room() -> None:
    room = Room(filled(5))
    room.copy.cursor = 5
    for day in range(3):
        room.copy.look(86_400 * day)
    assert room.confirming == []


def recorded(sequence: int, digest: str, at_ms: int = NOW_MS, who: str = "eye-1") -> Outgoing:
    members = {"journal": "j", "sequence": sequence, "hash": digest}
    stamps = {"id": f"r{sequence}", "issued_at": stamp_of(at_ms)}
    topic = TOPICS.below("commands", who, "recorded")
    return Outgoing(topic, json.dumps({**members, **stamps}).encode())


async def test_over_a_broker_it_is_answered_and_leaves_no_input_in_the_record(
    broker: Mosquitto,
) -> None:
    journal = filled(9)
    table = table_at(broker, journal, recorder="eye-1")
    replies = TOPICS.below("replies", "eye-1")
    async with serving(table), listener(broker, replies) as (eye, heard):
        await until(lambda: table.line.counters.up)
        await eye.publish(recorded(7, journal.events[6].hash))
        await until(lambda: len(heard) == 1)
        await eye.publish(recorded(8, "f" * 64))
        await until(lambda: len(heard) == 2)
        await eye.publish(recorded(9, journal.events[8].hash, NOW_MS - 60_000))
        await until(lambda: len(heard) == 3)
    answers = [json.loads(one.payload) for one in heard]
    assert [one["result"] for one in answers] == ["accepted", "refused", "refused"]
    assert answers[1]["rule"] == DIFFERS
    assert journal.cursors[STORE] == 7
    assert [item for _, by, item in table.door.items if by is not None] == []
    assert len(table.door.facts(RecordDisputed)) == 1
    assert table.door.facts(Recorder) == []


async def test_only_the_surveillance_role_may_say_it(broker: Mosquitto) -> None:
    journal = filled(3)
    table = table_at(broker, journal)
    replies = TOPICS.below("replies", "floor-1")
    async with serving(table), listener(broker, replies) as (floor, heard):
        await until(lambda: table.line.counters.up)
        await floor.publish(recorded(3, journal.events[2].hash, who="floor-1"))
        await until(lambda: len(heard) == 1)
    assert json.loads(heard[0].payload)["result"] == "refused"
    assert len(table.door.facts(Malformed)) == 1
    assert journal.cursors.get(STORE, 0) == 0


async def test_invented_differences_are_refused_and_do_not_fill_the_record() -> None:
    room = Room(filled(5))
    for sequence in range(6, 106):
        assert (await room.say(sequence, "f" * 64)).rule == BEYOND
    # Another kind is another matter.
    assert (await room.say(3, "f" * 64)).rule == DIFFERS
    assert [sequence for sequence, _ in room.disputed] == [6, 3]

"""The cursor moves only over what the broker took without a gap."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
from collections.abc import AsyncIterator

import pytest

from controller.journal.record import SealedEvent
from controller.journal.tables import BROKER
from controller.messages import event_message
from controller.outbox import (
    HISTORICAL_EVENTS_PER_TICK,
    READY_EVENTS_MAX,
    RESERVED_MESSAGES,
    TICK_S,
    Outbox,
)
from tests.mqtt.hand import GONE, REFUSED, TAKEN, HandBroker
from tests.mqtt.rooms import TOPICS, MemoryJournal


@contextlib.asynccontextmanager
async def boxed(journal: MemoryJournal) -> AsyncIterator[tuple[Outbox, list[int]]]:
    refused: list[int] = []
    box = Outbox(
        functools.partial(event_message, TOPICS), journal, journal.chain.sequence,
        lambda sequence, _: refused.append(sequence),
    )  # fmt: skip
    task = asyncio.create_task(box.run())
    try:
        yield box, refused
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def settle_down() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


def sequences(broker: HandBroker) -> list[int]:
    return [int(json.loads(message.payload)["sequence"]) for message, _ in broker.sent]


async def test_an_answer_out_of_order_does_not_move_the_cursor_over_a_gap() -> None:
    journal, broker = MemoryJournal(), HandBroker()
    async with boxed(journal) as (box, _):
        box.attach(broker)
        box.committed(journal.add(3))
        assert sequences(broker) == [1, 2, 3]
        broker.sent[1][1].set_result(TAKEN)
        await settle_down()
        assert box.cursor == 0
        broker.sent[0][1].set_result(TAKEN)
        await settle_down()
        assert (box.cursor, box.depth) == (2, 1)


async def test_events_leave_a_reserve_for_levels_and_answers() -> None:
    journal, broker = MemoryJournal(), HandBroker(window=20)
    async with boxed(journal) as (box, _):
        box.attach(broker)
        box.committed(journal.add(50))
        await settle_down()
        assert len(broker.sent) == 20 - RESERVED_MESSAGES
        await broker.land(TAKEN)
        assert len(broker.sent) == 20 - RESERVED_MESSAGES + 1


async def test_a_broker_that_grants_one_at_a_time_is_served_one_at_a_time() -> None:
    journal, broker = MemoryJournal(), HandBroker(window=1)
    async with boxed(journal) as (box, _):
        box.attach(broker)
        box.committed(journal.add(3))
        for count in (1, 2, 3):
            assert len(broker.sent) == count
            await broker.land(TAKEN)
        assert box.depth == 0
        await asyncio.wait_for(box.drained(), 1)


async def test_after_a_loss_it_begins_again_after_the_last_one_taken() -> None:
    journal, first, second = MemoryJournal(), HandBroker(), HandBroker()
    async with boxed(journal) as (box, _):
        box.attach(first)
        box.committed(journal.add(5))
        await first.land(TAKEN, TAKEN, GONE, GONE, GONE)
        first.open = False
        box.detach()
        box.committed(journal.add(1))
        box.attach(second)
        await settle_down()
        assert sequences(second) == [3, 4, 5, 6]


async def test_a_refused_event_is_told_once_and_probed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.outbox.REFUSED_RETRY_S_MIN", 0)
    journal, broker = MemoryJournal(), HandBroker()
    async with boxed(journal) as (box, refused):
        box.attach(broker)
        box.committed(journal.add(4))
        await broker.land(TAKEN, REFUSED, TAKEN, TAKEN)
        await asyncio.sleep(0.01)
        assert (box.cursor, box.refusing, refused) == (1, True, [2])
        assert sequences(broker)[4:] == [2]
        await broker.land(REFUSED)
        await asyncio.sleep(0.01)
        assert (sequences(broker)[5:], refused) == ([2], [2])
        await broker.land(TAKEN)
        assert sequences(broker)[6:] == [3, 4]
        await broker.land(TAKEN, TAKEN)
        assert (box.cursor, box.refusing) == (4, False)


async def test_a_long_absence_does_not_fill_the_memory() -> None:
    journal = MemoryJournal()
    async with boxed(journal) as (box, _):
        box.committed(journal.add(READY_EVENTS_MAX + 1))
        await settle_down()
        assert len(box._ready) == 0
        broker = HandBroker()
        box.attach(broker)
        while box.depth:
            assert len(box._ready) <= READY_EVENTS_MAX
            await broker.land(*[TAKEN] * 64)
            await asyncio.sleep(TICK_S / 20)
        assert sequences(broker) == list(range(1, READY_EVENTS_MAX + 2))


async def test_what_was_made_before_the_connection_is_historical_and_what_comes_after_is_not() -> (
    None
):
    journal, broker = MemoryJournal(), HandBroker()
    async with boxed(journal) as (box, _):
        box.committed(journal.add(3))
        box.attach(broker)
        await settle_down()
        await broker.land(*[TAKEN] * 3)
        box.committed(journal.add(2))
        await settle_down()
    assert [message.historical for message, _ in broker.sent] == [True] * 3 + [False] * 2


async def test_what_is_repeated_after_a_loss_is_historical() -> None:
    journal, first, second = MemoryJournal(), HandBroker(), HandBroker()
    async with boxed(journal) as (box, _):
        box.attach(first)
        box.committed(journal.add(2))
        assert not any(message.historical for message, _ in first.sent)
        box.detach()
        box.attach(second)
        await settle_down()
    assert [message.historical for message, _ in second.sent] == [True, True]


async def test_a_backlog_is_paced_and_the_rest_of_the_window_stays_free() -> None:
    count = 3 * HISTORICAL_EVENTS_PER_TICK
    journal, broker = MemoryJournal(), HandBroker(window=10 * count)
    async with boxed(journal) as (box, _):
        box.committed(journal.add(count))
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        box.attach(broker)
        await settle_down()
        if loop.time() < began_s + TICK_S:
            assert len(broker.sent) == HISTORICAL_EVENTS_PER_TICK
        while len(broker.sent) < count:
            await asyncio.sleep(TICK_S / 10)
            await broker.land(*[TAKEN] * count)
        assert loop.time() - began_s >= 2 * TICK_S
    assert sequences(broker) == list(range(1, count + 1))


class PrunedJournal(MemoryJournal):
    """One whose first events are gone."""

    gone = 0

    async def events_after(self, sequence: int, limit: int = 256) -> list[SealedEvent]:
        """As the store has it."""
        return await super().events_after(max(sequence, self.gone), limit)


async def test_a_cursor_that_fell_behind_what_was_pruned_goes_on_after_it() -> None:
    journal, broker = PrunedJournal(cursors={BROKER: 2}), HandBroker()
    journal.add(9)
    journal.gone = 6
    async with boxed(journal) as (box, _):
        box.attach(broker)
        async with asyncio.timeout(10):
            while len(broker.sent) < 3:
                await asyncio.sleep(0)
        box.committed(journal.add(1))
        assert sequences(broker) == [7, 8, 9, 10]
        assert box.cursor == 2
        await broker.land(*[TAKEN] * 4)
        assert (box.cursor, box.depth) == (10, 0)

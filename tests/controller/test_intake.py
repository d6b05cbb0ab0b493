"""One order for everything, a bound that holds, and losses that are said."""

from __future__ import annotations

import asyncio

import pytest

from controller.clock import SystemClock
from controller.core.inputs import DaemonStopped, Done, Overrun, TimerFired
from controller.intake import (
    ENDING_INPUTS_MAX,
    RESERVED_INPUTS,
    WAITING_COMMANDS_MAX,
    WAITING_INPUTS_MAX,
    Intake,
    Waiting,
)
from controller.journal.answer import Answer
from hal.facts import CardDrawn
from hal.ports import Heard


@pytest.fixture
def intake() -> Intake:
    return Intake(SystemClock())


def card(number: int) -> Heard:
    return Heard("shoe", CardDrawn(number % 10_000, "down"), 5_999_999)


def indices(batch: list[Waiting]) -> list[object]:
    return [w.item.index if isinstance(w.item, CardDrawn) else w.item for w in batch]


def test_facts_commands_and_timers_come_out_in_the_order_of_their_arrival(intake: Intake) -> None:
    intake.offer(card(1))
    intake.offer_command("dealer", "ann", Done(), "c1", lambda answer: None)
    intake.offer_item("clock", TimerFired("idle"))
    batch = intake.take_now(10)
    assert [waiting.source for waiting in batch] == ["shoe", "dealer", "clock"]
    assert batch[0].mono_ms == 5
    assert (batch[1].by, batch[1].command) == ("ann", "c1")


async def test_take_waits_for_the_first_and_takes_no_more_than_asked(intake: Intake) -> None:
    taking = asyncio.create_task(intake.take(2))
    await asyncio.sleep(0)
    assert not taking.done()
    for number in range(3):
        intake.offer(card(number))
    assert indices(await taking) == [0, 1]
    assert len(intake) == 1


def test_a_flood_is_cut_off_and_counted_where_it_happened(intake: Intake) -> None:
    room = WAITING_INPUTS_MAX - RESERVED_INPUTS
    for number in range(room + 7):
        intake.offer(card(number))
    assert intake.lost == 7
    # The mark of the loss holds the one slot that comes free.
    assert indices(intake.take_now(1)) == [0]
    intake.offer(card(9000))
    assert indices(intake.take_now(1)) == [1]
    intake.offer(card(9001))
    rest = indices(intake.take_now(WAITING_INPUTS_MAX))
    assert rest == [*range(2, room), Overrun(8), 9001]


def test_the_bound_holds_whatever_is_offered(intake: Intake) -> None:
    for number in range(3 * WAITING_INPUTS_MAX):
        intake.offer(card(number))
        intake.offer_item("clock", TimerFired("t"))
        intake.offer_command("dealer", "ann", Done(), None, lambda answer: None)
    assert len(intake) <= WAITING_INPUTS_MAX + 1


def test_clock_and_system_are_heard_in_a_flood_of_devices(intake: Intake) -> None:
    for number in range(WAITING_INPUTS_MAX):
        intake.offer(card(number))
    intake.offer_item("clock", TimerFired("idle"))
    assert isinstance(intake.take_now(WAITING_INPUTS_MAX * 2)[-1].item, TimerFired)


def test_a_burst_of_commands_is_taken_and_one_more_is_told_that_it_was_not(intake: Intake) -> None:
    told: list[Answer] = []
    for _ in range(WAITING_COMMANDS_MAX):
        assert intake.offer_command("dealer", "ann", Done(), None, told.append)
    assert told == []
    assert not intake.offer_command("dealer", "ann", Done(), None, told.append)
    assert [answer.result for answer in told] == ["busy"]
    intake.take_now(1)
    assert intake.offer_command("dealer", "ann", Done(), None, told.append)
    # Devices still have their room.
    intake.offer(card(1))
    assert intake.lost == 0


def test_nothing_is_taken_after_the_last_word(intake: Intake) -> None:
    told: list[Answer] = []
    intake.close(DaemonStopped())
    intake.close(DaemonStopped())
    intake.offer(card(1))
    intake.offer_item("clock", TimerFired("idle"))
    intake.offer_command("dealer", "ann", Done(), None, told.append)
    assert indices(intake.take_now(10)) == [DaemonStopped()]
    assert [answer.result for answer in told] == ["busy"]


def test_what_waits_at_the_end_is_still_decided(intake: Intake) -> None:
    for number in range(ENDING_INPUTS_MAX):
        intake.offer(card(number))
    intake.close(DaemonStopped())
    taken = indices(intake.take_now(WAITING_INPUTS_MAX))
    assert taken == [*range(ENDING_INPUTS_MAX), DaemonStopped()]
    assert intake.lost == 0


def test_of_a_flood_the_end_decides_the_oldest_and_counts_the_others(intake: Intake) -> None:
    told: list[Answer] = []
    for number in range(WAITING_INPUTS_MAX):
        intake.offer(card(number))
    for _ in range(2):
        intake.offer_item("clock", TimerFired("idle"))
    lost = intake.lost
    assert lost == RESERVED_INPUTS
    intake.close(DaemonStopped())
    taken = indices(intake.take_now(WAITING_INPUTS_MAX))
    assert taken[:-2] == list(range(ENDING_INPUTS_MAX))
    gone = WAITING_INPUTS_MAX + 2 - ENDING_INPUTS_MAX
    assert taken[-2:] == [Overrun(gone), DaemonStopped()]
    assert intake.lost == gone
    assert told == []


def test_one_beyond_what_the_end_decides_is_counted_and_a_command_is_told(intake: Intake) -> None:
    told: list[Answer] = []
    for number in range(ENDING_INPUTS_MAX - 1):
        intake.offer(card(number))
    for _ in range(2):
        intake.offer_command("dealer", "ann", Done(), None, told.append)
    intake.close(DaemonStopped())
    taken = indices(intake.take_now(WAITING_INPUTS_MAX))
    assert taken[-2:] == [Done(), DaemonStopped()]
    assert [answer.result for answer in told] == ["busy"]
    assert (intake.lost, len(intake)) == (0, 0)

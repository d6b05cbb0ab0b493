"""Numbers of the generator come back from the record; dice and what a person has mended do not."""

from __future__ import annotations

import json
from pathlib import Path

from controller.journal.record import Chain, SealedEvent, seal
from controller.journal.store import Entry, Store
from controller.number_history import EVENTS_A_READ, numbers_on_record
from hal.self_check import WINDOW_NUMBERS
from tests.play import Play


def event(sequence: int, kind: str, **data: object) -> SealedEvent:
    return SealedEvent(sequence, kind, 0, "", json.dumps({"data": data}).encode())


def drawn(numbers: list[int], method: str = "rng") -> list[tuple[str, dict[str, object]]]:
    return [("startpos.determined", {"method": method, "raw": number}) for number in numbers]


class Record:
    """A store's events, and how many of them were read."""

    def __init__(self, events: list[tuple[str, dict[str, object]]]) -> None:
        self.events = [event(n, kind, **data) for n, (kind, data) in enumerate(events, start=1)]
        self.chain = Chain("j", "t-1", sequence=len(events))
        self.read = 0

    async def draws_before(self, sequence: int, limit: int = EVENTS_A_READ) -> list[SealedEvent]:
        kinds = ("startpos.determined", "rng.failed")
        before = [one for one in self.events if one.sequence < sequence and one.type in kinds]
        some = before[::-1][:limit]
        self.read += len(some)
        return some


async def test_numbers_come_in_their_order_over_many_reads() -> None:
    numbers = [n % 7 + 1 for n in range(3 * EVENTS_A_READ + 1)]
    assert await numbers_on_record(Record(drawn(numbers))) == numbers


async def test_an_empty_record_has_none() -> None:
    assert await numbers_on_record(Record([])) == []


async def test_dice_are_no_numbers_of_the_generator() -> None:
    assert await numbers_on_record(Record(drawn([4], "shaker") + drawn([2]))) == [2]


async def test_no_more_than_a_window_comes_back() -> None:
    numbers = [n % 7 + 1 for n in range(WINDOW_NUMBERS + 1)]
    assert await numbers_on_record(Record(drawn(numbers))) == numbers[1:]


async def test_a_long_record_is_read_no_further_back_than_a_window() -> None:
    record = Record(drawn([3] * 3 * WINDOW_NUMBERS))
    assert len(await numbers_on_record(record)) == WINDOW_NUMBERS
    assert record.read < WINDOW_NUMBERS + EVENTS_A_READ


async def test_what_was_mended_by_a_person_is_not_held_against_the_generator() -> None:
    failed = [("rng.failed", {"test": "self_check"})]
    other = [("rng.failed", {"test": "repetition"})]
    assert await numbers_on_record(Record(drawn([4, 4]) + failed + drawn([1]))) == [1]
    assert await numbers_on_record(Record(drawn([4, 4]) + other + drawn([1]))) == [4, 4, 1]


async def test_a_real_journal_gives_the_number_of_its_round(tmp_path: Path) -> None:
    day = Play("fortune-asia-poker").ready().bets(1, 3)
    day.draw(6)
    store = await Store.open(tmp_path / "journal.sqlite", "t-1")
    for turn in day.turns:
        await store.commit([Entry(seal(store.chain, turn.arrived, turn.events, turn.effects))])
    assert await numbers_on_record(store) == [6]
    seen: list[str] = []
    connection = store._connection
    await store._worker.do(lambda: connection.set_trace_callback(seen.append))
    await numbers_on_record(store)
    await store._worker.do(lambda: connection.set_trace_callback(None))
    plan = await store._worker.do(
        lambda: connection.execute("EXPLAIN QUERY PLAN " + seen[0]).fetchall()
    )
    assert "INDEX draws" in str(plan), "found by its index, not by reading all"
    await store.close()

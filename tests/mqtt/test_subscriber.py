"""The reference subscriber: repeats, gaps, chain, late wills; alone and at a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway
from controller.clock import SystemClock
from controller.journal.record import Chain
from controller.messages import Birth, Topics, status_message
from controller.subscriber import Ledger, Seen, StatusBook, Subscriber
from tests.mqtt.mosquitto import Mosquitto, Wire, until
from tests.mqtt.rooms import MemoryJournal, serving, table_at


def bodies(count: int) -> list[bytes]:
    return [event.body for event in MemoryJournal().add(count)]


def fed(order: list[bytes], ledger: Ledger) -> list[Seen]:
    return [ledger.take("T1", body, 0) for body in order]


def test_in_order_there_is_nothing_to_remark() -> None:
    ledger = Ledger(from_start=True)
    seen = fed(bodies(20), ledger)
    assert [one.sequence for one in seen] == list(range(1, 21))
    assert not any(one.repeat or one.gap or one.problem for one in seen)
    assert (ledger.events, ledger.repeats, ledger.missing()) == (20, 0, {})
    assert ledger.reached("j") == 20


def test_a_repeat_counts_once_and_a_gap_is_told_and_can_be_filled() -> None:
    all_of_them = bodies(6)
    ledger = Ledger()
    seen = fed([all_of_them[0], all_of_them[0], all_of_them[4]], ledger)
    assert [one.repeat for one in seen] == [False, True, False]
    assert seen[2].gap == (2, 4)
    assert ledger.missing() == {"j": [(2, 4)]}
    fed(all_of_them[1:4], ledger)
    assert ledger.missing() == {}
    assert (ledger.events, ledger.problems) == (5, 0)


def test_a_changed_event_and_a_broken_chain_are_told_apart() -> None:
    first, second, third = bodies(3)
    ledger = Ledger()
    forged = second.replace(b'"n":2', b'"n":9')
    assert forged != second
    told = fed([first, forged], ledger)[1].problem
    assert told == "its hash is wrong"
    assert ledger.take("T1", third, 0).problem is None
    fresh = Ledger()
    fresh.take("T1", first, 0)
    alien = MemoryJournal()
    alien.chain = Chain("j", "T1", prevhash="1" * 64)
    told = fresh.take("T1", alien.add(2)[1].body, 0).problem
    assert told == "the chain breaks before event 2"


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b'{"journal":1}', b"[" * 100_000, b"\xff"])
def test_what_is_no_event_is_a_problem_and_never_an_exception(payload: bytes) -> None:
    ledger = Ledger()
    assert ledger.take("T1", payload, 0).envelope is None
    assert ledger.problems == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_order_with_repeats_ends_complete(data: st.DataObject) -> None:
    all_of_them = bodies(8)
    order = data.draw(st.permutations(all_of_them))
    repeats = data.draw(st.lists(st.sampled_from(all_of_them), max_size=6))
    ledger = Ledger(from_start=True)
    fed([*order, *repeats], ledger)
    assert (ledger.events, ledger.repeats, ledger.problems) == (8, len(repeats), 0)
    assert ledger.missing() == {}
    assert ledger.reached("j") == 8


def test_journals_that_strangers_invent_do_not_fill_the_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("controller.subscriber.JOURNALS_MAX", 2)
    monkeypatch.setattr("controller.subscriber.AHEAD_ALL_EVENTS_MAX", 4)
    ledger, book = Ledger(from_start=True), StatusBook()
    for name in ("j", "k", "l"):
        journal = MemoryJournal(Chain(name, "T1"))
        made = [event.body for event in journal.add(6)]
        fed(made[1:4], ledger)
        birth = Birth("T1", name, 1, "1", "d", "p")
        book.take("T1", status_message(Topics("tables", "T1"), birth, 1, "running").payload)
    assert list(ledger._rows) == ["k", "l"]
    assert ledger._ahead == sum(len(row.ahead) for row in ledger._rows.values()) <= 4
    assert list(book.newest) == ["T1/k", "T1/l"]


def test_a_late_will_of_an_older_life_is_ignored() -> None:
    topics, book = Topics("tables", "T1"), StatusBook()

    def take(boot: int, session: int, lost: bool = False) -> bool:
        birth = Birth("T1", "j", boot, "1", "d", "p")
        message = status_message(topics, birth, session, "lost" if lost else "running")
        return book.take("T1", message.payload) is not None

    assert take(1, 1)
    assert take(2, 1)
    assert not take(1, 1, lost=True)
    assert take(2, 2)
    assert not take(2, 1, lost=True)
    assert take(2, 2, lost=True)
    assert book.take("T1", b"nonsense") is None


async def test_it_follows_a_table_through_an_outage_and_knows_what_it_missed(
    broker: Mosquitto,
) -> None:
    wire = Wire(broker)
    table = table_at(broker, MemoryJournal())
    seen: list[Seen] = []
    states: list[str] = []
    links: list[bool] = []
    address = BrokerAddress("127.0.0.1", wire.port)
    subscriber = Subscriber(
        address, "eye", SystemClock(), seen.append, tables="T*",
        status=lambda _, value: states.append(str(value["status"])), link=links.append,
    )  # fmt: skip
    async with wire.laid(), serving(table):
        task = asyncio.create_task(subscriber.run(random.Random(1)))
        await subscriber.ready.wait()
        await until(lambda: table.line.counters.up)
        table.commit(10)
        await until(lambda: subscriber.ledger.events == 10)
        wire.cut()
        await until(lambda: links[-1] is False)
        table.commit(5)
        await until(lambda: links[-1] is True)
        table.commit(1)
        await until(lambda: subscriber.ledger.events == 11)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    assert seen[-1].gap == (11, 15)
    assert subscriber.ledger.missing() == {"j": [(11, 15)]}
    assert states[0] == "online"


async def test_a_broker_that_never_was_there_is_told(tmp_path: Path) -> None:
    broker = Mosquitto(tmp_path)
    subscriber = Subscriber(broker.address(), "eye", SystemClock(), lambda _: None)
    with pytest.raises(BrokerAway):
        await subscriber.run(random.Random(1))

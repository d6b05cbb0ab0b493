"""Whoever asks too much is answered, named on record, and does not fill it."""

from __future__ import annotations

import collections
import json

import pytest

from controller import command_desk
from controller.allowance import BURST_COMMANDS_MAX, BURST_REFUSALS_MAX
from controller.core.inputs import Flooded, Malformed, OrderShuffle
from controller.messages import Outgoing
from tests.mqtt.mosquitto import Mosquitto, until
from tests.mqtt.rooms import TOPICS, MemoryJournal, Table, listener, serving, table_at
from tests.mqtt.test_command_desk import REPLIES, answers, command, send

SOON_S = 30.0
MORE = 100


def floods(table: Table) -> list[tuple[str, int]]:
    return [(one.principal, one.commands) for one in table.door.facts(Flooded)]


async def test_a_flood_of_refused_commands_leaves_a_bounded_trace_and_others_are_served(
    broker: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command_desk, "FLOOD_TELL_S", 0.5)
    table = table_at(broker, MemoryJournal())
    count = BURST_REFUSALS_MAX + MORE
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await until(lambda: table.line.counters.up, SOON_S)
        strange = [
            Outgoing(TOPICS.below("commands", f"mallory-{n}", "open"), b"{}") for n in range(count)
        ]
        await send(person, *strange)
        await until(lambda: len(heard) == count, SOON_S)
        await send(person, command("lawful"))
        await until(lambda: len(heard) == count + 1, SOON_S)
        # The first at once, the others with the next tellings: more of them on a slow machine.
        recorded = len(table.door.facts(Malformed))
        await until(lambda: sum(many for _, many in floods(table)) == count - recorded, SOON_S)
    results = collections.Counter(one["result"] for one in answers(heard))
    assert results == {"refused": count, "accepted": 1}
    # A slow machine may have filled the bucket by one or two meanwhile.
    assert BURST_REFUSALS_MAX <= recorded < BURST_REFUSALS_MAX + MORE // 2
    assert {who for who, _ in floods(table)} == {"unknown"}
    assert len(table.door.facts(OrderShuffle)) == 1


async def test_a_person_who_asks_too_much_is_told_busy_and_can_be_told_again(
    broker: Mosquitto,
) -> None:
    table = table_at(broker, MemoryJournal())
    count = BURST_COMMANDS_MAX + MORE
    async with serving(table), listener(broker, REPLIES) as (person, heard):
        await until(lambda: table.line.counters.up, SOON_S)
        for first in range(0, count, 50):
            end = min(first + 50, count)
            await send(person, *(command(f"c{n}") for n in range(first, end)))
            await until(lambda: len(heard) >= end, SOON_S)  # noqa: B023 - awaited here
        # The same id again costs nothing: it is answered as before.
        await send(person, command("c0"))
        await until(lambda: len(heard) == count + 1, SOON_S)
    results = collections.Counter(str(one["result"]) for one in answers(heard))
    taken = len(table.door.facts(OrderShuffle))
    assert BURST_COMMANDS_MAX <= taken < count
    assert results == {"accepted": taken + 1, "busy": count - taken}
    assert json.loads(heard[-1].payload) == {**answers(heard)[0]}
    assert floods(table)[0][0] == "floor-1"

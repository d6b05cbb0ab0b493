"""A table without an engine: a journal in memory, a door that answers, and the real line."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from controller.broker_address import Version
from controller.broker_line import BrokerLine, LineSettings
from controller.broker_port import Plan, Received
from controller.commands import Moment
from controller.core.events import Event
from controller.core.inputs import Arrived, Open
from controller.core.outputs import Outputs
from controller.journal.answer import Answer
from controller.journal.record import Chain, SealedEvent, seal
from controller.line_of import line_of
from controller.messages import Birth, Json, Topics
from controller.mqtt import Connection, connect
from controller.reach import Reach
from tests.mqtt.mosquitto import Mosquitto

Fact = TypeVar("Fact")

TOPICS = Topics("tables", "T1")
NOW_MS = 1_767_636_000_000
ROSTER = {"deal-1": "dealer", "floor-1": "floorperson", "eye-1": "surveillance",
          "surveillance": "surveillance"}  # fmt: skip


@dataclass
class MemoryJournal:
    """Events that count as durable; the cursor as the store keeps it."""

    chain: Chain = field(default_factory=lambda: Chain("j", "T1"))
    events: list[SealedEvent] = field(default_factory=list)
    cursors: dict[str, int] = field(default_factory=dict)

    def add(self, count: int) -> list[SealedEvent]:
        """Seal `count` more events, one input each."""
        return [self.say(Event("round.dealt", {"n": self.chain.inputs + 1})) for _ in range(count)]

    def say(self, event: Event) -> SealedEvent:
        """Seal one more event."""
        number = self.chain.inputs + 1
        arrived = Arrived(number, NOW_MS + number, number, 1, True, "floorperson", "f", Open())
        turn = seal(self.chain, arrived, (event,), ())
        self.chain = turn.chain
        self.events.extend(turn.events)
        return turn.events[0]

    async def events_after(self, sequence: int, limit: int = 256) -> list[SealedEvent]:
        """As the store has it."""
        await asyncio.sleep(0)
        return self.events[sequence : sequence + limit]

    def cursor(self, name: str) -> int:
        """As the store has it."""
        return self.cursors.get(name, 0)

    async def set_cursor(self, name: str, sequence: int) -> None:
        """As the store has it."""
        self.cursors[name] = sequence


@dataclass
class Door:
    """Takes inputs and answers commands, now or when the test says so."""

    items: list[tuple[str, str | None, object]] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    held: list[Callable[[Answer], None]] = field(default_factory=list)
    hold: bool = False
    told: dict[tuple[str, str], Answer] = field(default_factory=dict)

    def offer_item(self, source: str, item: object) -> None:
        """As the intake has it."""
        self.items.append((source, None, item))

    def offer_command(
        self, source: str, by: str | None, item: object, command_id: str | None,
        answer: Callable[[Answer], None],
    ) -> bool:  # fmt: skip
        """As the intake has it."""
        self.items.append((source, by, item))
        self.ids.append(command_id)

        def durable(given: Answer) -> None:
            if by is not None and command_id is not None:
                self.told[by, command_id] = given
            answer(given)

        if self.hold:
            self.held.append(durable)
        else:
            asyncio.get_running_loop().call_soon(durable, Answer("accepted", (len(self.items),)))
        return True

    def facts(self, kind: type[Fact]) -> list[Fact]:
        """What was offered of one kind."""
        return [item for _, _, item in self.items if isinstance(item, kind)]


def only_delivery(journal: str) -> Callable[[Reach], Awaitable[Mapping[str, Json]]]:
    """A report of how far the record has come, and of nothing else."""

    async def report(reach: Reach) -> Mapping[str, Json]:
        return {"delivery": reach.levels(journal)}

    return report


@dataclass
class Table:
    """All of it together."""

    line: BrokerLine
    journal: MemoryJournal
    door: Door

    def commit(self, count: int, outputs: Outputs | None = None) -> None:
        """Make events durable and hand them to the line."""
        events = self.journal.add(count)
        self.line.committed(events, outputs or Outputs(), self.journal.chain.sequence)

    def say(self, event: Event) -> None:
        """Make one event durable and hand it to the line."""
        self.line.committed([self.journal.say(event)], Outputs(), self.journal.chain.sequence)


def table_at(
    broker: Mosquitto,
    journal: MemoryJournal,
    *,
    version: Version = "5",
    username: str | None = None,
    keepalive_s: int = 15,
    port: int | None = None,
    boot: int = 1,
    recorder: str | None = None,
    onvif: bool = False,
) -> Table:
    """A table whose line is not running yet."""
    address = broker.address(version, username, "secret" if username else None)
    settings = LineSettings(
        address if port is None else dataclasses.replace(address, port=port), keepalive_s,
        onvif=onvif,
    )  # fmt: skip
    return table_of(settings, journal, boot=boot, recorder=recorder)


def table_of(
    settings: LineSettings,
    journal: MemoryJournal,
    *,
    name: str = "T1",
    boot: int = 1,
    recorder: str | None = None,
    seed: int = 7,
) -> Table:
    """A table at any broker whose line is not running yet."""
    door = Door()
    line = line_of(
        settings, Topics("tables", name), Birth(name, journal.chain.journal, boot, "1", "d", "p"),
        store=journal, tail=journal.chain.sequence, door=door, roster=ROSTER,
        now=lambda: Moment(NOW_MS, True), known=lambda by, command: door.told.get((by, command)),
        measure=only_delivery(journal.chain.journal), jitter=random.Random(seed), recorder=recorder,
    )  # fmt: skip
    return Table(line, journal, door)


@contextlib.asynccontextmanager
async def serving(table: Table) -> AsyncIterator[asyncio.Task[None]]:
    """The line runs; at the end it is cancelled, as if the process died."""
    task = asyncio.create_task(table.line.run())
    try:
        yield task
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


@contextlib.asynccontextmanager
async def listener(
    broker: Mosquitto,
    *filters: str,
    name: str = "ear",
    version: Version = "5",
    username: str | None = None,
) -> AsyncIterator[tuple[Connection, list[Received]]]:
    """A subscriber that keeps all it hears."""
    heard: list[Received] = []
    password = "secret" if username else None
    plan = Plan(broker.address(version, username, password), name)
    async with connect(plan, heard.append) as connection:
        if filters:
            assert await connection.subscribe(filters) == []
        yield connection, heard

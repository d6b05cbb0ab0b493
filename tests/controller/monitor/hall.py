"""A hall of tables that really decide: each a day of the rules, all of them on one connection.

What a table says is what a daemon would say: the same rules, record and messages. Only devices,
disk and a connection for each table are left out, so that two hundred fit on a small machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from config.profiles import profile_document
from controller.broker_address import BrokerAddress
from controller.broker_port import Plan, Received
from controller.clock import SystemClock
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.core.stamp import stamp_of
from controller.day import Day
from controller.games import book_of
from controller.journal.record import Chain
from controller.messages import (
    Birth,
    Json,
    Outgoing,
    Topics,
    event_message,
    health_message,
    level_message,
    levels_of,
    status_message,
)
from controller.mqtt import Connection, connect

GAMES = ("dj-wild", "fortune-asia-poker", "blackjack", "minibaccarat")
ROSTER = {"rivera": "floorperson", "pit": "pit_manager", "eye-1": "surveillance"}
DAYS = Path(__file__).parents[2] / "scenarios" / "days"
HEALTH: Mapping[str, Json] = {
    "clock": {"synchronised": True, "offset_ms": 0},
    "storage": {"free_bytes": 28_000_000_000, "writable": True},
    "journal": {"lag_ms": 4},
    "outbox": {"depth": 0, "cursor": 0, "refusing": False},
    "temperatures_mc": [48_200],
    "memory": {"resident_bytes": 61_000_000},
}


class HallTable:
    """One table: `play` decides one input and publishes what follows from it."""

    def __init__(self, name: str, game: str, connection: Connection, boot: int = 1) -> None:
        self.topics = Topics("tables", name)
        self.name = name
        self._connection = connection
        self.day = Day(book_of(DEFAULTS[game], profile_of(profile_document(game)[0])))
        self.day.chain = Chain(f"j-{name}-{boot}", name)
        self.birth = Birth(name, f"j-{name}-{boot}", boot, "1.0", "d", "p")
        self._shown: set[str] = set()
        text = (DAYS / f"{game}.inputs.jsonl").read_text()
        self._inputs = [json.loads(line) for line in text.splitlines() if line.strip()]
        self._next = 0

    def begin(self) -> None:
        """Status, health and levels, as at a birth."""
        self._say(status_message(self.topics, self.birth, 1, "running"))
        self._say(health_message(self.topics, HEALTH))
        self._levels()

    def end(self, how: str = "lost") -> None:
        """The will, or a farewell."""
        assert how in ("lost", "stopped")
        end = "lost" if how == "lost" else "stopped"
        self._say(status_message(self.topics, self.birth, 1, end))

    def step(self, inputs: int = 1) -> None:
        """The next inputs of the game's own day."""
        for _ in range(inputs):
            if self._next < len(self._inputs):
                self._next += 1
                self.play(**self._inputs[self._next - 1])

    def play_until(self, phase: str) -> None:
        """The inputs of the game's own day until it stands in a phase."""
        while self.day.state.phase != phase:
            assert self._next < len(self._inputs), f"{self.name} never comes to {phase}"
            self.step()

    def play(self, **members: object) -> list[dict[str, object]]:
        """One input of now; gives back the lines that follow from it."""
        members["at"] = stamp_of(SystemClock().wall_ms())
        lines = [json.loads(line) for line in self.day.play(members)]
        for line in lines:
            if "event" in line:
                event = line["event"]
                body = json.dumps(event, separators=(",", ":"), ensure_ascii=False)
                self._say(event_message(self.topics, event["type"], body.encode()))
        self._levels()
        return lines

    def jam(self) -> None:
        """The shoe jams: an irregularity within a round, an alarm in any case."""
        self.play(**{"from": "shoe", "type": "jam"})

    def command(self, principal: str, type_name: str, payload: bytes) -> None:
        """What somebody asks, decided by his role in the roster, and answered."""
        said = json.loads(payload)
        identifier = said.pop("id")
        said.pop("issued_at")
        role = ROSTER.get(principal)
        answer: dict[str, Json] = {"id": identifier, "result": "accepted", "sequences": []}
        lines = self.play(**{"from": role, "by": principal, "type": type_name, **said})
        for line in lines:
            refused = line.get("refused")
            if isinstance(refused, dict):
                answer = {"id": identifier, "result": "refused", "rule": refused["rule"],
                          "reason": refused["reason"]}  # fmt: skip
        body = json.dumps(answer).encode()
        self._say(Outgoing(self.topics.below("replies", principal), body))

    def _levels(self) -> None:
        levels = levels_of(self.topics, self.day.outputs, self.day.chain.sequence)
        for topic, payload in levels.items():
            self._say(level_message(topic, payload))
        for topic in self._shown - levels.keys():
            self._say(level_message(topic, b""))
        self._shown = set(levels)

    def _say(self, message: Outgoing) -> None:
        self._connection.publish(message)


class Hall:
    """Tables `t-1` to `t-n`, the games in turn."""

    def __init__(self, connection: Connection, count: int) -> None:
        self.tables = {
            f"t-{n}": HallTable(f"t-{n}", GAMES[n % len(GAMES)], connection)
            for n in range(1, count + 1)
        }

    def __getitem__(self, name: str) -> HallTable:
        return self.tables[name]

    def hear(self, received: Received) -> None:
        """A command to one of the tables."""
        _, name, _, principal, type_name = received.topic.split("/")
        self.tables[name].command(principal, type_name, received.payload)

    async def begin(self, connection: Connection, inputs: int = 0) -> None:
        """Bring every table to life; never more on the way than the connection takes."""
        for n, table in enumerate(self.tables.values()):
            table.begin()
            for _ in range(inputs + n * 5 % 13 if inputs else 0):
                table.step()
                while connection.free == 0:
                    await asyncio.sleep(0.005)
            await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def hall_at(
    address: BrokerAddress, count: int, inputs: int = 0, name: str = "hall"
) -> AsyncIterator[Hall]:
    """A hall for the body's duration; it hears commands and answers them."""
    halls: list[Hall] = []

    def hear(received: Received) -> None:
        halls[0].hear(received)

    async with connect(Plan(address, name), hear) as connection:
        halls.append(Hall(connection, count))
        assert await connection.subscribe(["tables/+/commands/+/+"]) == []
        await halls[0].begin(connection, inputs)
        yield halls[0]

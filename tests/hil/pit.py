"""The pit's side of a rig: people who send commands, and everything that the table publishes."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field

from controller.broker_address import BrokerAddress
from controller.broker_port import Plan, Received
from controller.clock import SystemClock
from controller.core.codec import canonical
from controller.core.stamp import stamp_of
from controller.messages import Outgoing, Topics
from controller.mqtt import Connection, connect
from tests.hil.tablefile import EYE

# A disk shared with other work takes seconds to sync at its worst; nothing here judges time.
HEARD_S_MAX = 120.0

# Of the record, of the clock of the machine that the tests run on, and of a boot loader's banner,
# which is told once a second: they come when they will.
OF_THE_MACHINE = ("journal.", "clock.", "link.noise")

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Answered:
    """What a person was told: `rule` None where it was accepted."""

    accepted: bool
    sequences: tuple[int, ...]
    rule: str | None
    reason: str


@dataclass
class Pit:
    """Events by sequence, newest levels by topic, and answers by id; `send` is a person."""

    topics: Topics
    events: dict[int, Json] = field(default_factory=dict)
    levels: dict[str, Json] = field(default_factory=dict)
    _answers: dict[str, Json] = field(default_factory=dict)
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _ids: Callable[[], int] = itertools.count(1).__next__
    _connection: Connection | None = None

    @asynccontextmanager
    async def joined(self, address: BrokerAddress) -> AsyncIterator[Pit]:
        """Be there for the body's duration."""
        plan = Plan(address, f"pit-{self.topics.table_id}")
        async with connect(plan, self._hear) as connection:
            await connection.subscribe([self.topics.below("#")])
            self._connection = connection
            yield self

    async def until(
        self, true: Callable[[], bool], what: str, more: Callable[[], str] = str
    ) -> None:
        """Wait until `true()`. Raises AssertionError with `what` in words, and `more()`."""
        try:
            async with asyncio.timeout(HEARD_S_MAX):
                while not true():
                    self._news.clear()
                    with suppress(TimeoutError):
                        async with asyncio.timeout(0.5):
                            await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"{what} {more()}") from None

    async def send(self, principal: str, kind: str, members: Mapping[str, object]) -> Answered:
        """One command and its answer; the events that it caused have come when this returns."""
        assert self._connection is not None
        clock = SystemClock()
        identity = f"{clock.mono_ns()}-{self._ids()}"
        payload = canonical({**members, "id": identity, "issued_at": stamp_of(clock.wall_ms())})
        topic = self.topics.below("commands", principal, kind)
        await self._connection.publish(Outgoing(topic, payload))
        await self.until(lambda: identity in self._answers, f"{kind}: no answer")
        answer = self._answers.pop(identity)
        sequences = tuple(answer.get("sequences", ()))  # type: ignore[arg-type]
        await self.until(
            lambda: self.events.keys() >= set(sequences), f"{kind}: its events do not come"
        )
        accepted = answer["result"] == "accepted"
        rule, reason = answer.get("rule"), str(answer.get("reason", ""))
        return Answered(accepted, sequences, None if rule is None else str(rule), reason)

    async def fence(self) -> int:
        """A word of the surveillance room: all that was recorded before it has come; its input."""
        answer = await self.send(EYE, "annotate", {"event": "1", "text": "so far"})
        assert answer.accepted, answer.reason
        return cause_of(self.events[answer.sequences[-1]])

    def between(self, after: int, before: int | None = None) -> list[Json]:
        """Events that inputs after `after` and before `before` caused, in sequence."""
        return [
            event for _, event in sorted(self.events.items())
            if cause_of(event) > after and (before is None or cause_of(event) < before)
            and not str(event["type"]).startswith(OF_THE_MACHINE)
        ]  # fmt: skip

    def level(self, *levels: str) -> Json:
        """The newest value of a retained topic, empty where none came."""
        return self.levels.get(self.topics.below(*levels), {})

    def _hear(self, received: Received) -> None:
        below = received.topic.removeprefix(self.topics.below(""))
        if below.startswith("commands/") or not received.payload:
            return
        said = json.loads(received.payload)
        if below.startswith("events/"):
            self.events[int(said["sequence"])] = said
        elif below.startswith("replies/"):
            self._answers[said["id"]] = said
        else:
            self.levels[received.topic] = said
        self._news.set()


def cause_of(event: Json) -> int:
    """The number of the input that caused an event; 0 for one that no input caused."""
    data = event["data"]
    assert isinstance(data, dict)
    return int(data.get("cause") or 0)

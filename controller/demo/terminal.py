"""Terminals of the pit: each person's commands over MQTT, their answers, and the state shown."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import Callable, Mapping

from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Plan, Received
from controller.clock import SystemClock
from controller.core.codec import canonical
from controller.core.stamp import stamp_of
from controller.demo.view import View
from controller.messages import Json, Outgoing, Topics
from controller.mqtt import Connection, connect

ANSWER_S_MAX = 5.0
# A person looks again at once; the broker of a demo is on the same machine.
AGAIN_S = 0.2


class NoAnswer(Exception):
    """The table did not answer a command, or the broker cannot be reached."""


class Terminals:
    """One connection for all people of the demo; each speaks under a name of his own."""

    def __init__(self, address: BrokerAddress, topics: Topics, view: View) -> None:
        self.replayed: Callable[[bytes], None] = lambda payload: None
        self.ready = asyncio.Event()
        self._plan = Plan(address, "demo-terminals")
        self._topics = topics
        self._view = view
        self._connection: Connection | None = None
        self._numbers = itertools.count(1)
        self._clock = SystemClock()
        self._waiting: dict[str, asyncio.Future[Mapping[str, object]]] = {}

    async def run(self) -> None:
        """Keep the connection until cancelled."""
        while True:
            with contextlib.suppress(BrokerAway):
                async with connect(self._plan, self._hear) as connection:
                    await connection.subscribe(
                        [self._topics.below(*levels) for levels in (
                            ("state",), ("replies", "+"), ("replay", "+"),
                        )]
                    )  # fmt: skip
                    self._connection = connection
                    self._view.link(True)
                    self.ready.set()
                    await connection.lost()
            self._connection = None
            self._view.link(False)
            await asyncio.sleep(AGAIN_S)

    def give_up(self) -> None:
        """The table is down: nobody waits for its answers any longer."""
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(NoAnswer("the table is down"))

    async def send(self, principal: str, kind: str, **members: Json) -> bool:
        """Send a command as `principal` and wait for its answer; whether it was accepted.

        What it caused is in the view when this returns. Raises NoAnswer.
        """
        connection = self._connection
        if connection is None:
            raise NoAnswer("the broker is away")
        identity = f"demo-{self._clock.mono_ns()}-{next(self._numbers)}"
        issued_at = stamp_of(self._clock.wall_ms())
        payload = canonical({**members, "id": identity, "issued_at": issued_at})
        waiting = self._waiting[identity] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                await connection.publish(
                    Outgoing(self._topics.below("commands", principal, kind), payload)
                )
                answer = await waiting
        except TimeoutError:
            raise NoAnswer(f"{kind}: no answer within {ANSWER_S_MAX:g} s") from None
        finally:
            del self._waiting[identity]
        caused = answer.get("sequences")
        last = caused[-1] if isinstance(caused, list) and caused else 0
        if isinstance(last, int):
            await self._view.until(lambda state: state.sequence >= last, ANSWER_S_MAX)
        return bool(answer.get("result") == "accepted")

    def _hear(self, received: Received) -> None:
        if received.topic == self._topics.below("state"):
            self._view.take(received.payload)
        elif received.topic.startswith(self._topics.below("replay", "")):
            self.replayed(received.payload)
        else:
            answer = json.loads(received.payload)
            waiting = self._waiting.get(str(answer.get("id")))
            if waiting is not None and not waiting.done():
                waiting.set_result(answer)

"""Sends commands as one principal and waits for the tables' answers."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections.abc import Callable, Mapping

from controller.backoff import Backoff
from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway, Crowded, Plan, Received
from controller.clock import Clock
from controller.core.codec import canonical
from controller.core.stamp import stamp_of
from controller.messages import Json, Outgoing, Topics
from controller.monitor.reading import text_of
from controller.mqtt import Connection, connect

# A table answers within one commit; a slow disk takes seconds, an absent table for ever.
WAIT_S = 10.0
# More than all people of a room press within that time.
PENDING_COMMANDS_MAX = 64
# A reply lists the events that a command caused.
REPLY_OCTETS_MAX = 64 * 1024
RESULTS = ("accepted", "refused", "busy")

Answer = dict[str, Json]


class Speaker:
    """One connection with the principal's own rights."""

    def __init__(
        self, address: BrokerAddress, client_id: str, principal: str, prefix: str, clock: Clock,
        wait_s: float = WAIT_S,
    ) -> None:  # fmt: skip
        self.principal = principal
        self._plan = Plan(address, client_id)
        self._prefix = prefix
        self._clock = clock
        self._wait_s = wait_s
        self._connection: Connection | None = None
        self._pending: dict[tuple[str, str], asyncio.Future[Answer]] = {}

    @property
    def up(self) -> bool:
        """Whether a command can be sent now."""
        return self._connection is not None

    async def run(self, jitter: random.Random, ready: Callable[[], None]) -> None:
        """Hold the connection until cancelled. Raises BrokerAway where the first one fails."""
        backoff = Backoff(jitter)
        loop = asyncio.get_running_loop()
        stood = False

        def stands() -> None:
            nonlocal stood
            stood = True
            ready()

        while True:
            begun = loop.time()
            try:
                await self._hold(stands)
            except BrokerAway:
                if not stood:
                    raise
            finally:
                self._connection = None
            await asyncio.sleep(backoff.after(loop.time() - begun))

    async def acknowledge(self, table: str, alarm: str) -> Answer:
        """The table's answer: `result`, and `reason` and `rule` of a refusal. Never raises for what
        broker or table do: `result` is then `unsent` or `unanswered`."""
        connection = self._connection
        if connection is None:
            return _unsent("the broker is away")
        if len(self._pending) >= PENDING_COMMANDS_MAX:
            return _unsent("too many commands wait for their answers")
        identifier = secrets.token_hex(8)
        payload = canonical(
            {"alarm": alarm, "id": identifier, "issued_at": stamp_of(self._clock.wall_ms())}
        )
        topic = Topics(self._prefix, table).below("commands", self.principal, "acknowledge")
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._pending[table, identifier] = answered
        try:
            async with asyncio.timeout(self._wait_s):
                delivery = await connection.publish(
                    Outgoing(topic, payload, content="application/json")
                )
                if delivery.refused:
                    return _unsent(f"the broker refuses the command: {text_of(delivery.reason)}")
                return await answered
        except Crowded:
            return _unsent("too many commands wait for the broker")
        except TimeoutError:
            reason = f"table {table} does not answer within {self._wait_s:g} s"
            return {"result": "unanswered", "reason": reason, "rule": ""}
        finally:
            del self._pending[table, identifier]

    async def _hold(self, stands: Callable[[], None]) -> None:
        async with connect(self._plan, self._hear) as connection:
            replies = f"{self._prefix}/+/replies/{self.principal}"
            if await connection.subscribe([replies]):
                raise BrokerAway(f"the broker does not let {self.principal} read {replies}")
            self._connection = connection
            stands()
            raise BrokerAway(await connection.lost())

    def _hear(self, received: Received) -> None:
        table = received.topic.removeprefix(f"{self._prefix}/").partition("/")[0]
        answer = _answer_of(received.payload)
        waiting = self._pending.get((table, str(answer.get("id"))))
        if waiting is not None and not waiting.done() and not received.retain:
            result = text_of(answer.get("result"), 16)
            waiting.set_result(
                {
                    "result": result if result in RESULTS else "refused",
                    "reason": text_of(answer.get("reason")),
                    "rule": text_of(answer.get("rule")),
                }
            )


def _unsent(reason: str) -> Answer:
    return {"result": "unsent", "reason": reason, "rule": ""}


def _answer_of(payload: bytes) -> Mapping[str, object]:
    if len(payload) > REPLY_OCTETS_MAX:
        return {}
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}

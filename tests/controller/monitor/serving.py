"""The monitor in this process or as the verb runs it, and requests like a browser's."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import random
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from controller.clock import SystemClock
from controller.monitor.gate import LOOPBACK_NAMES, Gate
from controller.monitor.room import Room
from controller.monitor.server import MonitorServer
from controller.monitor.speaker import Speaker
from controller.monitor.wall import SILENCE_MS, Wall
from tests.mqtt.mosquitto import Mosquitto

START_S_MAX = 60.0
ANSWER_S_MAX = 30.0
OWN = {"x-table-monitor": "1", "content-type": "application/json"}


@dataclass
class Answer:
    """What the server said to one request."""

    code: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class Served:
    """A server, and requests to it."""

    port: int
    wall: Wall = field(default_factory=Wall)

    async def ask(
        self, path: str, method: str = "GET", body: bytes = b"", **headers: str
    ) -> Answer:
        """One request; `_` in a header's name stands for `-`."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return await asyncio.to_thread(self._ask, path, method, body, named)

    async def acknowledge(self, table: str, alarm: str, **more: str) -> Answer:
        """As the page's button does."""
        body = json.dumps({"table": table, "alarm": alarm}).encode()
        headers = {name.replace("-", "_"): value for name, value in {**OWN, **more}.items()}
        return await self.ask("/acknowledge", "POST", body, **headers)

    def _ask(self, path: str, method: str, body: bytes, headers: Mapping[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=ANSWER_S_MAX)
        with contextlib.closing(connection):
            connection.request(method, path, body or None, dict(headers))
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()},
                          answer.read())  # fmt: skip


class Stream:
    """What a page hears: events by their names, and the newest summary of each table."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self.hello: dict[str, Any] = {}
        self.tables: dict[str, dict[str, Any]] = {}
        self.broker = False
        self.beats = 0

    async def until(self, true: Any, seconds: float = ANSWER_S_MAX) -> None:
        """Read on until it holds."""
        async with asyncio.timeout(seconds):
            while not true():
                await self._event()

    async def _event(self) -> None:
        kind = ""
        while line := (await self._reader.readline()).decode().rstrip("\r\n"):
            name, _, value = line.partition(": ")
            if name == "event":
                kind = value
            elif name == "data":
                self._take(kind, json.loads(value))

    def _take(self, kind: str, value: dict[str, Any]) -> None:
        if kind == "hello":
            self.hello = value
        elif kind == "news":
            self.broker = value["broker"]
            self.tables.update({one["table"]: one for one in value["tables"]})
            for gone in value["gone"]:
                self.tables.pop(gone, None)
        elif kind == "beat":
            self.beats += 1


@contextlib.asynccontextmanager
async def streaming(port: int, cookie: str = "") -> AsyncIterator[Stream]:
    """The stream for the body's duration, without chunks around it (HTTP/1.0)."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=8 * 1024 * 1024)
    head = f"GET /stream HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n"
    writer.write(head.encode())
    try:
        status = await asyncio.wait_for(reader.readline(), ANSWER_S_MAX)
        assert b" 200 " in status, status
        while (await reader.readline()).strip():
            pass
        yield Stream(reader)
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def served_at(
    broker: Mosquitto, principal: str | None = None, gate: Gate | None = None,
    silence_ms: int = SILENCE_MS, wait_s: float = 10.0,
) -> AsyncIterator[Served]:  # fmt: skip
    """The server and its room for the body's duration."""
    clock, wall = SystemClock(), Wall(silence_ms)
    speaker = None
    if principal is not None:
        speaker = Speaker(broker.address(), "monitor-as", principal, "tables", clock, wait_s=wait_s)
    room = Room(broker.address(), "monitor", "tables", "*", clock, wall, speaker, random.Random(5))
    server = MonitorServer(wall, gate or Gate(None, LOOPBACK_NAMES), speaker, clock, secure=False)
    ready = asyncio.Event()
    with socket.create_server(("127.0.0.1", 0)) as sock:
        following = asyncio.create_task(room.run(ready))
        await asyncio.wait_for(ready.wait(), START_S_MAX)
        serving = asyncio.create_task(server.serve(sock))
        try:
            yield Served(sock.getsockname()[1], wall)
        finally:
            server.end()
            await asyncio.wait_for(serving, START_S_MAX)
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)


@dataclass
class Monitor(Served):
    """The verb's process and where its page is."""

    url: str = ""
    words: str = ""
    process: asyncio.subprocess.Process | None = None


@contextlib.asynccontextmanager
async def monitor_at(broker: Mosquitto, *options: str) -> AsyncIterator[Monitor]:
    """`tablectl monitor` for the body's duration, on a port that is free."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "controller", "monitor", "--broker", broker.url,
        "--listen", "127.0.0.1:0", *options,
        stdin=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stderr is not None
        line = (await asyncio.wait_for(process.stderr.readline(), START_S_MAX)).decode()
        assert "monitor: http" in line, line
        url = line.split("monitor: ")[1].split("/ ")[0]
        yield Monitor(int(url.rpartition(":")[2]), Wall(), url, line, process)
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()

"""A broker made for one fault: speaks just enough of MQTT 3.1.1, and misbehaves as it is told."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

from controller.broker_address import BrokerAddress
from tests.bench.ear import packet, text
from tests.mqtt.mosquitto import Mosquitto

CONNECT, PUBLISH, SUBSCRIBE, PINGREQ = 1, 3, 8, 12
CONNACK, PUBACK, PINGRESP = b"\x20\x02\x00\x00", 0x40, b"\xd0\x00"
# More than any packet of these tests.
PACKET_OCTETS_MAX = 1 << 16


@dataclass(frozen=True, slots=True)
class Publication:
    """What a client published: on which visit, and whether it called it a repeat."""

    visit: int
    topic: str
    payload: bytes
    dup: bool


@dataclass
class Visit:
    """One connection of a client."""

    number: int
    writer: asyncio.StreamWriter

    def publish(self, topic: str, payload: bytes, mid: int, *, dup: bool = False) -> None:
        """Send a client a message, QoS 1."""
        body = text(topic) + mid.to_bytes(2, "big") + payload
        self.writer.write(packet(0x32 | (8 if dup else 0), body))

    def leave(self) -> None:
        """Close without a word."""
        self.writer.close()


@dataclass
class StubBroker:
    """`acknowledges` says whether a publication gets its answer; `subscribed` is told of visits."""

    acknowledges: Callable[[Publication, Visit], bool] = lambda publication, visit: True
    subscribed: Callable[[Visit], None] = lambda visit: None
    heard: list[Publication] = field(default_factory=list)
    visits: int = 0
    port: int = 0

    def as_mosquitto(self) -> Mosquitto:
        """Its address in the shape that the rooms of the tests are built from."""
        one = Mosquitto(Path())
        one.port = self.port
        return one

    def address(self) -> BrokerAddress:
        """Where it listens."""
        return BrokerAddress("127.0.0.1", self.port, "3.1.1")

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        """Serve for the body's duration."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        async with server:
            yield

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.visits += 1
        visit = Visit(self.visits, writer)
        with contextlib.suppress(asyncio.IncompleteReadError, OSError):
            while not writer.is_closing():
                head, body = await _packet(reader)
                self._answer(visit, head, body)
                await writer.drain()
        writer.close()

    def _answer(self, visit: Visit, head: int, body: bytes) -> None:
        kind = head >> 4
        if kind == CONNECT:
            visit.writer.write(CONNACK)
        elif kind == PINGREQ:
            visit.writer.write(PINGRESP)
        elif kind == SUBSCRIBE:
            codes = bytes(1 for _ in range(_filters(body[2:])))
            visit.writer.write(bytes((0x90, 2 + len(codes))) + body[:2] + codes)
            self.subscribed(visit)
        elif kind == PUBLISH:
            end = 2 + int.from_bytes(body[:2], "big")
            topic, mid, payload = body[2:end].decode(), body[end : end + 2], body[end + 2 :]
            publication = Publication(visit.number, topic, payload, bool(head & 8))
            self.heard.append(publication)
            if self.acknowledges(publication, visit):
                visit.writer.write(bytes((PUBACK, 2)) + mid)


async def _packet(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readexactly(1))[0]
    length, shift = 0, 0
    while True:
        octet = (await reader.readexactly(1))[0]
        length |= (octet & 0x7F) << shift
        shift += 7
        if octet < 0x80:
            break
    assert length <= PACKET_OCTETS_MAX
    return head, await reader.readexactly(length)


def _filters(body: bytes) -> int:
    count, at = 0, 0
    while at < len(body):
        at += 2 + int.from_bytes(body[at : at + 2], "big") + 1
        count += 1
    return count

"""A table's line to the broker in few lines: MQTT 5, QoS 1, one socket that never blocks.

A client library costs some 100 us a message, and the generator must not take the processor from
what is measured.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Iterator
from typing import Final

from tests.bench.ear import CONNECT_S_MAX, PUBLISH, READ_OCTETS_MAX, packet, text

CONNACK, PUBACK, SUBACK = 0x20, 0x40, 0x90
REFUSED_MIN: Final = 0x80
# As many as the shipped broker takes from one client without an answer.
FLIGHT_MESSAGES_MAX: Final = 64
MID_MAX: Final = 0xFFFF


class WireTrouble(Exception):
    """The broker refused or hung up; the message says what."""


class TableLine:
    """One connection; `name` is client id and user. Raises WireTrouble."""

    def __init__(self, port: int, name: str) -> None:
        """Connect and wait for the broker's yes."""
        self.name = name
        self.refused = 0
        self._held = b""
        self._unsent = bytearray()
        self._mid = 0
        self._flight = 0
        self._waiting: deque[tuple[int, bytes, bytes]] = deque()
        self.socket = socket.create_connection(("127.0.0.1", port), CONNECT_S_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Clean start, a user without a password, no keep-alive, no properties.
        head = text("MQTT") + bytes((5, 0x82, 0, 0)) + b"\x00"
        self._ask(packet(0x10, head + text(name) + text(name)), CONNACK)

    def subscribe(self, topic_filter: str) -> None:
        """QoS 1; waits for the broker's yes. Before `unblocked`."""
        self._ask(packet(0x82, b"\x00\x01\x00" + text(topic_filter) + b"\x01"), SUBACK)

    def unblocked(self) -> int:
        """From here on nothing waits; gives the socket's number."""
        self.socket.setblocking(False)
        return self.socket.fileno()

    def publish(self, head: bytes, tail: bytes, kind: int = 0x32) -> None:
        """Send now, or as soon as the broker has answered enough.

        `head` is the topic, `tail` properties and payload (`topic_of`, `rest_of`); `kind` is 0x33
        where it is retained.
        """
        if self._flight >= FLIGHT_MESSAGES_MAX:
            self._waiting.append((kind, head, tail))
            return
        self._flight += 1
        self._mid = self._mid % MID_MAX + 1
        self._put(packet(kind, head + self._mid.to_bytes(2, "big") + tail))

    @property
    def is_quiet(self) -> bool:
        """Whether the broker has answered everything."""
        return not (self._flight or self._waiting or self._unsent)

    def hear(self) -> Iterator[tuple[str, bytes]]:
        """Topics and payloads that came, acknowledged. Call it when the socket is readable."""
        try:
            octets = self.socket.recv(READ_OCTETS_MAX)
        except BlockingIOError:
            return
        if not octets:
            raise WireTrouble(f"{self.name}: the broker closed the line")
        for kind, body in self._packets(octets):
            if kind & 0xF0 == PUBACK:
                self._flight -= 1
                self.refused += len(body) > 2 and body[2] >= REFUSED_MIN
            elif kind & 0xF0 == PUBLISH:
                yield self._publication(kind, body)
            else:
                raise WireTrouble(f"{self.name}: packet {kind:#x} {body.hex()}")
        while self._waiting and self._flight < FLIGHT_MESSAGES_MAX:
            kind, head, tail = self._waiting.popleft()
            self.publish(head, tail, kind)
        self.flush()

    def flush(self) -> None:
        """Send what the socket did not take."""
        if self._unsent:
            rest, self._unsent = bytes(self._unsent), bytearray()
            self._put(rest)

    def _publication(self, kind: int, body: bytes) -> tuple[str, bytes]:
        end = 2 + int.from_bytes(body[:2], "big")
        topic, at = body[2:end].decode(), end
        if kind & 0x06:
            self._put(b"\x40\x02" + body[at : at + 2])
            at += 2
        octets, at = _length(body, at)
        return topic, body[at + octets :]

    def _put(self, octets: bytes) -> None:
        if self._unsent:
            self._unsent += octets
            return
        try:
            sent = self.socket.send(octets)
        except BlockingIOError:
            sent = 0
        self._unsent += octets[sent:]

    def _ask(self, octets: bytes, kind: int) -> None:
        self.socket.sendall(octets)
        while True:
            came = self.socket.recv(READ_OCTETS_MAX)
            for found, body in list(self._packets(came)):
                code = body[1] if found == CONNACK else body[-1]
                if found != kind or code >= REFUSED_MIN:
                    raise WireTrouble(f"{self.name}: the broker refuses: {body.hex()}")
                return
            if not came:
                raise WireTrouble(f"{self.name}: the broker closed the line")

    def _packets(self, octets: bytes) -> Iterator[tuple[int, bytes]]:
        held, at = self._held + octets, 0
        self._held = b""
        while len(held) >= at + 2:
            if held[at + 1] & 128 and len(held) < at + 5:
                break
            length, begin = _length(held, at + 1)
            if len(held) < begin + length:
                break
            kind, at, body = held[at], begin + length, held[begin : begin + length]
            yield kind, body
        self._held = held[at:]


def topic_of(topic: str) -> bytes:
    """A publication up to its number."""
    return text(topic)


def rest_of(content: str | None, payload: bytes) -> bytes:
    """A publication from its properties on."""
    properties = b"" if content is None else b"\x03" + text(content)
    return bytes((len(properties),)) + properties + payload


def _length(octets: bytes, at: int) -> tuple[int, int]:
    """A variable length, and where what follows begins."""
    length, shift = 0, 0
    while True:
        length |= (octets[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if not octets[at - 1] & 128:
            return length, at

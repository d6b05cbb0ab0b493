"""A plain subscriber in few lines: MQTT 3.1.1, QoS 1, one socket, no library and no thread."""

from __future__ import annotations

import socket
from typing import Final

CONNECT_S_MAX: Final = 5
READ_OCTETS_MAX: Final = 65_536
PUBLISH: Final = 0x30
PUBACK: Final = b"\x40\x02"


def packet(kind: int, body: bytes) -> bytes:
    """Head, length and body of one packet."""
    left, length = len(body), bytearray()
    while True:
        left, low = divmod(left, 128)
        length.append(low | (128 if left else 0))
        if not left:
            return bytes((kind,)) + bytes(length) + body


def text(value: str) -> bytes:
    """A text as the protocol has it, its length before it."""
    octets = value.encode()
    return len(octets).to_bytes(2, "big") + octets


class Ear:
    """Connected and subscribed to one filter; `hear` after the socket became readable."""

    def __init__(self, port: int, topic_filter: str, user: str | None = None) -> None:
        """Connect to the loopback broker, as `user` where it asks for one. Raises OSError."""
        self.socket = socket.create_connection(("127.0.0.1", port), CONNECT_S_MAX)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._held = bytearray()
        # Clean session, no keep-alive: the benchmark ends long before a broker would mind.
        flags, name = (2, b"") if user is None else (0x82, text(user))
        head = text("MQTT") + bytes((4, flags, 0, 0))
        self.socket.sendall(packet(0x10, head + text("ear") + name))
        self._expect(0x20)
        self.socket.sendall(packet(0x82, b"\x00\x01" + text(topic_filter) + b"\x01"))
        self._expect(0x90)

    def _expect(self, kind: int) -> None:
        while True:
            for head, _ in self._packets():
                if head & 0xF0 == kind:
                    return
            self._held += self.socket.recv(READ_OCTETS_MAX)

    def hear(self) -> list[tuple[str, bytes]]:
        """Topics and payloads of the publications that came, each acknowledged."""
        octets = self.socket.recv(READ_OCTETS_MAX)
        if not octets:
            raise OSError("the broker closed the line")
        self._held += octets
        heard, answers = [], b""
        for head, body in self._packets():
            if head & 0xF0 != PUBLISH:
                continue
            end = 2 + int.from_bytes(body[:2], "big")
            topic, rest = body[2:end].decode(), body[end:]
            if head & 0x06:
                answers += PUBACK + rest[:2]
                rest = rest[2:]
            heard.append((topic, rest))
        if answers:
            self.socket.sendall(answers)
        return heard

    def _packets(self) -> list[tuple[int, bytes]]:
        """Whole packets out of what is held."""
        found = []
        while (packet := self._first_packet()) is not None:
            found.append(packet)
        return found

    def _first_packet(self) -> tuple[int, bytes] | None:
        length, shift, at = 0, 0, 1
        while True:
            if at >= len(self._held):
                return None
            length |= (self._held[at] & 127) << shift
            shift, at = shift + 7, at + 1
            if not self._held[at - 1] & 128:
                break
        if len(self._held) < at + length:
            return None
        packet = self._held[0], bytes(self._held[at : at + length])
        del self._held[: at + length]
        return packet

    def close(self) -> None:
        """Leave."""
        self.socket.close()

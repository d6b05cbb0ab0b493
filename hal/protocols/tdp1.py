"""Table Device Protocol 1: frames to messages and back (interfaces, section 7; docs/tdp1.md). Pure.

Example, one frame of a shoe that gave out its second stack of five cards:
    STX TDP1|shoe|00F0|00A1|STACK|n=2;cards=5 ETX 28DF CR LF
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hal.protocols.framing import FRAME_OCTETS_MAX, Framer, framed
from hal.protocols.members import NotUnderstood
from hal.protocols.message import NUMBERS, Driver, Junk, Message
from hal.protocols.tdp1_types import message_of

VERSION: Final = "TDP1"
HOST: Final = "host"

_HEX4 = re.compile(r"[0-9A-F]{4}\Z")
_TYPE = re.compile(r"[A-Z][A-Z0-9_]{0,15}\Z")
_KEY = re.compile(r"[a-z][a-z0-9_]{0,31}\Z")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})?")
_MUST_ESCAPE = re.compile(r"[^ -~]|[|;=%]")


@dataclass(frozen=True, slots=True)
class Frame:
    """One frame as it stands on the line; `fields` are unescaped text."""

    device: str
    boot: int
    seq: int
    type: str
    fields: Mapping[str, str]


def encode(frame: Frame) -> bytes:
    """The octets of a frame, STX to LF. Raises ValueError when it does not fit into 240."""
    return framed(body_of(frame))


def body_of(frame: Frame) -> bytes:
    """The printable part of a frame, between STX and ETX."""
    fields = ";".join(f"{key}={_escaped(value)}" for key, value in frame.fields.items())
    head = f"{VERSION}|{frame.device}|{frame.boot:04X}|{frame.seq:04X}|{frame.type}"
    return f"{head}|{fields}".encode("ascii")


def frame_of(body: bytes) -> Frame:
    """The frame that a printable body states. Raises NotUnderstood with a fixed reason."""
    parts = body.decode("ascii").split("|")
    if len(parts) != 6 or parts[0] != VERSION:
        raise NotUnderstood("not_tdp1")
    _, device, boot, seq, kind, fields = parts
    if not (_HEX4.match(boot) and _HEX4.match(seq) and _TYPE.match(kind)):
        raise NotUnderstood("bad_head")
    return Frame(device, int(boot, 16), int(seq, 16), kind, _fields_of(fields))


def _fields_of(text: str) -> dict[str, str]:
    fields: dict[str, str] = {}
    for pair in text.split(";") if text else ():
        key, equals, value = pair.partition("=")
        if not equals or key in fields or not _KEY.match(key) or "=" in value:
            raise NotUnderstood("bad_field")
        fields[key] = _unescaped(value)
    return fields


def _escaped(value: str) -> str:
    return _MUST_ESCAPE.sub(
        lambda found: "".join(f"%{octet:02X}" for octet in found[0].encode()), value
    )


def _unescaped(value: str) -> str:
    if "%" not in value:
        return value
    if any(found[1] is None for found in _ESCAPE.finditer(value)):
        raise NotUnderstood("bad_escape")
    octets = re.sub(
        rb"%([0-9A-Fa-f]{2})", lambda found: bytes((int(found[1], 16),)), value.encode("ascii")
    )
    try:
        return octets.decode("utf-8")
    except UnicodeDecodeError:
        raise NotUnderstood("bad_escape") from None


class Decoder:
    """Octets of one device's line to messages; frames of others are junk, told apart by reason."""

    def __init__(self, device: str) -> None:
        """Listen for `device`: shuffler or shoe."""
        self._device = device
        self._framer = Framer()

    @property
    def held_octets(self) -> int:
        """How much is half read."""
        return self._framer.held_octets

    def feed(self, chunk: bytes) -> list[Message]:
        """Messages of this chunk, in order. Never raises, whatever the octets."""
        return self._read(self._framer.feed(chunk))

    def line_idle(self) -> list[Message]:
        """Give up a half read frame."""
        return self._read(self._framer.line_idle())

    def _read(self, found: Iterable[bytes | Junk]) -> list[Message]:
        return [part if isinstance(part, Junk) else self._message(part) for part in found]

    def _message(self, body: bytes) -> Message:
        try:
            frame = frame_of(body)
            if frame.device != self._device:
                # Our own words coming back are a wiring matter; another device is a swapped cable.
                raise NotUnderstood("echo" if frame.device == HOST else "other_device")
            return message_of(frame.device, frame.boot, frame.seq, frame.type, frame.fields)
        except NotUnderstood as problem:
            return Junk(len(body), problem.reason)


class Encoder:
    """The host's frames, with the host's own boot and numbers."""

    def __init__(self, boot: int) -> None:
        """Count from 0 under `boot` (0..65535), new at every start of the daemon."""
        self._boot = boot
        self._seq = 0

    def acknowledge(self, boot: int, seq: int) -> bytes:
        """ACK of one event of the device."""
        return self._frame("ACK", {"boot": f"{boot:04X}", "seq": f"{seq:04X}"})

    def hold_locked(self, locked: bool) -> bytes:
        """LOCK or UNLOCK."""
        return self._frame("LOCK" if locked else "UNLOCK", {})

    def ask_status(self) -> bytes:
        """STATUS: the device answers with HELLO and HB."""
        return self._frame("STATUS", {})

    def _frame(self, kind: str, fields: Mapping[str, str]) -> bytes:
        octets = encode(Frame(HOST, self._boot, self._seq, kind, fields))
        self._seq = (self._seq + 1) % NUMBERS
        return octets


DRIVER = Driver(FRAME_OCTETS_MAX, Decoder, Encoder)

"""Framing of printable STX … ETX check lines: bodies out of any chopping, and junk counted. Pure.

STX can stand nowhere inside a frame, so a new STX always gives up whatever came before it: the next
good frame is understood after any garbage. What is held between chunks never exceeds one frame.
"""

from __future__ import annotations

from binascii import crc_hqx
from typing import Final

from hal.protocols.message import Junk

STX: Final = 0x02
ETX: Final = 0x03
# Interfaces, section 7: a frame has at most 240 bytes, from STX to LF, both counted.
FRAME_OCTETS_MAX: Final = 240
CRC_OCTETS: Final = 4
# The line end carries nothing: a frame is complete with its check, two byte times earlier.
LINE_END: Final = b"\r\n"
BODY_OCTETS_MAX: Final = FRAME_OCTETS_MAX - 2 - CRC_OCTETS - len(LINE_END)

STRAY: Final = "stray"
TOO_LONG: Final = "too_long"
BROKEN_OFF: Final = "broken_off"
BAD_CHECK: Final = "bad_check"
UNPRINTABLE: Final = "unprintable"

_CRC_START: Final = 0xFFFF
_PRINTABLE: Final = bytes(range(0x20, 0x7F))


def check_of(octets: bytes) -> bytes:
    """CRC-16/CCITT-FALSE as four upper-case hex digits; `octets` run from after STX to ETX.

    Poly 1021, init FFFF, `123456789` gives 29B1 (interfaces, section 7). It finds every burst of up
    to 16 bits and every odd number of flipped bits; of other damage one in 65,536 passes.
    """
    return b"%04X" % crc_hqx(octets, _CRC_START)


def framed(body: bytes) -> bytes:
    """The whole frame of a printable body. Raises ValueError when it would be too long."""
    if len(body) > BODY_OCTETS_MAX or body.translate(None, _PRINTABLE):
        raise ValueError(f"a body is printable and has at most {BODY_OCTETS_MAX} octets")
    covered = body + bytes((ETX,))
    return bytes((STX,)) + covered + check_of(covered) + LINE_END


class Framer:
    """Bodies of good frames out of a stream. `feed` costs a bounded time an octet."""

    def __init__(self) -> None:
        """Begin between two frames."""
        self._held = b""

    @property
    def held_octets(self) -> int:
        """How much is half read: never more than one frame."""
        return len(self._held)

    def feed(self, chunk: bytes) -> list[bytes | Junk]:
        """Bodies (without STX, ETX and check) and junk, in the order of the line."""
        data = self._held + chunk
        found: list[bytes | Junk] = []
        at = 0
        while at < len(data):
            start = data.find(STX, at)
            _count(found, data[at : len(data) if start < 0 else start], STRAY)
            if start < 0:
                at = len(data)
                break
            at = start
            step = self._frame_at(data, start, found)
            if not step:
                break
            at += step
        self._held = data[at:]
        return found

    def line_idle(self) -> list[bytes | Junk]:
        """Give up a half read frame: its sender fell silent in the middle of it."""
        found: list[bytes | Junk] = []
        _count(found, self._held, BROKEN_OFF)
        self._held = b""
        return found

    @staticmethod
    def _frame_at(data: bytes, start: int, found: list[bytes | Junk]) -> int:
        """Octets used up by the frame that starts with the STX at `start`; 0 asks for more."""
        body_from = start + 1
        end = data.find(ETX, body_from, body_from + BODY_OCTETS_MAX + 1)
        limit = body_from + BODY_OCTETS_MAX + 1 if end < 0 else end + 1 + CRC_OCTETS
        again = data.find(STX, body_from, limit)
        if again >= 0:
            _count(found, data[start:again], BROKEN_OFF)
            return again - start
        if len(data) < limit:
            return 0
        if end < 0:
            _count(found, data[start:limit], TOO_LONG)
        elif check_of(data[body_from : end + 1]) != data[end + 1 : limit]:
            _count(found, data[start:limit], BAD_CHECK)
        elif data[body_from:end].translate(None, _PRINTABLE):
            _count(found, data[start:limit], UNPRINTABLE)
        else:
            found.append(data[body_from:end])
        return limit - start


def _count(found: list[bytes | Junk], octets: bytes, reason: str) -> None:
    """Add junk, joined to equal junk before it, so that a flood gives few objects."""
    number = len(octets.translate(None, LINE_END)) if reason is STRAY else len(octets)
    if not number:
        return
    last = found[-1] if found else None
    if isinstance(last, Junk) and last.reason == reason:
        found[-1] = Junk(last.octets + number, reason)
    else:
        found.append(Junk(number, reason))

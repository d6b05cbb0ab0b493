"""What went over a line, with its times, as text that a person can read and send.

One read a line, so that the chopping of the line is kept:

    # table-controller capture 1
    0.000000 < QUINCE Q9 #77 V1.2\\r\\n
    1.002113 > ?\\r\\n
    1.010532 < LAMP G\\r\\n
    9.400000 ! unplugged (Input/output error)

Seconds since the beginning; `<` the device said it, `>` the host did, `!` is a note. Printable
ASCII stands as it is, a backslash twice, CR and LF as \\r and \\n, all else as \\xHH, and so does a
blank at either end, which editors and mail would lose.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from hal.link import READ_OCTETS_MAX

HEAD: Final = "# table-controller capture 1"
# A day of a device that says 100 octets a second; more is no sample to be sent.
CAPTURE_OCTETS_MAX: Final = 64 * 1024 * 1024
# The largest read of a line, every octet as \xHH, and its time.
LINE_CHARACTERS_MAX: Final = 4 * READ_OCTETS_MAX + 64
# Ten years in microseconds: a longer time is a slip of the pen.
AT_US_MAX: Final = 10 * 366 * 86_400 * 1_000_000

Source = Literal["<", ">", "!"]
_LINE = re.compile(r"([0-9]{1,9})\.([0-9]{6}) ([<>!]) (.*)")
_ESCAPE = re.compile(r"\\(?:(\\)|(r)|(n)|x([0-9A-Fa-f]{2}))|([^\\])|(\\)", re.DOTALL)


class CaptureError(ValueError):
    """A capture cannot be read; the message says what is wrong, `line` where, from 1."""

    def __init__(self, line: int, words: str) -> None:
        """Keep the place."""
        super().__init__(words)
        self.line = line


@dataclass(frozen=True, slots=True)
class Piece:
    """What came at once: microseconds since the beginning, from whom, octets or a note."""

    at_us: int
    source: Source
    octets: bytes


def line_of(piece: Piece) -> str:
    """One line of a capture, without its ending."""
    seconds, micros = divmod(piece.at_us, 1_000_000)
    return f"{seconds}.{micros:06} {piece.source} {escaped(piece.octets)}"


def escaped(octets: bytes) -> str:
    """Octets as a capture writes them."""
    text = "".join(map(_character, octets))
    if text.startswith(" "):
        text = "\\x20" + text[1:]
    return text[:-1] + "\\x20" if text.endswith(" ") else text


def _character(octet: int) -> str:
    if octet == 0x5C:
        return "\\\\"
    if octet == 0x0D:
        return "\\r"
    if octet == 0x0A:
        return "\\n"
    return chr(octet) if 0x20 <= octet < 0x7F else f"\\x{octet:02X}"


def pieces_of(lines: Iterable[str]) -> Iterator[Piece]:
    """The pieces of a capture, in order. Raises CaptureError at the first wrong line.

    Times may not run backwards; lines that are empty or begin with `#` are passed over, but the
    first one must be the head.
    """
    before_us = 0
    number = 0
    for number, raw in enumerate(lines, 1):
        line = raw.rstrip("\r\n")
        if number == 1 and line != HEAD:
            raise CaptureError(1, f"expected {HEAD!r}: this is no capture of a line")
        if not line or line.startswith("#"):
            continue
        piece = _piece(number, line)
        if piece.at_us < before_us:
            raise CaptureError(number, "an earlier time than the line before has")
        before_us = piece.at_us
        yield piece
    if number == 0:
        raise CaptureError(1, "the file is empty")


def _piece(number: int, line: str) -> Piece:
    if len(line) > LINE_CHARACTERS_MAX:
        raise CaptureError(number, f"longer than {LINE_CHARACTERS_MAX} characters")
    found = _LINE.fullmatch(line)
    if found is None:
        raise CaptureError(number, "expected a time such as 1.002113, then < > or !, and octets")
    at_us = int(found[1]) * 1_000_000 + int(found[2])
    if at_us > AT_US_MAX:
        raise CaptureError(number, "a time of more than ten years")
    sources: tuple[Source, ...] = ("<", ">", "!")
    source = next(one for one in sources if one == found[3])
    return Piece(at_us, source, _octets(number, found[4]))


def _octets(number: int, text: str) -> bytes:
    octets = bytearray()
    for found in _ESCAPE.finditer(text):
        backslash, cr, lf, code, plain, lone = found.groups()
        if lone is not None:
            raise CaptureError(number, "a lone backslash; write it twice, or \\r \\n \\xHH")
        if plain is not None and not 0x20 <= ord(plain) < 0x7F:
            raise CaptureError(number, f"{plain!a}: write such an octet as \\xHH")
        if code is not None:
            octets.append(int(code, 16))
        else:
            octets += (backslash or (cr and "\r") or (lf and "\n") or plain or "").encode("ascii")
    return bytes(octets)

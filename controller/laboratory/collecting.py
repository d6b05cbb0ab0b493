"""Writes raw octets, conditioned octets or numbers to a file, a piece at a time.

The one way on which raw octets leave `hal`: to a file, for a laboratory, in a process of its own.
A device or the kernel gives each octet once, so none of these ever was or will be a table's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from controller.laboratory.origins import Origin
from controller.laboratory.packing import NUMBERS_A_GROUP, packed
from hal.entropy import RawSource
from hal.supply import Supply

# A source is given up after two seconds without an answer (hal.entropy): the slowest that is known
# gives 10 KB a second, and a tenth of that still fills a piece.
PIECE_OCTETS = 1_024
PIECE_NUMBERS = 1_024 * NUMBERS_A_GROUP

Told = Callable[[int], None]


class Writable(Protocol):
    """A file that is open for octets."""

    def write(self, data: bytes, /) -> object:
        """Write all of `data`."""
        ...


def collect_raw(source: RawSource, octets: int, out: Writable, told: Told) -> None:
    """`octets` as the source gives them: not tested, not conditioned. Raises SourceError."""
    while octets:
        piece = bytearray(min(octets, PIECE_OCTETS))
        source.fill(piece)
        out.write(bytes(piece))
        octets -= len(piece)
        told(len(piece))


def collect_conditioned(supply: Supply, octets: int, out: Writable, told: Told) -> None:
    """`octets` of tested and conditioned blocks, before the scaling. Raises OutOfService."""
    while octets:
        piece = bytearray()
        while len(piece) < min(octets, PIECE_OCTETS):
            piece += supply.block()
        del piece[octets:]
        out.write(bytes(piece))
        octets -= len(piece)
        told(len(piece))


def collect_numbers(origin: Origin, numbers: int, form: str, out: Writable, told: Told) -> None:
    """`numbers` draws in a form of `packing.FORMS`. Raises OutOfService."""
    while numbers:
        taken = origin.take(min(numbers, PIECE_NUMBERS))
        out.write(packed(taken, form))
        numbers -= len(taken)
        told(len(taken))

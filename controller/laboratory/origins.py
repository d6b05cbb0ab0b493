"""Where the numbers of a test come from: the table's own code path, a file, or a known fault."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from controller.laboratory.sample import VALUES
from hal.draw import ACCEPTED_BELOW, NUMBER_MAX, NUMBER_MIN, number_in
from hal.entropy import RawSource, open_source
from hal.supply import Supply

# Sources with a fault that a test must find: seeded, and never at a table.
CONTROLS = ("favoured", "modulo", "stuck", "repeating")
CONTROL_PREFIX = "control:"
# The issue's own: one value comes 5 % too often.
FAVOURED_PERCENT = 105
# Shorter than any sample, longer than any pattern that pairs or hands could show.
RING_NUMBERS = 10_007
# A hundred million numbers: more than any test here needs, and what fits into memory.
FILE_OCTETS_MAX = 200_000_000
_SEPARATORS = b" \t\r\n,;"


class BadSample(Exception):
    """A file that holds no numbers of 1 to 7; the message says where it went wrong."""


class Origin(Protocol):
    """Gives numbers of 1 to 7 as octets. `take` may give fewer: then there are no more."""

    name: str

    def take(self, count: int) -> bytes:
        """Up to `count` more numbers. Raises hal.supply.OutOfService."""
        ...

    def close(self) -> None:
        """Give back what is held."""
        ...


class TableNumbers:
    """Numbers as a table draws them: one from each tested and conditioned block.

    With `whole_blocks` each octet of a block is scaled, not the first alone: 63 times as many
    numbers from a slow generator, by the same conditioning and the same rejection.
    Raises hal.supply.OutOfService when the start-up tests fail.
    """

    def __init__(self, open_raw: Callable[[], RawSource], whole_blocks: bool = False) -> None:
        self._supply = Supply(open_raw)
        self._whole_blocks = whole_blocks
        self._left = bytearray()
        self.name = self._supply.start() + (" (whole blocks)" if whole_blocks else "")

    def take(self, count: int) -> bytes:
        """Exactly `count` numbers."""
        while len(self._left) < count:
            block = self._supply.block()
            for octet in block if self._whole_blocks else ():
                if octet < ACCEPTED_BELOW:
                    self._left.append(octet % NUMBER_MAX + NUMBER_MIN)
            if not self._whole_blocks and (number := number_in(block)) is not None:
                self._left.append(number)
        taken = bytes(self._left[:count])
        del self._left[:count]
        return taken

    def close(self) -> None:
        """Close the source."""
        self._supply.close()


class FileNumbers:
    """Numbers from a file: octets of 1 to 7, or the digits 1 to 7 as text, separated or not.

    Raises BadSample, OSError.
    """

    def __init__(self, path: Path) -> None:
        self.name = str(path)
        with path.open("rb") as file:
            content = file.read(FILE_OCTETS_MAX + 1)
        if len(content) > FILE_OCTETS_MAX:
            raise BadSample(f"{path}: more than {FILE_OCTETS_MAX} octets")
        self._numbers, self._at = numbers_of(content, self.name), 0

    def take(self, count: int) -> bytes:
        """As many as are left."""
        taken = self._numbers[self._at : self._at + count]
        self._at += len(taken)
        return taken

    def close(self) -> None:
        """The file is closed already."""


class ControlNumbers:
    """A known fault, the same for the same seed: the tests must find it."""

    def __init__(self, kind: str, seed: int) -> None:
        self.name = f"{CONTROL_PREFIX}{kind}, seed {seed}"
        self._random = random.Random(seed)
        self._kind = kind
        self._ring = b""
        if kind == "repeating":
            self._ring = bytes(self._random.choices(range(1, VALUES + 1), k=RING_NUMBERS))

    def take(self, count: int) -> bytes:
        """Exactly `count` numbers."""
        values = range(1, VALUES + 1)
        if self._kind == "favoured":
            weights = [FAVOURED_PERCENT, *[100] * (VALUES - 1)]
            return bytes(self._random.choices(values, weights, k=count))
        if self._kind == "modulo":
            return bytes(octet % VALUES + 1 for octet in self._random.randbytes(count))
        if self._kind == "repeating":
            # The place in the ring goes on from one taking to the next.
            times = count // RING_NUMBERS + 1
            taken = (self._ring * times + self._ring)[:count]
            turn = count % RING_NUMBERS
            self._ring = self._ring[turn:] + self._ring[:turn]
            return taken
        return bytes([4]) * count

    def close(self) -> None:
        """Nothing is held."""


def numbers_of(content: bytes, name: str) -> bytes:
    """The numbers in a file's content, as octets. Raises BadSample."""
    numbers = bytes(range(NUMBER_MIN, NUMBER_MAX + 1))
    if not content.translate(None, numbers):
        return content
    digits = content.translate(None, _SEPARATORS)
    if foreign := digits.translate(None, b"1234567"):
        where = content.index(foreign[:1])
        raise BadSample(f"{name}: octet {where} is {foreign[0]:#04x}, no number of 1 to 7")
    return bytes(digit - ord("0") for digit in digits)


def origin_of(source: str, seed: int, whole_blocks: bool) -> Origin:
    """`control:KIND`, or what `[rng] source` of a table may be: `auto`, `kernel`, a device's path.

    Raises ValueError for an unknown control, hal.supply.OutOfService.
    """
    if source.startswith(CONTROL_PREFIX):
        kind = source.removeprefix(CONTROL_PREFIX)
        if kind not in CONTROLS:
            raise ValueError(f"no control {kind!r}; there are {' '.join(CONTROLS)}")
        return ControlNumbers(kind, seed)
    return TableNumbers(lambda: open_source(source), whole_blocks)

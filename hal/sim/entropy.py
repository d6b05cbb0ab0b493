"""Raw sources with a fault, for tests and the demo: good until `good_octets` were read."""

from __future__ import annotations

import random
from collections.abc import Callable

from hal.entropy import KernelSource, RawSource, SourceError

ENTROPY_FAULTS = ("rng-stuck", "rng-biased")
# Past the start-up tests (1,024 octets) and some twenty blocks of 64: the fault comes in play.
GOOD_OCTETS = 2_560
# A ring that is longer than a window of the tests of SP 800-90B: only its blocks repeat.
RING_BLOCKS = 16


class SimSource:
    """`kind`: `good`, `stuck` (one octet for ever), `biased` (three bits of four are set),
    `repeating` (a ring of blocks) or `silent` (no octet at all)."""

    def __init__(self, kind: str, good_octets: int = GOOD_OCTETS, seed: int = 1) -> None:
        self.name = f"sim:{kind}"
        self._kind = kind
        self._left = good_octets
        self._random = random.Random(seed)
        self._good = KernelSource()
        self._ring: list[bytes] = []
        self._turn = 0

    def fill(self, buffer: bytearray) -> None:
        """Overwrite all of `buffer`, well or badly. Raises SourceError when silent."""
        if self._kind == "good" or self._left >= len(buffer):
            self._left -= len(buffer)
            self._good.fill(buffer)
        elif self._kind == "stuck":
            buffer[:] = b"\xa5" * len(buffer)
        elif self._kind == "biased":
            either = self._random.randbytes(2 * len(buffer))
            buffer[:] = bytes(
                one | other for one, other in zip(either[::2], either[1::2], strict=True)
            )
        elif self._kind == "repeating":
            self._go_round(buffer)
        else:
            raise SourceError(f"{self.name}: no octet came")

    def stop(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Nothing is held here."""

    def _go_round(self, buffer: bytearray) -> None:
        if len(self._ring) < RING_BLOCKS:
            self._ring.append(self._random.randbytes(len(buffer)))
        buffer[:] = self._ring[self._turn % RING_BLOCKS]
        self._turn += 1


def source_for(faults: tuple[str, ...], good_octets: int = GOOD_OCTETS) -> Callable[[], RawSource]:
    """What a table's generator opens under the faults of a demo: the named fault, or the kernel.

    The fault is there at the first opening only: a source that was mended is opened the next time.
    """
    kinds = [fault.removeprefix("rng-") for fault in faults if fault in ENTROPY_FAULTS]

    def open_raw() -> RawSource:
        return SimSource(kinds.pop(), good_octets) if kinds else KernelSource()

    return open_raw

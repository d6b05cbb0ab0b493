"""When each event was sent, heard or kept: one file for each, mapped by writer and reader alike."""

from __future__ import annotations

import mmap
from pathlib import Path
from types import TracebackType
from typing import Final

WORD_OCTETS: Final = 8
# Before the stamps: what came once, what came again, what came before its time, what is of nobody.
HEAD_WORDS: Final = 8
COUNT, REPEATS, JUMPS, STRANGERS = range(4)


class Stamps:
    """A place for each of `each` sequences of each table; monotonic nanoseconds, 0: not yet.

    The clock is the machine's, so stamps of two processes may be subtracted.
    """

    def __init__(self, path: Path, tables: int, each: int) -> None:
        """Map the file, which is made where it is not there."""
        self.path, self.tables, self.each = path, tables, each
        octets = (HEAD_WORDS + tables * each) * WORD_OCTETS
        with path.open("ab+") as file:
            file.truncate(octets)
            self._map = mmap.mmap(file.fileno(), octets)
        self._words = memoryview(self._map).cast("q")
        self._last = [0] * tables

    def __enter__(self) -> Stamps:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """Let go of the file."""
        self._words.release()
        self._map.close()

    def note(self, table: int, sequence: int, ns: int) -> None:
        """One event; the first stamp stays, what comes again is counted."""
        words = self._words
        if not (0 <= table < self.tables and 0 < sequence <= self.each):
            words[STRANGERS] += 1
            return
        place = HEAD_WORDS + table * self.each + sequence - 1
        if words[place]:
            words[REPEATS] += 1
            return
        words[place] = ns
        words[COUNT] += 1
        if sequence != self._last[table] + 1:
            words[JUMPS] += 1
        self._last[table] = sequence

    def told(self, which: int) -> int:
        """One of the counters."""
        return self._words[which]

    def of(self, first: int, last: int) -> list[int]:
        """The stamps of these sequences, table after table."""
        found: list[int] = []
        for table in range(self.tables):
            begin = HEAD_WORDS + table * self.each - 1
            found += self._words[begin + first : begin + last + 1]
        return found


def number_of(table: str) -> int:
    """17 of `t-17`; -1 where it is no table of the bench."""
    head, _, digits = table.partition("-")
    return int(digits) if head == "t" and digits.isdecimal() else -1

"""The walk's own doubt: do two states of one key go on alike, whatever is said to them?"""

from __future__ import annotations

from collections.abc import Callable

from controller.core.book import Book
from controller.core.state import TableState
from controller.core.table import run
from tests.exploration.key import key
from tests.exploration.lines import Line, arrived

# Different states of one key that are compared with its first one.
TIMES_MAX = 4


class Sampler:
    """Keeps the first state of one key in `one_in`, and steps what is merged into it beside it.

    A difference means that the key leaves out what a guard reads, so that the walk may have missed
    something: it is told like a broken rule. `one_in` 0 keeps none.
    """

    def __init__(self, book: Book, lines: Callable[[TableState], list[Line]], one_in: int) -> None:
        self.book, self.lines, self.one_in = book, lines, one_in
        self.firsts: dict[bytes, tuple[TableState, int]] = {}
        # Where the first of a key goes with each of its lines; as many keys as lines.
        self.goes: dict[bytes, list[bytes]] = {}
        self.compared = 0

    def first(self, named: bytes, state: TableState) -> None:
        if self.one_in and int.from_bytes(named[:4]) % self.one_in == 0:
            self.firsts[named] = (state, 0)

    def compare(self, named: bytes, state: TableState) -> str | None:
        """What the two states answer differently, and in what they differ."""
        kept = self.firsts.get(named)
        if kept is None or kept[1] >= TIMES_MAX or kept[0] == state:
            return None
        first, times = kept
        self.firsts[named] = (first, times + 1)
        self.compared += 1
        ones, others = self.lines(first), self.lines(state)
        if len(ones) != len(others):
            return f"KEY: {len(ones)} lines and {len(others)}: {_unlike(first, state)}"
        if named not in self.goes:
            self.goes[named] = [self._then(first, one) for one in ones]
        for one, other, there in zip(ones, others, self.goes[named], strict=True):
            if there != self._then(state, other):
                return f"KEY: {one} / {other} lead apart: {_unlike(first, state)}"
        return None

    def _then(self, state: TableState, line: Line) -> bytes:
        return key(self.book, run(self.book, state, arrived(line)).state)


def _unlike(first: TableState, state: TableState) -> str:
    parts = []
    for name in TableState.__slots__:
        one, other = getattr(first, name), getattr(state, name)
        if one != other:
            parts.append(f"{name}: {one} / {other}")
    return "; ".join(parts)

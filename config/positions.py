"""Where each key and value of a TOML text stands; the standard parser gives values only.

The text must be one that `tomllib` accepts: this scanner finds, it does not validate. It agrees
with `tomllib` on every key path, which a property test holds it to.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from dataclasses import dataclass, field

Path = tuple[str | int, ...]

_BLANK = " \t"
_BARE_ENDS = " \t.=]"
_VALUE_ENDS = ",]}#\n"


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a text as editors count it: line and column from 1, in characters."""

    line: int
    column: int


@dataclass(slots=True)
class Positions:
    """Where the keys (first mention) and the values of a document begin, by path.

    A path is made of keys and, below an array, indexes from 0; `()` is the document itself.
    """

    keys: dict[Path, Place] = field(default_factory=dict)
    values: dict[Path, Place] = field(default_factory=dict)

    def key(self, path: Path) -> Place:
        """Where the key of `path` stands, or of the nearest path above that is in the text."""
        for length in range(len(path), 0, -1):
            place = self.keys.get(path[:length])
            if place is not None:
                return place
        return Place(1, 1)

    def value(self, path: Path) -> Place:
        """Where the value of `path` begins; of a table, where its key stands."""
        return self.values.get(path) or self.key(path)


def find_positions(text: str) -> Positions:
    """Scan a text that `tomllib` accepts, with LF or CRLF ends of line."""
    scanner = _Scanner(text.replace("\r\n", "\n"))
    scanner.document()
    return scanner.found


class _Scanner:
    """One pass over the text; `_at` is the offset of the next character."""

    def __init__(self, text: str) -> None:
        # The end of line at the end spares every look-ahead a test for the end of the text.
        self._text = text + "\n"
        self._at = 0
        self._line_starts = [0]
        self._line_starts += [i + 1 for i, char in enumerate(self._text) if char == "\n"]
        self._array_lengths: dict[Path, int] = {}
        self.found = Positions()

    def document(self) -> None:
        """Headers and assignments until the text ends."""
        table: Path = ()
        while self._skip_blank_lines():
            if self._text.startswith("[[", self._at):
                self._at += 2
                table = self._header(is_array=True)
            elif self._text[self._at] == "[":
                self._at += 1
                table = self._header(is_array=False)
            else:
                self._assignment(table)
            self._skip_to_line_end()

    def _place(self, offset: int) -> Place:
        line = bisect_right(self._line_starts, offset)
        return Place(line, offset - self._line_starts[line - 1] + 1)

    def _skip(self, characters: str) -> None:
        while self._at < len(self._text) and self._text[self._at] in characters:
            self._at += 1

    def _skip_blank_lines(self) -> bool:
        """Pass blanks, ends of line and comments; False at the end of the text."""
        while True:
            self._skip(_BLANK + "\n")
            if self._at >= len(self._text):
                return False
            if self._text[self._at] != "#":
                return True
            self._skip_to_line_end()

    def _skip_to_line_end(self) -> None:
        self._at = self._text.index("\n", self._at)

    def _header(self, is_array: bool) -> Path:
        """`[a.b]` or `[[a.b]]`, after its bracket; gives the path of the lines below."""
        parts = self._dotted_key()
        path: Path = ()
        for number, (part, offset) in enumerate(parts, start=1):
            path = (*path, part)
            self.found.keys.setdefault(path, self._place(offset))
            if is_array and number == len(parts):
                self._array_lengths[path] = self._array_lengths.get(path, 0) + 1
            if path in self._array_lengths:
                path = (*path, self._array_lengths[path] - 1)
                self.found.keys.setdefault(path, self._place(offset))
        return path

    def _assignment(self, table: Path) -> None:
        """`key.key = value`, its keys noted below `table`."""
        path = table
        for part, offset in self._dotted_key():
            path = (*path, part)
            self.found.keys.setdefault(path, self._place(offset))
        self._skip(_BLANK + "=")
        self._value(path)

    def _dotted_key(self) -> list[tuple[str, int]]:
        """The parts of a key with their offsets; stops before `=` or `]`."""
        parts: list[tuple[str, int]] = []
        while True:
            self._skip(_BLANK + ".")
            char = self._text[self._at]
            if char in "=]":
                return parts
            start = self._at
            if char in "\"'":
                self._string(char)
                # Escapes of a quoted key are the parser's business.
                part = tomllib.loads(f"k = {self._text[start : self._at]}")["k"]
            else:
                while self._text[self._at] not in _BARE_ENDS:
                    self._at += 1
                part = self._text[start : self._at]
            parts.append((part, start))

    def _value(self, path: Path) -> None:
        """Any value; notes where it begins, and what is inside of arrays and inline tables."""
        self.found.values[path] = self._place(self._at)
        char = self._text[self._at]
        if char in "\"'":
            triple = char * 3
            self._string(triple if self._text.startswith(triple, self._at) else char)
        elif char == "[":
            self._array(path)
        elif char == "{":
            self._inline_table(path)
        else:
            while self._text[self._at] not in _VALUE_ENDS:
                self._at += 1

    def _string(self, quote: str) -> None:
        """A string that begins with `quote` (one or three of a kind), to behind its end."""
        self._at += len(quote)
        while not self._text.startswith(quote, self._at):
            escaped = quote[0] == '"' and self._text[self._at] == "\\"
            self._at += 2 if escaped else 1
        self._at += len(quote)
        # One or two quotes may stand directly before the closing three: they belong to the text.
        while len(quote) > 1 and self._text[self._at] == quote[0]:
            self._at += 1

    def _array(self, path: Path) -> None:
        self._at += 1
        index = 0
        while self._next_item("]"):
            self.found.keys[(*path, index)] = self._place(self._at)
            self._value((*path, index))
            index += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while self._next_item("}"):
            self._assignment(path)

    def _next_item(self, end: str) -> bool:
        """Pass commas and blanks before an item; False (and passed) at the closing bracket."""
        self._skip_blank_lines()
        while self._text[self._at] == ",":
            self._at += 1
            self._skip_blank_lines()
        if self._text[self._at] == end:
            self._at += 1
            return False
        return True

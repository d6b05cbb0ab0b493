"""How a mistake is told: a place, and a sentence that says what would be right."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from config.positions import Path, Place

# A value is quoted in a message so that it is recognised, not so that it can be read back.
SHOWN_CHARACTERS_MAX = 40


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake, or with `warning` on something that is allowed but likely not meant."""

    place: Place
    text: str
    warning: bool = False
    # Where it is not in the table's own file: that of a driver which the table's file names.
    file: str = ""

    def line(self, file: str) -> str:
        """The form that editors jump to: `file:line:column: message`.

        One line, whatever the file holds: what steers a terminal is shown escaped.
        """
        kind = "warning: " if self.warning else ""
        place = f"{self.file or file}:{self.place.line}:{self.place.column}"
        return f"{place}: {kind}{printable(self.text)}"


def printable(text: str) -> str:
    """One line that steers no terminal: what is not printable as Python escapes it."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a misspelt word: the nearest known one, or all of them where none is near.

    Half of the letters are enough: a key of two letters with one wrong is still recognised.
    """
    words = sorted(known)
    near = get_close_matches(word.lower(), words, n=1, cutoff=0.5)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(words)}"


def shown(value: object) -> str:
    """A value as a message quotes it: as TOML writes it, cut where it is long."""
    if isinstance(value, bool):
        return str(value).lower()
    text = repr(value) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
    return text if len(text) <= SHOWN_CHARACTERS_MAX else f"{text[:SHOWN_CHARACTERS_MAX]}…"


def shown_path(path: Path) -> str:
    """A section in its brackets, or the key with the section that it stands in: `[mqtt] port`."""
    if len(path) == 1:
        return f"[{path[0]}]"
    return f"[{'.'.join(map(str, path[:-1]))}] {path[-1]}"

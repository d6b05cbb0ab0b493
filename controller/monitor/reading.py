"""Members of JSON that a stranger may have written, each as the kind it should be, bounded. Pure.

What is of another kind than it should be reads as empty: the page shows less, and never fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from controller.core.codec import canonical

# A state is some 4 KB; a forged level must not fill the memory of the room's machine.
LEVEL_OCTETS_MAX = 64 * 1024
# Longer texts are cut: a wall is read from afar, the record has the whole.
TEXT_CHARACTERS_MAX = 240
# More than a table has seats, steps, devices or alarms that wait.
ITEMS_MAX = 64
# The integers that a browser can hold exactly.
WHOLE_MAX = 0x1FFFFFFFFFFFFF

Members = Mapping[str, object]


def level_of(payload: bytes) -> Members | None:
    """The JSON object of a retained level; None where it is none."""
    if len(payload) > LEVEL_OCTETS_MAX:
        return None
    try:
        value = json.loads(payload)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def members_of(value: object) -> dict[str, object]:
    """The first members of an object, their names made harmless."""
    if not isinstance(value, dict):
        return {}
    return {text_of(name): member for name, member in list(value.items())[:ITEMS_MAX]}


def items_of(value: object) -> list[object]:
    """The first items of a list."""
    return value[:ITEMS_MAX] if isinstance(value, list) else []


def texts_of(value: object) -> list[str]:
    """The texts of a list."""
    return [text_of(one) for one in items_of(value)]


def text_of(value: object, characters_max: int = TEXT_CHARACTERS_MAX) -> str:
    """A text without control characters and without marks that turn the direction of reading."""
    if not isinstance(value, str):
        return ""
    cut = value[:characters_max]
    if cut.isprintable():  # nearly always, and character by character is most of a wall's work
        return cut
    return "".join(char if char.isprintable() else "?" for char in cut)


def whole_of(value: object) -> int | None:
    """An integer that a browser can hold."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if -WHOLE_MAX <= value <= WHOLE_MAX else None


def severity_of(value: object) -> int:
    """A severity from 0 to 5."""
    whole = whole_of(value)
    return 0 if whole is None else max(0, min(5, whole))


def words_of(value: object) -> str:
    """Any value as a short text: a text as it is, the rest as JSON."""
    if isinstance(value, str):
        return text_of(value)
    try:
        return text_of(canonical(value).decode())
    except (ValueError, TypeError, RecursionError):
        return "?"

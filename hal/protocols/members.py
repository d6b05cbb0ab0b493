"""Text on a wire to members of a fact, within the bounds of `hal.facts`. Pure."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import cache
from typing import Final

from hal.member_types import Range, Text

# Interfaces, section 2: identity or order of undealt cards is dropped at the decoder, whatever the
# device calls it and whatever the value; never stored, logged or published.
IDENTITY_KEYS: Final = frozenset(
    ("card", "cards_list", "faces", "order", "rank", "ranks", "suit", "suits", "values",
     "missing", "extra")
)  # fmt: skip
# No bound of hal.facts needs more digits; longer ones are not worth converting.
DIGITS_MAX: Final = 10


class NotUnderstood(Exception):
    """What arrived whole is refused for its content; `reason` is a fixed word."""

    def __init__(self, reason: str) -> None:
        """Keep the word."""
        super().__init__(reason)
        self.reason = reason


Reader = Callable[[str], object]


def integer_reader(bound: Range) -> Callable[[str], int]:
    """A reader of decimal digits within `bound`. It raises NotUnderstood."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= DIGITS_MAX):
            raise NotUnderstood("bad_number")
        if not bound.least <= int(text) <= bound.most:
            raise NotUnderstood("out_of_range")
        return int(text)

    return read


def text_reader(bound: Text) -> Callable[[str], str]:
    """A reader of printable text of at most `bound.most` characters. It raises NotUnderstood."""

    def read(text: str) -> str:
        if len(text) > bound.most or not text.isprintable():
            raise NotUnderstood("bad_text")
        return text

    return read


def _choice(choices: tuple[str, ...]) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise NotUnderstood("bad_choice")
        return text

    return read


def _flag(text: str) -> bool:
    if text not in ("0", "1"):
        raise NotUnderstood("bad_flag")
    return text == "1"


def _hint_of(fact: type, member: str) -> object:
    """What a member is where it is there: `cards: Cards | None` is Cards."""
    hint = typing.get_type_hints(fact, include_extras=True)[member]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        (hint,) = (part for part in typing.get_args(hint) if part is not type(None))
    return hint


def _reader_of(hint: object) -> Reader:
    if typing.get_origin(hint) is typing.Literal:
        return _choice(typing.get_args(hint))
    if hint is bool:
        return _flag
    _, bound = typing.get_args(hint)
    return integer_reader(bound) if isinstance(bound, Range) else text_reader(bound)


@cache
def readers_of(fact: type) -> dict[str, tuple[Reader, bool]]:
    """Member of a fact -> its reader, which raises NotUnderstood, and whether it must be there."""
    return {
        part.name: (_reader_of(_hint_of(fact, part.name)), part.default is MISSING)
        for part in fields(fact)
    }


@cache
def bound_of(fact: type, member: str) -> str:
    """What a member may be, to end a sentence: `a number of 0 to 9999`, `ok or aborted`."""
    hint = _hint_of(fact, member)
    if typing.get_origin(hint) is typing.Literal:
        return " or ".join(typing.get_args(hint))
    if hint is bool:
        return "true or false"
    _, bound = typing.get_args(hint)
    if isinstance(bound, Range):
        return f"a number of {bound.least} to {bound.most}"
    return f"a printable text of at most {bound.most} characters"

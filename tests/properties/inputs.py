"""Hypothesis strategies: any line that a source may state, with plausible members."""

from __future__ import annotations

import dataclasses
import typing
from typing import Annotated, Any, Literal

from hypothesis import strategies as st

from controller.core.codec import items_of
from controller.core.inputs import BY_SOURCE
from hal.member_types import Range, Text

# Plausible numbers: seats, stack sizes, stubs, decks, and the edges beside them.
NUMBERS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 23, 33, 43, 48, 52, 53, 54)
WORDS = ("A", "B", "d1", "f1", "H1", "H2", "I1", "I2", "I3", "A1", "A2", "ok", "red", "seat_1",
         "done", "no_more_bets", "round_done", "rng", "call_floor", "card_up", "key1", "lost",
         "A1.floorperson", "dispense", "shuffle")  # fmt: skip
PEOPLE = {"dealer": ("d1", "d2"), "floorperson": ("f1", "f2"), "pit_manager": ("p1",),
          "shift_manager": ("m1",), "surveillance": ("s1",)}  # fmt: skip


def of_hint(hint: Any) -> st.SearchStrategy[Any]:
    """Values of a member's type as JSON holds them."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _bounded(parts[0], parts[1])
    if origin is Literal:
        return st.sampled_from(parts)
    if origin is tuple:
        return st.lists(of_hint(parts[0]), max_size=4)
    if origin is dict:
        return st.dictionaries(st.sampled_from(("ante", "blind", "trips")), of_hint(parts[1]),
                               max_size=2)  # fmt: skip
    if origin is not None:
        return st.one_of([of_hint(part) for part in parts if part is not type(None)])
    if hint is bool:
        return st.booleans()
    if hint is int:
        return st.sampled_from(NUMBERS)
    return st.sampled_from(WORDS)


def _bounded(inner: Any, bound: object) -> st.SearchStrategy[Any]:
    if isinstance(bound, Range) and typing.get_origin(inner) is tuple:
        part = typing.get_args(inner)[0]
        return st.lists(of_hint(part), min_size=bound.least, max_size=min(bound.most, 6))
    if isinstance(bound, Range) and inner is int:
        numbers = [one for one in NUMBERS if bound.least <= one <= bound.most]
        return st.sampled_from(numbers or [bound.least])
    if isinstance(bound, Text):
        return st.sampled_from([word for word in WORDS if len(word) <= bound.most])
    return of_hint(inner)


def _line(source: str, name: str, kind: type) -> st.SearchStrategy[dict[str, Any]]:
    hints = typing.get_type_hints(kind, include_extras=True)
    required: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for field in dataclasses.fields(kind):
        plain = field.default is dataclasses.MISSING
        plain = plain and field.default_factory is dataclasses.MISSING
        (required if plain else optional)[field.name] = of_hint(hints[field.name])
    members: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(required, optional=optional)
    people = st.sampled_from(PEOPLE.get(source, (None,)))
    return st.tuples(members, people).map(
        lambda drawn: {
            **drawn[0], "from": source, "type": name,
            **({} if drawn[1] is None else {"by": drawn[1]}),
        }
    )  # fmt: skip


LINES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    [_line(source, name, kind) for source in BY_SOURCE for name, kind in items_of(source).items()]
)

"""A frozen value with some members changed: `dataclasses.replace` for the half that decides. Pure.

A turn changes its state a few times, and each change copies thirty members; the library's own way
looks every member up by name and costs more than all rules of the turn together.
"""

from __future__ import annotations

import dataclasses
import functools
import operator
from collections.abc import Callable
from typing import Any, TypeVar

Value = TypeVar("Value")


def altered(value: Value, **members: Any) -> Value:
    """`value` with these members; a dataclass with slots, two members or more, and no
    `__post_init__`. Raises KeyError for a member that it has not."""
    kind: Any = type(value)
    read, write, places = _shape(kind)
    parts = list(read(value))
    for name, part in members.items():
        parts[places[name]] = part
    new: Value = object.__new__(kind)
    # Each slot's own setter: a frozen class shuts out assignment, not the making of a new value.
    for put, part in zip(write, parts, strict=True):
        put(new, part)
    return new


@functools.cache
def _shape(
    kind: type,
) -> tuple[
    Callable[[Any], tuple[Any, ...]], tuple[Callable[[Any, Any], None], ...], dict[str, int]
]:
    assert not hasattr(kind, "__post_init__"), "nothing is checked when a state is made"
    names = tuple(field.name for field in dataclasses.fields(kind))
    read = operator.attrgetter(*names)
    write = tuple(getattr(kind, name).__set__ for name in names)
    return read, write, {name: place for place, name in enumerate(names)}

"""Holds one section of a table's file to its shape; the only module that loads the validator."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Hashable, Mapping
from functools import cache
from typing import Annotated, cast, get_args, get_origin, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from config.complaints import Problem, nearest, shown, shown_path
from config.positions import Path, Positions
from config.sections import SECTIONS
from config.texts import Mismatch


@cache
def _adapter(shape: Hashable) -> TypeAdapter[object]:
    return TypeAdapter(cast("type[object]", shape))


def validated(
    section: str,
    value: object,
    positions: Positions,
    shapes: Mapping[str, object] = SECTIONS,
) -> tuple[object | None, list[Problem]]:
    """The section in its shape, or None and every problem of it; `shapes` are those of the file.

    The validator reads it as JSON, where strict means: a mapping may become a class, nothing else
    is converted. A TOML date fits no key of ours and goes in as an object, which no key takes.
    """
    text = json.dumps(value, default=lambda date: {"date": str(date)})
    try:
        return _adapter(shapes[section]).validate_json(text), []
    except ValidationError as error:
        return None, [
            _problem(details, section, positions, shapes[section]) for details in error.errors()
        ]


def _problem(details: ErrorDetails, section: str, positions: Positions, shape: object) -> Problem:
    inner = details["loc"]
    path: Path = (section, *(part for part in inner if part != "[key]"))
    name = shown_path(path)
    kind = details["type"]
    if kind == "missing":
        return Problem(positions.key(path[:-1]), f"{name} is missing; it has no default")
    if kind in ("unexpected_keyword_argument", "extra_forbidden"):
        hint = nearest(str(path[-1]), _keys_at(shape, inner[:-1]))
        return Problem(positions.key(path), f"unknown key {name}; {hint}")
    is_key = inner[-1:] == ("[key]",)
    place = positions.key(path) if is_key else positions.value(path)
    return Problem(place, f"{name} {_sentence(details)}")


def _sentence(details: ErrorDetails) -> str:
    """The predicate of the message; the key's name stands before it."""
    given = details["input"]
    bounds = details.get("ctx", {})
    match details["type"]:
        case "literal_error":
            return f"must be {bounds['expected']}, not {shown(given)}"
        case "int_type" | "int_from_float":
            return f"must be a whole number, not {shown(given)}"
        case "bool_type":
            return f"must be true or false, not {shown(given)}"
        case "string_type":
            return "must be a text in quotes"
        case "dataclass_type" | "dataclass_exact_type" | "dict_type":
            return "must be a table, with keys of its own"
        case "greater_than_equal":
            return f"must be at least {bounds['ge']}, not {shown(given)}"
        case "less_than_equal":
            return f"must be at most {bounds['le']}, not {shown(given)}"
        case "value_error" if isinstance(bounds["error"], Mismatch):
            mismatch = bounds["error"]
            start = f"cannot be {shown(given)};" if mismatch.quoted else "is wrong:"
            return f"{start} {mismatch}"
        case _:
            return f"is wrong: {details['msg']}"


def _keys_at(shape: object, inner: tuple[int | str, ...]) -> list[str]:
    """The keys that a shape knows at a place inside of it."""
    for part in inner:
        # A list that is bounded is a list.
        shape = get_args(shape)[0] if get_origin(shape) is Annotated else shape
        if isinstance(shape, type) and dataclasses.is_dataclass(shape):
            below = get_type_hints(shape)[str(part)]
        else:
            # A mapping from a name, whatever it is, or a list, to a class.
            below = get_args(shape)[-1]
        shape = next((part for part in (below, *get_args(below)) if _is_class(part)), shape)
    return [field.name for field in dataclasses.fields(cast("type", shape))]


def _is_class(shape: object) -> bool:
    return isinstance(shape, type) and dataclasses.is_dataclass(shape)

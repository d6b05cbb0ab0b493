"""Reads a profile document strictly, leaf by leaf, into the shapes it is asked for. Pure.

Every leaf is a table `{value, cite, verified, source}`. An unknown group, leaf or key is an
error, so no number can hide.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from typing import Any, TypeVar

from controller.core.law import Lawful

Kind = TypeVar("Kind")


class ProfileError(ValueError):
    """A profile that cannot be used; `place` is the dotted path of the leaf."""

    def __init__(self, place: str, problem: str) -> None:
        super().__init__(f"{place}: {problem}")
        self.place = place
        self.problem = problem


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def group_of(kind: type[Kind], document: dict[str, Any]) -> Kind:
    """A document as a group of leaves. Raises ProfileError with the leaf's path."""
    return typing.cast("Kind", _group(kind, document, ""))


def _group(kind: type, document: Any, place: str) -> Any:
    if not isinstance(document, dict):
        raise ProfileError(place or "profile", "expected a table")
    hints = _hints(kind)
    unknown = document.keys() - hints.keys()
    if unknown:
        raise ProfileError(_under(place, min(unknown)), "unknown key")
    values: dict[str, Any] = {}
    for member in dataclasses.fields(kind):
        inside = _under(place, member.name)
        if member.name in document:
            values[member.name] = _member(hints[member.name], document[member.name], inside)
        elif (
            member.default is dataclasses.MISSING and member.default_factory is dataclasses.MISSING
        ):
            raise ProfileError(inside, "is missing")
    return kind(**values)


def _member(hint: Any, value: Any, place: str) -> Any:
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    origin = typing.get_origin(hint)
    if origin is Lawful:
        return _leaf(typing.get_args(hint)[0], value, place)
    if origin is dict:
        if not isinstance(value, dict):
            raise ProfileError(place, "expected a table")
        inner = typing.get_args(hint)[1]
        return {key: _member(inner, part, _under(place, key)) for key, part in value.items()}
    if dataclasses.is_dataclass(hint):
        return _group(typing.cast("type", hint), value, place)
    if not isinstance(value, hint):
        raise ProfileError(place, f"expected {hint.__name__}")
    return value


LEAF = {"value", "cite", "verified", "source"}


def _leaf(hint: Any, value: Any, place: str) -> Lawful[Any]:
    if not isinstance(value, dict) or value.keys() != LEAF:
        raise ProfileError(place, "expected {value, cite, verified, source}, each once")
    if not isinstance(value["cite"], str) or not value["cite"]:
        raise ProfileError(f"{place}.cite", "a number without a paragraph is not law")
    if not isinstance(value["verified"], bool) or not isinstance(value["source"], str):
        raise ProfileError(place, "verified is true or false, source is text")
    return Lawful(
        _value(hint, value["value"], f"{place}.value"),
        value["cite"],
        value["verified"],
        value["source"],
    )


def _value(hint: Any, value: Any, place: str) -> Any:
    if typing.get_origin(hint) is tuple:
        inner = typing.get_args(hint)[0]
        if not isinstance(value, list):
            raise ProfileError(place, "expected a list")
        return tuple(_value(inner, part, f"{place}[{i}]") for i, part in enumerate(value))
    if not isinstance(value, hint) or (hint is int and isinstance(value, bool)):
        raise ProfileError(place, f"expected {hint.__name__}")
    return value


def _under(place: str, key: str) -> str:
    return f"{place}.{key}" if place else key

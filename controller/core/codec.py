"""Inputs and states to canonical JSON and back, strict both ways. Pure.

Canonical is RFC 8785 for what we write: integers, text, booleans, null, lists and objects.
Raises `Unreadable` with the place and the mend; never anything else on hostile input.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import types
import typing
from typing import Any, Literal

from controller.core.inputs import BY_SOURCE, Arrived, Malformed
from controller.core.stamp import milliseconds_of, stamp_of
from hal.facts import Meters
from hal.member_types import Range, Text

ENVELOPE = frozenset(("at", "from", "by", "type"))
JOURNAL_ENVELOPE = ENVELOPE | {"n", "mono", "boot", "sync", "command"}


class Unreadable(ValueError):
    """What was given is no lawful value; the message says where, and what would be."""


# Made once: an encoder for each call would cost as much as the encoding.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical(value: object) -> bytes:
    """RFC 8785 bytes of a value made of str, int, bool, None, list, tuple and dict."""
    return _ENCODER.encode(value).encode()


# ---- writing -----------------------------------------------------------------------------------
_ATOMS = frozenset((str, int, bool, type(None)))


def plain(value: Any) -> Any:
    """A dataclass tree as lists and dicts; members that are None are left out."""
    kind: Any = type(value)
    if kind in _ATOMS:
        return value
    if kind is tuple or kind is list:
        return [plain(part) for part in value]
    if kind is dict:
        return {key: plain(part) for key, part in value.items()}
    members = {}
    for name in _names(kind):
        part = getattr(value, name)
        if part is not None:
            members[name] = part if type(part) in _ATOMS else plain(part)
    return members if members or dataclasses.is_dataclass(kind) else value


@functools.cache
def _names(kind: type) -> tuple[str, ...]:
    if not dataclasses.is_dataclass(kind):
        return ()
    return tuple(field.name for field in dataclasses.fields(kind))


def type_of(item: Any) -> str:
    """The name of an input, or of its class, in files, journal and MQTT."""
    name: str = item.TYPE
    return name


def input_record(arrived: Arrived) -> dict[str, Any]:
    """The journal's form of an input: the JSON of `spec: inputs` plus its stamps."""
    item = arrived.item
    record = {
        "n": arrived.number,
        "at": stamp_of(arrived.at_ms),
        "mono": arrived.mono_ms,
        "boot": arrived.boot,
        "sync": arrived.clock_synchronised,
        "from": arrived.source,
        "type": type_of(item),
        **plain(item),
    }
    if arrived.by is not None:
        record["by"] = arrived.by
    if arrived.command is not None:
        record["command"] = arrived.command
    return record


# ---- reading -----------------------------------------------------------------------------------
@functools.cache
def _fields(kind: type) -> tuple[tuple[str, Any, bool], ...]:
    hints = typing.get_type_hints(kind, include_extras=True)
    return tuple(
        (
            field.name,
            hints[field.name],
            field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING,
        )
        for field in dataclasses.fields(kind)
    )


@functools.cache
def items_of(source: str) -> dict[str, type]:
    """The lawful input classes of one source, by type name."""
    return {type_of(kind): kind for kind in reversed(BY_SOURCE.get(source, ()))}


def item_of(source: str, type_name: str, members: dict[str, Any]) -> object:
    """The input that `members` state. Raises Unreadable."""
    kinds = items_of(source)
    if not kinds:
        raise Unreadable(f"from: unknown source {_short(source)}")
    if type_name not in kinds:
        raise Unreadable(f"type: {_short(type_name)} is not something {source} may state")
    if kinds[type_name] is Meters and "values" not in members:
        # A device's meters have names of its own: as members of the input they mean the same.
        members = {"values": members}
    return build(kinds[type_name], members, type_name)


def build(kind: type, members: Any, place: str) -> Any:
    """One dataclass from a dict, every member checked. Raises Unreadable."""
    if not isinstance(members, dict):
        raise Unreadable(f"{place}: expected an object")
    fields = _fields(kind)
    unknown = members.keys() - {name for name, _, _ in fields}
    if unknown:
        raise Unreadable(f"{place}: unknown member {_short(min(unknown))}")
    values = {}
    for name, hint, required in fields:
        if name in members:
            values[name] = _value(hint, members[name], f"{place}.{name}")
        elif required:
            raise Unreadable(f"{place}: member {name} is missing")
    return kind(**values)


def arrived_of_line(members: dict[str, Any], number: int, mono_ms: int, boot: int) -> Arrived:
    """An input of a file or of the wire: never raises for its content, refuses it instead.

    What cannot be read becomes `Malformed`, so that it is recorded and refused like anything else.
    Raises Unreadable only where there is no time to stamp it with.
    """
    at_ms = milliseconds_of(members.get("at"))
    source = members.get("from")
    claimed = members.get("type")
    by = members.get("by")
    if not isinstance(source, str) or source not in BY_SOURCE:
        source, problem = "unknown", f"from: unknown source {_short(source)}"
        item: object = Malformed(_word(claimed), problem)
    else:
        try:
            if not isinstance(claimed, str):
                raise Unreadable("type: member is missing")
            by = None if by is None else _value(typing.Annotated[str, Text(64)], by, "by")
            rest = {key: value for key, value in members.items() if key not in ENVELOPE}
            item = item_of(source, claimed, rest)
        except Unreadable as error:
            item = Malformed(_word(claimed), str(error)[:400])
    by = _word(by, 64) if isinstance(by, str) else None
    return Arrived(number, at_ms, mono_ms, boot, False, source, by, item)


def arrived_of_record(record: dict[str, Any]) -> Arrived:
    """The input that `input_record` wrote. Raises Unreadable: a journal holds nothing else."""
    source, claimed = record.get("from"), record.get("type")
    rest = {key: value for key, value in record.items() if key not in JOURNAL_ENVELOPE}
    if claimed == Malformed.TYPE:
        item: object = build(Malformed, rest, Malformed.TYPE)
    else:
        item = item_of(str(source), str(claimed), rest)
    try:
        return Arrived(
            record["n"], milliseconds_of(record["at"]), record["mono"], record["boot"],
            record["sync"], str(source), record.get("by"), item, record.get("command"),
        )  # fmt: skip
    except KeyError as missing:
        raise Unreadable(f"input record: member {missing} is missing") from None


def _value(hint: Any, value: Any, place: str) -> Any:
    origin = typing.get_origin(hint)
    if origin is typing.Annotated:
        inner, bound = typing.get_args(hint)[:2]
        return _bounded(bound, _value(inner, value, place), place)
    if origin is Literal:
        return _chosen(typing.get_args(hint), value, place)
    if origin in (typing.Union, types.UnionType):
        return _either(typing.get_args(hint), value, place)
    if origin is tuple:
        return _row(typing.get_args(hint), value, place)
    if origin is dict:
        return _mapping(typing.get_args(hint), value, place)
    if hint is type(None):
        if value is None:
            return None
        raise Unreadable(f"{place}: expected nothing")
    if dataclasses.is_dataclass(hint):
        return build(typing.cast("type", hint), value, place)
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return hint(_chosen(tuple(member.value for member in hint), value, place))
    return _atom(hint, value, place)


def _atom(hint: Any, value: Any, place: str) -> Any:
    # bool is an int in Python; a count of `true` cards is a mistake, not one card.
    if hint is int and (isinstance(value, bool) or not isinstance(value, int)):
        raise Unreadable(f"{place}: expected a whole number")
    if hint is int and abs(value) > 0x1FFFFFFFFFFFFF:
        raise Unreadable(f"{place}: beyond 2^53, which JSON readers cannot hold")
    if hint is bool and not isinstance(value, bool):
        raise Unreadable(f"{place}: expected true or false")
    if hint is str:
        if not isinstance(value, str):
            raise Unreadable(f"{place}: expected text")
        if any(ord(char) < 32 or 0x7F <= ord(char) < 0xA0 or 0xD800 <= ord(char) < 0xE000
               for char in value):  # fmt: skip
            raise Unreadable(f"{place}: control character in text")
    return value


def _bounded(bound: object, value: Any, place: str) -> Any:
    if isinstance(bound, Text) and len(value) > bound.most:
        raise Unreadable(f"{place}: longer than {bound.most} characters")
    if isinstance(bound, Range):
        size, what = (len(value), "entries") if isinstance(value, tuple) else (value, "")
        if not bound.least <= size <= bound.most:
            raise Unreadable(f"{place}: must be {bound.least} to {bound.most} {what}".rstrip())
    return value


def _chosen(choices: tuple[Any, ...], value: Any, place: str) -> Any:
    if isinstance(value, str) and value in choices:
        return value
    raise Unreadable(f"{place}: must be one of {' '.join(map(str, choices))}")


def _either(hints: tuple[Any, ...], value: Any, place: str) -> Any:
    if value is None and type(None) in hints:
        return None
    problems = []
    for hint in hints:
        if hint is not type(None):
            try:
                return _value(hint, value, place)
            except Unreadable as error:
                problems.append(str(error))
    raise Unreadable(" or ".join(problems)[:300])


def _row(hints: tuple[Any, ...], value: Any, place: str) -> Any:
    # 256 is beyond every lawful list of ours; longer ones are refused before they are walked.
    if not isinstance(value, (list, tuple)) or len(value) > 256:
        raise Unreadable(f"{place}: expected a list of at most 256 entries")
    if len(hints) == 2 and hints[1] is Ellipsis:
        return tuple(_value(hints[0], part, f"{place}[{i}]") for i, part in enumerate(value))
    if len(hints) != len(value):
        raise Unreadable(f"{place}: expected {len(hints)} entries")
    return tuple(
        _value(hint, part, f"{place}[{i}]")
        for i, (hint, part) in enumerate(zip(hints, value, strict=True))
    )


def _mapping(hints: tuple[Any, ...], value: Any, place: str) -> Any:
    if not isinstance(value, dict) or len(value) > 256:
        raise Unreadable(f"{place}: expected an object of at most 256 members")
    return {
        _value(str, key, place)[:64]: _value(hints[1], part, f"{place}.{_short(key)}")
        for key, part in value.items()
    }


def _short(value: object) -> str:
    return repr(value if isinstance(value, str) else type(value).__name__)[:40]


def _word(value: object, most: int = 32) -> str:
    if not isinstance(value, str):
        return ""
    return "".join(char if " " <= char <= "~" else "?" for char in value[:most])

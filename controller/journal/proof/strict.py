"""JSON as the journal writes it, and nothing else: RFC 8785 bytes, bounded, each name once."""

from __future__ import annotations

import json
import re
from typing import NoReturn

JsonObject = dict[str, object]

# The longest that is written is a state or a table's declared setup, some 100 KB.
RECORD_OCTETS_MAX = 4 * 1024 * 1024
# What every JSON reader holds exactly (RFC 7493, 2.2); only 16 digits and more can be beyond.
_INTEGER_MAX = 2**53 - 1
_MANY_DIGITS = re.compile(rb"[0-9]{16}")


class Unsound(ValueError):
    """Bytes that no record has. `kind` is unreadable or not-canonical."""

    def __init__(self, kind: str, why: str) -> None:
        super().__init__(why)
        self.kind = kind
        self.why = why


def members_of(body: bytes) -> JsonObject:
    """The object that `body` is the canonical form of. Raises Unsound for anything else."""
    if len(body) > RECORD_OCTETS_MAX:
        raise Unsound("unreadable", f"longer than {RECORD_OCTETS_MAX} octets")
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise Unsound("unreadable", f"octet {error.start + 1} is no UTF-8") from None
    try:
        members = _DECODER.decode(text)
        again = canonical(members) if isinstance(members, dict) else b""
    except RecursionError:
        raise Unsound("unreadable", "nested too deeply") from None
    except UnicodeEncodeError:
        raise Unsound("unreadable", "half of a surrogate pair stands alone") from None
    except ValueError as error:
        raise Unsound("unreadable", str(error)) from None
    if not isinstance(members, dict):
        raise Unsound("unreadable", "is no object")
    if again != body:
        raise Unsound("not-canonical", _why_not(text, again))
    if _MANY_DIGITS.search(body):
        _refuse_large(members)
    return members


def canonical(value: object) -> bytes:
    """RFC 8785 bytes of text, whole numbers, true, false, null, lists and objects."""
    return _ENCODER.encode(value).encode()


def _no_float(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no whole number")


# Made once: an encoder for each call would cost as much as the encoding.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)
_DECODER = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)


def _why_not(text: str, again: bytes) -> str:
    """What a person needs to hear: a name twice, or the first character that differs."""
    try:
        json.loads(text, object_pairs_hook=_each_name_once)
    except _Twice as twice:
        return f"the name {twice.args[0][:40]!r} stands twice"
    other = again.decode()
    at = next(
        (i for i, pair in enumerate(zip(text, other, strict=False)) if pair[0] != pair[1]),
        min(len(text), len(other)),
    )
    return f"character {at + 1} is not that of RFC 8785: {text[at : at + 16]!r}"


class _Twice(ValueError):
    pass


def _each_name_once(pairs: list[tuple[str, object]]) -> JsonObject:
    members: JsonObject = {}
    for name, value in pairs:
        if name in members:
            raise _Twice(name)
        members[name] = value
    return members


def _refuse_large(value: object) -> None:
    waiting = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, int) and abs(part) > _INTEGER_MAX:
            raise Unsound("unreadable", f"{str(part)[:40]} is beyond 2^53")

"""JSON Schema of a member's type: the bounds that the decoder holds an input to. Pure.

A schema is a dict as JSON Schema 2020-12 has it. Inputs are closed (an unknown member is refused);
what the table says is open, so that a subscriber must bear members that come later.
"""

from __future__ import annotations

import dataclasses
import enum
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Literal

from controller.messages import Json
from hal.member_types import Range, Text

Schema = dict[str, Json]
# What JSON readers hold without loss, and what the codec refuses beyond.
WHOLE_MAX = 0x1FFFFFFFFFFFFF
# The codec's own bound of a list or an object.
ENTRIES_MAX = 256
CONTROL = "[\\u0000-\\u001f\\u007f-\\u009f]"


def schema_of(hint: object) -> Schema:
    """The schema of one annotated type: texts, whole numbers, truths, choices, lists, objects."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _bounded(parts[0], parts[1])
    if origin is Literal:
        return {"enum": list(parts)}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [schema_of(part) for part in parts]}
    if origin in (tuple, list):
        return {"type": "array", "items": schema_of(parts[0]), "maxItems": ENTRIES_MAX}
    if origin is dict:
        return {
            "type": "object",
            "additionalProperties": schema_of(parts[1]),
            "maxProperties": ENTRIES_MAX,
        }
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return object_of(members_of(hint), required_of(hint))
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return {"enum": [member.value for member in hint]}
    return dict(_ATOMS[hint])


_ATOMS: dict[object, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer", "minimum": -WHOLE_MAX, "maximum": WHOLE_MAX},
    str: {"type": "string", "not": {"pattern": CONTROL}},
    type(None): {"type": "null"},
}


def _bounded(inner: object, bound: object) -> Schema:
    schema = schema_of(inner)
    if isinstance(bound, Text):
        return {**schema, "maxLength": bound.most}
    assert isinstance(bound, Range), "the codec knows no other bound"
    if schema["type"] == "array":
        return {**schema, "minItems": bound.least, "maxItems": bound.most}
    return {**schema, "minimum": bound.least, "maximum": bound.most}


def members_of(shape: type) -> dict[str, object]:
    """Member -> annotated type of a dataclass, in its order."""
    hints = typing.get_type_hints(shape, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(shape)}


def required_of(shape: type) -> list[str]:
    """The members of a dataclass that have no default."""
    missing = dataclasses.MISSING
    return [
        field.name
        for field in dataclasses.fields(shape)
        if field.default is missing and field.default_factory is missing
    ]


def object_of(
    members: Mapping[str, object], required: typing.Sequence[str], *, closed: bool = False
) -> Schema:
    """An object with these members, each an annotated type or a schema that is ready."""
    properties: dict[str, Json] = {
        name: hint if isinstance(hint, dict) else schema_of(hint) for name, hint in members.items()
    }
    schema: Schema = {"type": "object", "properties": properties, "required": list(required)}
    if closed:
        schema["additionalProperties"] = False
    return schema

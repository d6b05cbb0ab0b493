"""Holds a payload to its schema, and to having no member that the schema does not name."""

from __future__ import annotations

from functools import cache

from jsonschema import Draft202012Validator

from controller.contract.asyncapi import LEVELS, schema_named
from controller.contract.shapes import Schema


@cache
def _validator(name: str) -> Draft202012Validator:
    schema = schema_named(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def misfits(name: str, payload: object) -> list[str]:
    """What of a payload is not as the message `name` promises; empty where all is."""
    told = [
        f"{error.json_path}: {error.message}" for error in _validator(name).iter_errors(payload)
    ]
    return told + sorted(unnamed(_validator(name).schema, payload))


def unnamed(schema: Schema, payload: object, place: str = "$") -> set[str]:
    """Members that no part of the schema names: allowed to a subscriber, not to us."""
    if isinstance(payload, list):
        items = schema.get("items")
        inner = items if isinstance(items, dict) else {}
        return {one for part in payload for one in unnamed(inner, part, f"{place}[]")}
    if not isinstance(payload, dict):
        return set()
    branches = [schema, *_parts(schema)]
    if any(branch == {"type": "object"} for branch in branches):
        return set()
    found: set[str] = set()
    for name, part in payload.items():
        inners = [inner for branch in branches if (inner := _inner(branch, name)) is not None]
        if not inners:
            found.add(f"{place}.{name} is not in the contract")
            continue
        # Of several shapes one fits: what none of them names is what is wrong. One that says no
        # more than "an object" leaves the naming to the others.
        inners = [inner for inner in inners if inner != {"type": "object"}] or inners
        found |= set.intersection(*(unnamed(inner, part, f"{place}.{name}") for inner in inners))
    return found


def _parts(schema: Schema) -> list[Schema]:
    found: list[Schema] = []
    for word in ("allOf", "anyOf"):
        for part in schema.get(word, []):  # type: ignore[union-attr]
            assert isinstance(part, dict)
            found += [part, *_parts(part)]
    return found


def _inner(schema: Schema, name: str) -> Schema | None:
    properties = schema.get("properties", {})
    assert isinstance(properties, dict)
    found = properties.get(name, schema.get("additionalProperties"))
    return found if isinstance(found, dict) else None


def message_of_topic(below: str) -> str:
    """The message that a topic below the table's root carries: `state`, `alarm`, `round.voided`."""
    first, _, rest = below.partition("/")
    if first == "events":
        return rest.replace("/", ".")
    if first == "commands":
        return f"commands.{rest.rpartition('/')[2]}"
    if first == "replies":
        return "reply"
    singular = {"alarms": "alarm", "devices": "device"}.get(first, first)
    assert singular in LEVELS, below
    return singular

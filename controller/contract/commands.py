"""JSON Schema of every command, from the classes that the decoder builds, and its roles. Pure."""

from __future__ import annotations

from controller.contract.levels import command_envelope
from controller.contract.shapes import Schema, members_of, object_of, required_of
from controller.core.codec import items_of
from controller.core.inputs import ROLES


def all_commands() -> dict[str, tuple[Schema, tuple[str, ...]]]:
    """Type -> (schema, the roles that may send it), in the order of the roles."""
    roles: dict[str, list[str]] = {}
    shapes: dict[str, type] = {}
    for role in ROLES:
        for kind, shape in items_of(role).items():
            roles.setdefault(kind, []).append(role)
            shapes[kind] = shape
    return {kind: (command_of(shape), tuple(roles[kind])) for kind, shape in shapes.items()}


def command_of(shape: type) -> Schema:
    """One command: closed, since an unknown member is refused."""
    envelope = command_envelope()
    members = {**envelope, **members_of(shape)}
    return object_of(members, [*envelope, *required_of(shape)], closed=True)

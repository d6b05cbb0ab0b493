"""No key of a table's file is without effect: whatever the rules are given, a rule reads."""

import ast
import dataclasses

import pytest

from controller.core.setup import Setup, ShufflerSetup
from tests.meta.sources import python_files, tree_of

READ = {
    node.attr for file in python_files("controller") for node in ast.walk(tree_of(file))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
}  # fmt: skip


@pytest.mark.parametrize("shape", [Setup, ShufflerSetup], ids=lambda shape: shape.__name__)
def test_every_declaration_of_the_house_is_read(shape: type[Setup | ShufflerSetup]) -> None:
    unread = {field.name for field in dataclasses.fields(shape)} - READ
    assert not unread, f"no rule reads {sorted(unread)}: give it an effect or take the key away"

"""A schema says the same as the decoder: what one takes the other takes, and what not, not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from controller.contract.shapes import WHOLE_MAX, members_of, object_of, required_of, schema_of
from controller.core.codec import Unreadable, item_of, items_of
from controller.core.inputs import BY_SOURCE, Decide, NoMoreBets, Replay
from hal.facts import Meters
from tests.properties.inputs import of_hint

# Each shape once, whoever else may state it.
SHAPES = {
    shape: (source, kind)
    for source in BY_SOURCE
    for kind, shape in items_of(source).items()
    # A device's meters have names of its own, so its members are taken as they come.
    if shape is not Meters
}


def validator(shape: type) -> Draft202012Validator:
    schema = object_of(members_of(shape), required_of(shape), closed=True)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def decodes(source: str, kind: str, members: dict[str, Any]) -> bool:
    try:
        item_of(source, kind, members)
    except Unreadable:
        return False
    return True


ANYTHING = st.one_of(
    st.none(), st.booleans(), st.integers(-WHOLE_MAX - 2, WHOLE_MAX + 2), st.text(max_size=70),
    st.sampled_from(["", "A", "dealer", "a\n", "\x7f", "x" * 32, "x" * 33, "x" * 64, "x" * 65]),
    st.lists(st.integers(0, 99), max_size=18),
    st.dictionaries(st.text(max_size=3), st.integers(0, 3), max_size=2),
)  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@settings(max_examples=15)
@given(data=st.data())
def test_decoder_and_schema_agree(shape: type, data: st.DataObject) -> None:
    source, kind = SHAPES[shape]
    members = {
        name: data.draw(st.one_of(of_hint(hint), ANYTHING))
        for name, hint in members_of(shape).items()
        if data.draw(st.booleans()) or name in required_of(shape)
    }
    if data.draw(st.integers(0, 9)) == 0:
        members["more"] = 1
    assert validator(shape).is_valid(members) == decodes(source, kind, members), members


@pytest.mark.parametrize(
    ("shape", "members", "lawful"),
    [
        (Replay, {"first": 1}, True),
        (Replay, {"first": 0}, False),
        (Replay, {"first": WHOLE_MAX}, True),
        (Replay, {"first": WHOLE_MAX + 1}, False),
        (Decide, {"hold": "H" * 32, "choice": "void", "reason": "r" * 200}, True),
        (Decide, {"hold": "H" * 33, "choice": "void", "reason": "r"}, False),
        (Decide, {"hold": "H1", "choice": "void", "reason": "r" * 201}, False),
        (Decide, {"hold": "H1", "choice": "maybe", "reason": "r"}, False),
        (Decide, {"hold": "H1", "choice": "void", "reason": "a\n"}, False),
        (NoMoreBets, {"seats": list(range(1, 17))}, True),
        (NoMoreBets, {"seats": list(range(1, 18))}, False),
    ],
)
def test_bounds_are_those_of_the_decoder(
    shape: type, members: dict[str, object], lawful: bool
) -> None:
    assert validator(shape).is_valid(members) is lawful


def test_what_cannot_be_named_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        schema_of(bytes)

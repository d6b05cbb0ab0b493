"""Hostile members, canonical bytes, and states that survive their JSON: `controller.core.codec`."""

import dataclasses
import json
import types
import typing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.codec import (
    Unreadable,
    arrived_of_line,
    arrived_of_record,
    build,
    canonical,
    input_record,
    items_of,
    plain,
)
from controller.core.inputs import BY_SOURCE, Malformed
from controller.core.stamp import BadStamp
from controller.core.state import TableState
from hal.facts import Meters
from tests.play import Play
from tests.properties.inputs import LINES

AT = "2026-01-05T18:00:00.000Z"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


def reason_of(**members: Any) -> str:
    item = arrived_of_line({"at": AT, **members}, 1, 0, 0).item
    assert isinstance(item, Malformed)
    return item.reason


@pytest.mark.parametrize(
    ("members", "reason"),
    [
        ({"from": "ghost", "type": "open"}, "from: unknown source 'ghost'"),
        ({"from": 3, "type": "open"}, "from: unknown source"),
        ({"from": "dealer", "type": "open"}, "is not something dealer may state"),
        ({"from": "dealer"}, "type: member is missing"),
        ({"from": "dealer", "type": "stub"}, "member cards is missing"),
        ({"from": "dealer", "type": "stub", "cards": 1, "x": 1}, "unknown member 'x'"),
        ({"from": "dealer", "type": "stub", "cards": True}, "expected a whole number"),
        ({"from": "dealer", "type": "stub", "cards": 1.0}, "expected a whole number"),
        ({"from": "dealer", "type": "stub", "cards": -1}, "must be"),
        ({"from": "dealer", "type": "stub", "cards": 2**60}, "beyond 2^53"),
        ({"from": "dealer", "type": "spread", "face": "side"}, "must be one of"),
        ({"from": "dealer", "type": "revealed", "whose": "me"}, "revealed.whose"),
        ({"from": "dealer", "type": "no_more_bets", "seats": 3}, "expected a list"),
        ({"from": "dealer", "type": "no_more_bets", "seats": [1] * 17}, "must be 0 to 16"),
        ({"from": "dealer", "type": "sign_in", "dealer": "a\nb"}, "control character"),
        ({"from": "dealer", "type": "sign_in", "dealer": "x" * 99}, "longer than"),
        ({"from": "dealer", "type": "sign_in", "dealer": 5}, "expected text"),
        ({"from": "dealer", "type": "drawn_in_error", "exposed": 1}, "expected true or false"),
        ({"from": "dealer", "type": "done", "by": 7}, "by: expected text"),
    ],
)
def test_what_cannot_be_read_says_where_and_what_would_be_right(
    members: dict[str, Any], reason: str
) -> None:
    assert reason in reason_of(**members)


def test_an_input_without_a_time_cannot_be_stamped() -> None:
    with pytest.raises(BadStamp):
        arrived_of_line({"from": "dealer", "type": "done"}, 1, 0, 0)


@given(st.dictionaries(st.sampled_from(("from", "type", "by", "cards", "seats", "x")), JSON))
def test_hostile_members_never_raise(members: dict[str, Any]) -> None:
    arrived = arrived_of_line({**members, "at": AT}, 1, 0, 0)
    canonical(input_record(arrived))


@given(LINES)
def test_a_record_gives_its_input_back(line: dict[str, Any]) -> None:
    arrived = arrived_of_line({"at": AT, **line}, 3, 4, 5)
    record = json.loads(canonical(input_record(arrived)))
    if not isinstance(arrived.item, Malformed):
        assert arrived_of_record(record) == arrived


def test_a_journal_with_half_a_record_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="is missing"):
        arrived_of_record({"from": "dealer", "type": "done", "at": AT})


def test_canonical_bytes_are_those_of_rfc_8785_for_what_we_write() -> None:
    value = {"b": [1, True, None], "a": '§\u20ac\\"\n'}
    assert canonical(value) == '{"a":"§€\\\\\\"\\n","b":[1,true,null]}'.encode()


def test_every_source_names_its_inputs_once() -> None:
    for source, kinds in BY_SOURCE.items():
        names = {getattr(kind, "TYPE", "") for kind in kinds}
        assert len(items_of(source)) == len(names)


def _classes(kind: type, seen: set[type]) -> set[type]:
    if dataclasses.is_dataclass(kind) and kind not in seen:
        seen.add(kind)
        for hint in typing.get_type_hints(kind).values():
            for part in (hint, *typing.get_args(hint)):
                if isinstance(part, type):
                    _classes(part, seen)
    return seen


@pytest.mark.parametrize("kind", sorted(_classes(TableState, set()), key=lambda one: one.__name__))
def test_a_member_of_the_state_that_may_be_none_has_none_as_its_default(kind: type) -> None:
    hints = typing.get_type_hints(kind)
    for field in dataclasses.fields(kind):
        hint = hints[field.name]
        union = typing.get_origin(hint) in (types.UnionType, typing.Union)
        if union and type(None) in typing.get_args(hint):
            assert field.default is None, f"{kind.__name__}.{field.name} is lost in a restart"


def test_a_state_in_a_round_survives_its_json() -> None:
    play = Play(shuffle="manual").opened()
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    play.dealer("cut_made", cutter="dealer")
    play.dealer("loaded", into="shoe")
    play.bets(1)
    text = canonical(plain(play.state))
    assert build(TableState, json.loads(text), "state") == play.state


@pytest.mark.parametrize("members", [{"cycles": 12}, {"values": {"cycles": 12}}])
def test_meters_are_named_by_their_device(members: dict[str, Any]) -> None:
    line = {"at": AT, "from": "shuffler", "type": "meters", **members}
    assert arrived_of_line(line, 1, 0, 0).item == Meters({"cycles": 12})

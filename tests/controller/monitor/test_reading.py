"""What a stranger wrote reads as what it should be, or as nothing; never as an error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.monitor.reading import (
    ITEMS_MAX,
    LEVEL_OCTETS_MAX,
    TEXT_CHARACTERS_MAX,
    WHOLE_MAX,
    items_of,
    level_of,
    members_of,
    severity_of,
    text_of,
    texts_of,
    whole_of,
    words_of,
)
from controller.monitor.tile import Tile, alarms_of, concerns_of, detail_of, standing_of, summary_of

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
MEMBERS = ("round", "digit", "lamps", "prompt", "locks", "alarms", "devices", "holds", "void",
           "phase", "game", "methods", "alarm_load", "recording")  # fmt: skip


def test_a_level_is_an_object_of_bounded_size() -> None:
    assert level_of(b'{"a":1}') == {"a": 1}
    for octets in (b"", b"[]", b"{", b"\xff", b"[" * 5000, b"null"):
        assert level_of(octets) is None
    room = LEVEL_OCTETS_MAX - len('{"a":""}')
    assert level_of(json.dumps({"a": "x" * room}, separators=(",", ":")).encode()) is not None
    assert level_of(json.dumps({"a": "x" * (room + 1)}, separators=(",", ":")).encode()) is None


def test_a_text_neither_steers_nor_turns_what_is_read() -> None:
    assert text_of("a\x1b[31m\u202eb\n") == "a?[31m?b?"
    assert text_of("x" * (TEXT_CHARACTERS_MAX + 1)) == "x" * TEXT_CHARACTERS_MAX
    assert text_of(7) == ""
    assert texts_of(["a", 1]) == ["a", ""]


@pytest.mark.parametrize(
    ("value", "read"),
    [(WHOLE_MAX, WHOLE_MAX), (WHOLE_MAX + 1, None), (-WHOLE_MAX, -WHOLE_MAX), (True, None),
     (1.5, None), ("1", None)],
)  # fmt: skip
def test_an_integer_is_one_that_a_browser_holds(value: object, read: int | None) -> None:
    assert whole_of(value) == read


def test_lists_and_objects_are_cut() -> None:
    assert items_of(list(range(ITEMS_MAX + 1))) == list(range(ITEMS_MAX))
    assert len(members_of({str(n): n for n in range(ITEMS_MAX + 1)})) == ITEMS_MAX
    assert members_of([1]) == {}
    assert items_of("abc") == []
    assert [severity_of(one) for one in (-1, 0, 5, 6, None)] == [0, 0, 5, 5, 0]
    assert words_of({"a": [1]}) == '{"a":[1]}'
    assert words_of(float("nan")) == "?"


@given(JSON, st.dictionaries(st.sampled_from(MEMBERS), JSON), st.dictionaries(st.text(), JSON))
def test_whatever_is_published_can_be_shown(
    anything: object, state: dict[str, object], health: dict[str, object]
) -> None:
    tile = Tile("t-1", 1, state=state, health=health, status=health)
    tile.take_event({"data": anything, "type": anything, "severity": anything, "time": anything})
    tile.take_event({"data": state})
    for shown in (summary_of(tile), detail_of(tile)):
        assert json.loads(json.dumps(shown, allow_nan=False)) == shown
    assert standing_of(tile)[1] in range(6)
    assert isinstance(alarms_of(tile), list)
    assert isinstance(concerns_of(tile), list)

"""Only the bytes that the journal writes are taken; whatever else comes is refused with words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core import codec
from controller.journal.proof.strict import RECORD_OCTETS_MAX, Unsound, canonical, members_of

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(st.characters(exclude_categories=("Cs",))),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(
        st.characters(exclude_categories=("Cs",)), max_size=8), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(st.dictionaries(st.text(st.characters(exclude_categories=("Cs",))), VALUES, max_size=5))
def test_what_the_journal_writes_is_read_and_nothing_near_it(members: dict[str, object]) -> None:
    body = codec.canonical(members)
    assert canonical(members) == body
    assert members_of(body) == members
    for spaced in (body + b" ", b" " + body, json.dumps(members, indent=1).encode()):
        if spaced != body:
            with pytest.raises(Unsound):
                members_of(spaced)


@pytest.mark.parametrize(
    ("body", "kind", "said"),
    [
        (b"", "unreadable", "Expecting value"),
        (b"[]", "unreadable", "is no object"),
        (b"\xff{}", "unreadable", "octet 1 is no UTF-8"),
        (b"\xef\xbb\xbf{}", "unreadable", "Expecting value"),
        ("{}".encode("utf-16"), "unreadable", "UTF-8"),
        (b'{"a":"\xed\xa0\x80"}', "unreadable", "octet 7 is no UTF-8"),
        (b'{"a":"\\ud800"}', "unreadable", "surrogate"),
        (b'{"a":1.0}', "unreadable", "1.0 is no whole number"),
        (b'{"a":1e3}', "unreadable", "is no whole number"),
        (b'{"a":NaN}', "unreadable", "NaN is no whole number"),
        (b'{"a":-Infinity}', "unreadable", "-Infinity is no whole number"),
        (b'{"a":9007199254740992}', "unreadable", "beyond 2^53"),
        (b'{"a":[{"b":-9007199254740992}]}', "unreadable", "beyond 2^53"),
        (b'{"a":' + b"9" * 5000 + b"}", "unreadable", ""),
        (b'{"a":-0}', "not-canonical", "character 6"),
        (b'{"a":1,"a":1}', "not-canonical", "'a' stands twice"),
        (b'{"b":1,"a":{"c":2,"c":3}}', "not-canonical", "'c' stands twice"),
        (b'{"b":1,"a":2}', "not-canonical", "character 3"),
        (b'{"a":"\\u0041"}', "not-canonical", "character 7"),
        (b'{"a":"\\/"}', "not-canonical", "character 7"),
        (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "unreadable", "nested too deeply"),
        (b'{"a":"' + b"x" * RECORD_OCTETS_MAX + b'"}', "unreadable", "longer than"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_other_bytes_are_refused_with_words(body: bytes, kind: str, said: str) -> None:
    with pytest.raises(Unsound) as refused:
        members_of(body)
    assert refused.value.kind == kind
    assert said in refused.value.why
    assert len(refused.value.why) < 300


def test_the_largest_whole_number_is_taken() -> None:
    assert members_of(b'{"a":9007199254740991}') == {"a": 9007199254740991}
    assert members_of(b'{"a":-9007199254740991}') == {"a": -9007199254740991}
    assert members_of(b'{"a":"9007199254740992"}') == {"a": "9007199254740992"}


@given(st.binary(max_size=200))
def test_any_octets_are_taken_or_refused(body: bytes) -> None:
    try:
        members = members_of(body)
    except Unsound:
        return
    assert canonical(members) == body

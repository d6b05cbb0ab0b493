"""A message is a record only where its octets are what they say they are."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.codec import canonical
from controller.journal.record import hash_of
from controller.recorder.records import EVENT_OCTETS_MAX, Unfit, read_record
from tests.controller.recorder.chains import bodies


def test_a_record_keeps_the_very_octets() -> None:
    body = bodies(1)[0]
    record = read_record("T1", body)
    assert (record.body, record.sequence, record.journal) == (body, 1, "j")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b'"n":1', b'"n":2'), "its hash is wrong"),
        ((b'{"boot"', b'{ "boot"'), "not canonical"),
        ((b'"sequence":"000000000001"', b'"sequence":"0"'), "out of range"),
        ((b'"sequence":"000000000001"', b'"sequence":"x"'), "no number"),
        ((b'"severity":0', b'"severity":"0"'), "another kind"),
        ((b'"severity":0', b'"severity":0.5'), "another kind"),
        ((b'"journal":"j"', b'"journal":""'), "journal: expected"),
    ],
)
def test_what_is_changed_is_unfit(change: tuple[bytes, bytes], said: str) -> None:
    body = bodies(1)[0]
    assert change[0] in body
    with pytest.raises(Unfit, match=said):
        read_record("T1", body.replace(*change))


@pytest.mark.parametrize(
    ("member", "value", "said"),
    [
        ("severity", 6, "out of range"),
        ("severity", -1, "out of range"),
        ("severity", 10**30, "out of range"),
        ("severity", True, "another kind"),
        ("type", "a\0b", "cannot be printed"),
        ("time", "\n", "cannot be printed"),
    ],
)
def test_what_no_database_could_take_is_unfit_though_its_hash_is_right(
    member: str, value: object, said: str
) -> None:
    envelope = {**json.loads(bodies(1)[0]), member: value}
    envelope["hash"] = hash_of(envelope)
    with pytest.raises(Unfit, match=said):
        read_record("T1", canonical(envelope))


def test_the_highest_severity_is_read() -> None:
    envelope = {**json.loads(bodies(1)[0]), "severity": 5}
    envelope["hash"] = hash_of(envelope)
    assert read_record("T1", canonical(envelope)).severity == 5


def test_another_tables_record_is_unfit() -> None:
    with pytest.raises(Unfit, match="belongs to"):
        read_record("T2", bodies(1)[0])


def test_the_largest_payload_is_read_and_a_larger_one_is_not() -> None:
    with pytest.raises(Unfit, match="is no"):
        read_record("T1", b" " * EVENT_OCTETS_MAX)
    with pytest.raises(Unfit, match="octets"):
        read_record("T1", b" " * (EVENT_OCTETS_MAX + 1))


@given(st.one_of(st.binary(max_size=200), st.recursive(
    st.none() | st.integers() | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
).map(lambda value: json.dumps(value).encode())))  # fmt: skip
def test_anything_else_is_unfit_and_nothing_worse(payload: bytes) -> None:
    with pytest.raises(Unfit):
        read_record("T1", payload)


def test_nesting_without_end_is_unfit() -> None:
    with pytest.raises(Unfit):
        read_record("T1", b"[" * 100_000)

"""Every way in which a command can be wrong, and the few in which it is right."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.commands import (
    DEPTH_MAX,
    ISSUED_MS_MAX,
    PAYLOAD_OCTETS_MAX,
    Command,
    Moment,
    Order,
    Rejection,
    parse,
    reply,
)
from controller.core.inputs import CutMade, Malformed, OrderShuffle, Replay
from controller.core.stamp import stamp_of
from controller.messages import Topics

TOPICS = Topics("tables", "T1")
ROSTER = {
    "deal-1": "dealer",
    "floor-1": "floorperson",
    "eye-1": "surveillance",
    "evil-1": "shoe",
    "odd-1": "clock",
}
NOW = Moment(1_767_636_000_000, True)


def order(
    principal: str = "floor-1",
    kind: str = "order_shuffle",
    retain: bool = False,
    payload: bytes | None = None,
    **members: object,
) -> Order:
    whole = {"id": "c1", "issued_at": stamp_of(NOW.at_ms), "reason": "wet", **members}
    kept = {name: value for name, value in whole.items() if value is not None}
    body = json.dumps(kept).encode() if payload is None else payload
    return Order(TOPICS.below("commands", principal, kind), body, retain)


def with_member(name: str, value: object) -> bytes:
    return json.dumps({**json.loads(order().payload), name: value}).encode()


def refused(given: Order, now: Moment = NOW) -> Rejection:
    parsed = parse(TOPICS, ROSTER, given, now)
    assert isinstance(parsed, Rejection)
    assert isinstance(parsed.item, Malformed)
    return parsed


def taken(given: Order, now: Moment = NOW) -> Command:
    parsed = parse(TOPICS, ROSTER, given, now)
    assert isinstance(parsed, Command), parsed
    return parsed


def test_a_lawful_command_carries_the_role_of_the_roster_and_the_name_of_the_topic() -> None:
    assert taken(order()) == Command("floorperson", "floor-1", "c1", OrderShuffle("wet"))


def test_a_dealer_may_state_a_cut_and_a_surveillance_officer_may_ask_for_a_replay() -> None:
    cut = taken(order("deal-1", "cut_made", reason=None, cutter=3))
    assert cut.item == CutMade(3)
    again = taken(order("eye-1", "replay", reason=None, first=5))
    assert again.item == Replay(5)


@pytest.mark.parametrize("principal", ["nobody", "evil-1", "odd-1"])
def test_a_stranger_or_a_name_with_a_devices_role_is_unknown(principal: str) -> None:
    parsed = refused(order(principal, "card", reason=None, index=1, face="down"))
    assert (parsed.source, parsed.by) == ("unknown", principal)
    assert "roster" in parsed.reason


def test_a_dealer_may_not_order_what_a_floorperson_orders() -> None:
    parsed = refused(order("deal-1"))
    assert (parsed.source, parsed.by, parsed.claimed) == ("dealer", "deal-1", "order_shuffle")
    assert "not something dealer may state" in parsed.reason


def test_a_retained_command_is_refused_whatever_it_says() -> None:
    assert "retain" in refused(order(retain=True)).reason


@pytest.mark.parametrize("side", [1, -1])
def test_thirty_seconds_are_taken_and_one_millisecond_more_is_not(side: int) -> None:
    edge = stamp_of(NOW.at_ms - side * ISSUED_MS_MAX)
    beyond = stamp_of(NOW.at_ms - side * (ISSUED_MS_MAX + 1))
    taken(order(issued_at=edge))
    parsed = refused(order(issued_at=beyond))
    assert parsed.stale
    assert f"{ISSUED_MS_MAX + 1} ms" in parsed.reason
    taken(order(issued_at=beyond), Moment(NOW.at_ms, False))


def test_sixteen_kibibytes_are_read_and_one_byte_more_is_not() -> None:
    body = order().payload
    full = body + b" " * (PAYLOAD_OCTETS_MAX - len(body))
    taken(order(payload=full))
    assert str(PAYLOAD_OCTETS_MAX + 1) in refused(order(payload=full + b" ")).reason


def test_a_megabyte_is_refused_unread() -> None:
    assert "bytes of payload" in refused(order(payload=b"[" * 1_000_000)).reason


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'"text"', "not a JSON object"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"id":"\xc3"}', "not UTF-8"),
        (b'{"id":"a","id":"b"}', "given twice"),
        (b'{"id":"a","x":{"y":1,"y":1}}', "given twice"),
        (b'{"id":NaN}', "not JSON"),
        (b'{"id":"a","n":' + b"9" * 5000 + b"}", "out of reach"),
        (b'{"reason":"wet"}', "id: member is missing"),
        (b'{"id":7}', "id: expected"),
        (b'{"id":""}', "id: expected"),
        (b'{"id":"a b"}', "id: expected"),
        (b'{"id":"a"}', "issued_at: member is missing"),
        (b'{"id":"a","issued_at":"noon"}', "issued_at"),
        (b'{"id":"a","issued_at":7}', "issued_at"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_reason(payload: bytes, why: str) -> None:
    assert why in refused(order(payload=payload)).reason


def test_an_id_of_sixty_four_characters_is_taken_and_of_sixty_five_is_not() -> None:
    assert taken(order(id="x" * 64)).id == "x" * 64
    assert refused(order(id="x" * 65)).id is None


@pytest.mark.parametrize("name", ["from", "by"])
def test_a_payload_names_no_speaker(name: str) -> None:
    parsed = refused(order(payload=with_member(name, "floor-1")))
    assert parsed.reason.startswith(f"{name}: ")
    assert parsed.id == "c1"


def test_unknown_types_and_members_are_refused() -> None:
    assert "not something floorperson may state" in refused(order(kind="explode")).reason
    assert "unknown member" in refused(order(speed=7)).reason
    assert "is missing" in refused(order(reason=None)).reason


def test_nesting_is_refused_beyond_its_bound_but_not_brackets_in_a_text() -> None:
    deep = "[" * DEPTH_MAX + "]" * DEPTH_MAX
    body = order().payload.decode()[:-1]
    assert "nested" in refused(order(payload=f'{body},"x":{deep}}}'.encode())).reason
    assert "nested" not in refused(order(payload=f'{body},"x":{deep[1:-1]}}}'.encode())).reason
    taken(order(reason='\\"' + "[{" * 40))


@pytest.mark.parametrize("topic", ["tables/T1/commands/a/b/c", "tables/T1/commands/x", "t"])
def test_a_topic_that_names_nobody_has_no_principal(topic: str) -> None:
    parsed = refused(Order(topic, order().payload, False))
    assert (parsed.by, parsed.source) == (None, "unknown")


def test_what_is_recorded_of_a_rejection_fits_the_journal() -> None:
    long = "\u00e9\n" * 300
    parsed = refused(Order(f"tables/T1/commands/floor-1/{long}", order().payload, False))
    assert parsed.item.claimed == "?" * 32
    assert len(refused(order(payload=with_member(long, 1))).item.reason) <= 400


@pytest.mark.parametrize(
    ("asked", "lawful"),
    [
        ("tables/T1/replies/floor-1", True),
        ("tables/T1/replies/floor-1/pad-7", True),
        ("tables/T1/replies/floor-2", False),
        ("tables/T1/replies/floor-10", False),
        ("tables/T1/status", False),
        ("tables/T1/replies/floor-1/#", False),
        ("tables/T1/replies/floor-1/" + "x" * 129, False),
        ("other/place", False),
        (None, False),
    ],
)
def test_a_response_topic_is_honoured_only_below_the_principals_own(
    asked: str | None, lawful: bool
) -> None:
    given = Order("t", b"", False, response_topic=asked, correlation=b"\x01")
    message = reply(TOPICS, given, "floor-1", "c1", {"result": "busy", "reason": "x"})
    assert message.topic == (asked if lawful else "tables/T1/replies/floor-1")
    assert message.correlation == b"\x01"
    assert json.loads(message.payload) == {"id": "c1", "reason": "x", "result": "busy"}
    assert not message.retain


@pytest.mark.parametrize(("octets", "lawful"), [(1024, True), (1025, False)])
def test_correlation_data_are_echoed_up_to_a_kibibyte_and_refused_beyond(
    octets: int, lawful: bool
) -> None:
    """An answer that the broker finds too large would be asked for again at every connection."""
    given = replace(order(), correlation=b"\x00" * octets)
    parsed = parse(TOPICS, ROSTER, given, NOW)
    assert isinstance(parsed, Command) is lawful
    if isinstance(parsed, Rejection):
        assert parsed.reason == "correlation data: at most 1024 bytes are echoed"
    message = reply(TOPICS, given, "floor-1", None, {"result": "refused", "reason": "x"})
    assert message.correlation == (given.correlation if lawful else None)


@settings(max_examples=100, deadline=None)
@given(
    levels=st.text(max_size=40),
    payload=st.one_of(
        st.binary(max_size=80),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.text(max_size=8),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
            max_leaves=6,
        ).map(lambda value: json.dumps(value).encode()),
    ),
    retain=st.booleans(),
)
def test_nothing_that_a_stranger_sends_raises(levels: str, payload: bytes, retain: bool) -> None:
    for topic in (f"tables/T1/commands/{levels}", "tables/T1/commands/floor-1/order_shuffle"):
        parsed = parse(TOPICS, ROSTER, Order(topic, payload, retain), NOW)
        assert isinstance(parsed, Rejection)

"""Our own words on their way back are told from older ones and from what nobody of us said."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controller.echoes import SAID_OF_TOPIC_MAX, TOPICS_MAX, Echoes, Origin

STATE = "tables/T1/state"


def test_what_comes_back_is_ours_once_and_after_a_later_one_it_is_of_before() -> None:
    echoes = Echoes()
    for payload in (b"1", b"2", b"3"):
        echoes.said(STATE, payload)
    assert echoes.heard(STATE, b"1") is Origin.OURS
    assert echoes.heard(STATE, b"3") is Origin.OURS
    assert echoes.heard(STATE, b"2") is Origin.BEFORE
    assert echoes.heard(STATE, b"3") is Origin.BEFORE
    assert echoes.heard(STATE, b"4") is Origin.FOREIGN
    assert echoes.heard("tables/T1/prompt", b"3") is Origin.FOREIGN


def test_a_value_that_is_said_again_is_ours_again() -> None:
    echoes = Echoes()
    for payload in (b"up", b"down", b"up"):
        echoes.said(STATE, payload)
        assert echoes.heard(STATE, payload) is Origin.OURS


@given(st.lists(st.sampled_from([b"a", b"b", b"c"]), max_size=SAID_OF_TOPIC_MAX), st.data())
def test_a_broker_that_keeps_the_order_never_makes_a_stranger_of_us(
    said: list[bytes], data: st.DataObject
) -> None:
    echoes, back = Echoes(), 0
    for count, payload in enumerate(said, start=1):
        echoes.said(STATE, payload)
        while back < count and data.draw(st.booleans()):
            assert echoes.heard(STATE, said[back]) is Origin.OURS
            back += 1
    while back < len(said):
        assert echoes.heard(STATE, said[back]) is Origin.OURS
        back += 1


def test_what_an_absent_table_said_before_does_not_settle_its_new_connection() -> None:
    """A broker hands over what it kept, the old connection's will behind it, before the birth."""
    echoes = Echoes()
    for payload in (b"1", b"2", b"3"):
        echoes.said(STATE, payload)
    assert echoes.heard(STATE, b"1") is Origin.OURS
    assert echoes.settled
    echoes.parted()
    echoes.said(STATE, b"4")
    assert echoes.heard(STATE, b"3") is Origin.OURS
    assert not echoes.settled
    assert echoes.heard(STATE, b"4") is Origin.OURS
    assert echoes.settled


def test_what_is_remembered_is_bounded() -> None:
    echoes = Echoes()
    for number in range(SAID_OF_TOPIC_MAX + 1):
        echoes.said(STATE, str(number).encode())
    assert echoes.heard(STATE, b"1") is Origin.OURS
    assert echoes.heard(STATE, b"0") is Origin.FOREIGN
    for number in range(TOPICS_MAX):
        echoes.said(f"tables/T1/alarms/A{number}", b"x")
    assert echoes.heard(STATE, b"1") is Origin.FOREIGN
    assert echoes.heard("tables/T1/alarms/A0", b"x") is Origin.OURS

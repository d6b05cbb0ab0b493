"""A device's mark survives its way through a cursor of the journal."""

from hypothesis import given
from hypothesis import strategies as st

from controller.marks import cursor_of, mark_of_number, number_of_mark

WORDS = st.integers(0, 0xFFFF)


@given(WORDS, WORDS)
def test_a_mark_comes_back_as_it_was(boot: int, seq: int) -> None:
    mark = f"{boot:04X}:{seq:04X}"
    assert mark_of_number(number_of_mark(mark)) == mark


def test_a_cursor_that_was_never_set_is_no_mark() -> None:
    assert mark_of_number(0) is None


def test_the_first_mark_of_all_is_one() -> None:
    assert mark_of_number(number_of_mark("0000:0000")) == "0000:0000"


def test_each_device_has_its_own_cursor() -> None:
    assert cursor_of("shoe") != cursor_of("shuffler")

"""The scaling to 1..7, proven over every octet rather than sampled."""

from __future__ import annotations

from collections import Counter

import pytest

from hal.draw import ACCEPTED_BELOW, number_in


def test_each_number_has_thirty_six_octets_and_four_are_rejected() -> None:
    counts = Counter(number_in(bytes([octet])) for octet in range(256))
    assert counts == {None: 4, **dict.fromkeys(range(1, 8), 36)}


@pytest.mark.parametrize(("octet", "number"), [(0, 1), (6, 7), (7, 1), (251, 7), (252, None)])
def test_the_last_accepted_and_the_first_rejected_octet(octet: int, number: int | None) -> None:
    assert number_in(bytes([octet])) == number
    assert ACCEPTED_BELOW == 252


def test_rejected_octets_are_passed_over_and_what_follows_a_number_is_not_used() -> None:
    for first in range(252, 256):
        for second in range(256):
            pair = number_in(bytes([first, second]))
            assert pair == number_in(bytes([second]))
            assert number_in(bytes([second, first])) == number_in(bytes([second]))


def test_octets_that_are_all_rejected_give_no_number() -> None:
    assert number_in(b"") is None
    assert number_in(b"\xff" * 64) is None

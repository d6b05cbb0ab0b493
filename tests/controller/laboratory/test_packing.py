"""Forms for other tools: bits by rejection are proven even over all 343 groups."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest

from controller.laboratory.origins import numbers_of
from controller.laboratory.packing import FORMS, packed


def test_each_octet_comes_from_exactly_one_group_of_three() -> None:
    groups = list(product(range(1, 8), repeat=3))
    octets = packed(bytes(number for group in groups for number in group), "bits")
    assert len(groups) == 343
    assert Counter(octets) == dict.fromkeys(range(256), 1)


@pytest.mark.parametrize("left_over", [0, 1, 2])
def test_what_fills_no_group_is_dropped(left_over: int) -> None:
    assert packed(bytes([1, 1, 2] + [1] * left_over), "bits") == b"\x01"


@pytest.mark.parametrize("form", ["octets", "text"])
def test_numbers_come_back_from_the_forms_that_keep_them(form: str) -> None:
    numbers = bytes([1, 7, 3, 3])
    assert numbers_of(packed(numbers, form), form) == numbers


def test_there_are_three_forms() -> None:
    assert FORMS == ("octets", "text", "bits")

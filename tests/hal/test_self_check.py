"""The rolling self-check: its limit is the distribution's, and what it finds is found in time."""

from __future__ import annotations

import math
import random
from itertools import count

import pytest

from hal.draw import number_in
from hal.health import Health
from hal.self_check import (
    LIMIT_THOUSANDTHS,
    NUMBERS_MIN,
    WINDOW_NUMBERS,
    SelfCheck,
    is_suspect,
)


def tail(statistic: float) -> float:
    """Chance of a chi-square with six degrees of freedom beyond `statistic`."""
    half = statistic / 2
    return math.exp(-half) * (1 + half + half * half / 2)


def test_the_limit_is_one_in_a_million() -> None:
    assert tail(LIMIT_THOUSANDTHS / 1_000) < 1e-6 < tail((LIMIT_THOUSANDTHS - 1) / 1_000)


@pytest.mark.parametrize(("more", "suspect"), [(181, False), (182, True)])
def test_the_first_excess_that_is_suspect(more: int, suspect: bool) -> None:
    """Of 7,000: 1000 + d in one cell, 1000 - d/6 in the others; chi-square = 7 d² / 6000."""
    less = [1_000 - more // 6 - (1 if index < more % 6 else 0) for index in range(6)]
    counts = [1_000 + more, *less]
    assert sum(counts) == WINDOW_NUMBERS
    expected = sum((seen - 1_000) ** 2 / 1_000 for seen in counts)
    assert (expected >= LIMIT_THOUSANDTHS / 1_000) is suspect
    assert is_suspect(counts) is suspect


@pytest.mark.parametrize(("numbers", "suspect"), [(NUMBERS_MIN - 1, False), (NUMBERS_MIN, True)])
def test_too_few_numbers_are_no_proof(numbers: int, suspect: bool) -> None:
    check = SelfCheck([4] * (numbers - 1))
    assert check.feed(4) is not suspect


def test_a_window_forgets_what_is_older() -> None:
    check = SelfCheck([3] * WINDOW_NUMBERS)
    for index in range(WINDOW_NUMBERS):
        check.feed(index % 7 + 1)
    assert check.counts() == (1_000,) * 7


def found_after(weights: list[int], seed: int, limit: int) -> int | None:
    """How many numbers a fault costs, or None where none of `limit` was suspect."""
    source, check = random.Random(seed), SelfCheck()
    for taken in count(1):
        if not check.feed(source.choices(range(1, 8), weights)[0]):
            return taken
        if taken == limit:
            return None
    return None


def test_a_scaling_that_favours_a_number_is_found_though_the_raw_source_is_good() -> None:
    """Six octet values of each number's 36 are given to the 7: the raw octets stay perfect."""
    source, health, check = random.Random(11), Health(), SelfCheck()
    for taken in count(1):
        octets = source.randbytes(64)
        assert health.feed(octets) is None
        number = number_in(octets)
        assert number is not None
        if not check.feed(7 if octets[0] < 36 else number):
            break
        assert taken < WINDOW_NUMBERS
    assert taken >= NUMBERS_MIN


@pytest.mark.parametrize("seed", range(3))
def test_fair_numbers_are_believed(seed: int) -> None:
    assert found_after([1] * 7, seed, 20_000) is None


@pytest.mark.heavy
def test_false_alarms_in_ten_million_fair_numbers() -> None:
    """1,400 windows. Each look has a chance of 1e-6; looks that share numbers alarm together."""
    assert found_after([1] * 7, 7, 10_000_000) is None

"""Each test against the fault that it is there for, against fair numbers, and against anything."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.laboratory import battery
from controller.laboratory.battery import BATTERY
from controller.laboratory.chances import kolmogorov_tail
from controller.laboratory.sample import Finding

SAMPLE = 100_000


def fair(seed: int, count: int = SAMPLE) -> bytes:
    return bytes(random.Random(seed).choices(range(1, 8), k=count))


def alternating(seed: int) -> bytes:
    """Each number even in the long run; a high one is followed by a low one a little too often."""
    source, out = random.Random(seed), bytearray([4])
    while len(out) < SAMPLE:
        number = source.randrange(1, 8)
        if source.random() < 0.1 and number > 4 and out[-1] > 4:
            number = 8 - number
        out.append(number)
    return bytes(out)


def shy(seed: int) -> bytes:
    """A number comes again at once half as often as it should."""
    source, out = random.Random(seed), bytearray([4])
    while len(out) < SAMPLE:
        number = source.randrange(1, 8)
        if number != out[-1] or source.random() < 0.5:
            out.append(number)
    return bytes(out)


def blocks_of_all(seed: int) -> bytes:
    """Seven at a time in some order: as even as can be, and far too regular."""
    source, out = random.Random(seed), bytearray()
    while len(out) < SAMPLE:
        out += bytes(source.sample(range(1, 8), 7))
    return bytes(out)


def ring(seed: int) -> bytes:
    return (fair(seed, 10_007) * 10)[:SAMPLE]


def favoured(seed: int) -> bytes:
    return bytes(random.Random(seed).choices(range(1, 8), [12, *[10] * 6], k=SAMPLE))


def striped(seed: int) -> bytes:
    """Every seventh number is a 1 more often, and the others make up for it."""
    source = random.Random(seed)
    ones, others = [25, *[15] * 6], [9, *[10] * 6]
    return bytes(
        source.choices(range(1, 8), others if place % 7 else ones)[0] for place in range(SAMPLE)
    )


def sorted_at_times(seed: int) -> bytes:
    """One four of twenty comes in rising order."""
    source, numbers = random.Random(seed), fair(seed)
    fours = [numbers[start : start + 4] for start in range(0, SAMPLE, 4)]
    return b"".join(bytes(sorted(four)) if source.random() < 0.05 else four for four in fours)


def drifting(seed: int) -> bytes:
    """High in the first half, low in the second."""
    source = random.Random(seed)
    first = source.choices(range(1, 8), [94, 96, 98, 100, 102, 104, 106], k=SAMPLE // 2)
    second = source.choices(range(1, 8), [106, 104, 102, 100, 98, 96, 94], k=SAMPLE // 2)
    return bytes(first + second)


@pytest.mark.parametrize(
    ("test", "fault"),
    [
        (battery.frequency, favoured),
        (battery.serial_pairs, shy),
        (battery.overlapping_pairs, shy),
        (battery.serial_correlation, alternating),
        (battery.repeats, shy),
        (battery.runs_up, blocks_of_all),
        (battery.gaps, blocks_of_all),
        (battery.poker, blocks_of_all),
        (battery.coupon_collector, blocks_of_all),
        (battery.permutation, sorted_at_times),
        (battery.subsequences, striped),
        (battery.random_walk, drifting),
        (battery.kolmogorov_smirnov, blocks_of_all),
        (battery.long_repeats, ring),
    ],
)
def test_each_test_sees_the_fault_that_it_is_there_for(
    test: Callable[[bytes], Finding], fault: Callable[[int], bytes]
) -> None:
    finding = test(fault(1))
    assert finding.chance is not None
    assert finding.chance < 1e-4


def test_numbers_that_are_too_even_fail_as_well() -> None:
    too_even = battery.frequency(bytes(range(1, 8)) * 1_000)
    assert too_even.chance == 0.0


@pytest.mark.parametrize("test", BATTERY, ids=lambda test: test.__name__)
def test_chances_of_fair_numbers_are_spread_evenly(test: Callable[[bytes], Finding]) -> None:
    """60 samples of 14,000 (12 of 70,000 for the windows): no test fails or passes too often."""
    if test is battery.long_repeats:
        assert all(test(fair(seed, 14_000)).chance == 1.0 for seed in range(20))
        return
    samples, count = (12, 70_000) if test is battery.kolmogorov_smirnov else (60, 14_000)
    chances = sorted(_chance(test(fair(1_000 + seed, count))) for seed in range(samples))
    distance = max(
        max(chance - index / samples, (index + 1) / samples - chance)
        for index, chance in enumerate(chances)
    )
    assert kolmogorov_tail(distance, samples) > 1e-3


@pytest.mark.heavy
@pytest.mark.parametrize("test", BATTERY, ids=lambda test: test.__name__)
def test_a_thousand_fair_samples_fail_as_often_as_stated(
    test: Callable[[bytes], Finding],
) -> None:
    """At 1 %: 10 of 1,000 on average, 3 to 22 in all but one of a thousand cases."""
    count = 70_000 if test is battery.kolmogorov_smirnov else 14_000
    low = sum(_chance(test(fair(50_000 + seed, count))) < 0.01 for seed in range(1_000))
    assert low <= 22


@pytest.mark.parametrize("test", BATTERY, ids=lambda test: test.__name__)
def test_a_sample_that_is_too_small_says_how_many_it_takes(
    test: Callable[[bytes], Finding],
) -> None:
    finding = test(fair(2, 10))
    assert finding.chance is None
    assert finding.needs is not None
    assert test(fair(2, finding.needs - 1)).chance is None
    assert test(fair(2, finding.needs)).chance is not None


@settings(max_examples=60)
@given(
    pattern=st.binary(min_size=1, max_size=40),
    times=st.integers(1, 400),
    tail=st.binary(max_size=50),
)
def test_any_numbers_give_a_chance_and_no_error(pattern: bytes, times: int, tail: bytes) -> None:
    numbers = bytes(octet % 7 + 1 for octet in pattern * times + tail)
    for test in BATTERY:
        chance = test(numbers).chance
        assert chance is None or 0 <= chance <= 1


def _chance(finding: Finding) -> float:
    assert finding.chance is not None
    return finding.chance

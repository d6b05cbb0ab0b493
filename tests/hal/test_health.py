"""Health tests: cut-offs against the published table, and the first sample that fails."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.entropy import KernelSource
from hal.health import (
    BIT_ALPHA,
    BIT_ENTROPY,
    BIT_WINDOW,
    LANE_WINDOW,
    STARTUP_SAMPLES_MIN,
    BitStream,
    Health,
    Lanes,
    Limits,
    Stream,
    proportion_cutoff,
    repetition_cutoff,
)


@pytest.mark.parametrize(
    ("alpha", "entropy", "repetition"),
    [(20, "1", 21), (30, "1", 31), (40, "1", 41), (20, "1/2", 41), (30, "4", 9), (30, "8", 5)],
)
def test_repetition_cutoffs_are_those_of_the_table(
    alpha: int, entropy: str, repetition: int
) -> None:
    assert repetition_cutoff(Fraction(entropy), alpha) == repetition


@pytest.mark.parametrize(
    ("alpha", "entropy", "window", "proportion"),
    [
        (20, "1", 1024, 589), (30, "1", 1024, 609), (40, "1", 1024, 625),
        (20, "1", 512, 311), (30, "1", 512, 325), (40, "1", 512, 336),
        (20, "1/2", 1024, 793), (30, "4", 512, 71), (30, "8", 512, 16),
    ],
)  # fmt: skip
def test_proportion_cutoffs_are_those_of_the_table(
    alpha: int, entropy: str, window: int, proportion: int
) -> None:
    assert proportion_cutoff(window, Fraction(entropy), alpha) == proportion


@pytest.mark.parametrize(("run", "failed"), [(8, None), (9, "repetition")])
def test_the_ninth_equal_octet_in_a_row_fails(run: int, failed: str | None) -> None:
    stream = Stream(Limits.of(512, Fraction(4), 30))
    results = [stream.feed([sample]) for sample in [1, 2, 3, *[7] * run]]
    assert results[-1] == failed
    assert set(results[:-1]) == {None}


@pytest.mark.parametrize(("copies", "failed"), [(70, None), (71, "proportion")])
def test_the_seventy_first_copy_in_a_window_fails(copies: int, failed: str | None) -> None:
    stream = Stream(Limits.of(512, Fraction(4), 30))
    samples = [value for _ in range(copies - 1) for value in (0, 1, 2, 3)] + [0]
    # Three fillers between two copies keep the run short; the others' own counts do not matter.
    results = [stream.feed([sample]) for sample in samples]
    assert results[-1] == failed
    assert set(results[:-1]) == {None}


def test_a_window_forgets_the_one_before() -> None:
    stream = Stream(Limits.of(512, Fraction(4), 30))
    window = [0, 1, 2, 3] * 17 + [9, 8] * 222
    assert len(window) == 512
    assert [stream.feed([sample]) for sample in window * 20] == [None] * len(window) * 20


def good_octets(seed: int, count: int) -> bytes:
    return random.Random(seed).randbytes(count)


def test_a_draw_needs_a_thousand_and_twenty_four_good_samples() -> None:
    health = Health()
    octets = good_octets(1, STARTUP_SAMPLES_MIN)
    assert health.feed(octets[:-1]) is None
    assert not health.started
    assert health.feed(octets[-1:]) is None
    assert health.started


def test_good_octets_never_fail() -> None:
    health = Health()
    for seed in range(200):
        assert health.feed(good_octets(seed, 64)) is None


def leaning(seed: int, count: int) -> bytes:
    """Octets of which three bits in four are set, each place changing."""
    pairs = zip(good_octets(seed, count), good_octets(seed + 1, count), strict=True)
    return bytes(one | other for one, other in pairs)


@pytest.mark.parametrize(
    ("octets", "test"),
    [
        (b"\x5a" * 64, "repetition"),
        (good_octets(5, 56) + b"\x00" * 8, "bit_repetition"),
        (b"\x01\xfe" * 512, "proportion"),
        (leaning(3, 4096), "bit_proportion"),
        (bytes(octet | 0x10 for octet in good_octets(3, 64)), "bit_stuck"),
    ],
)
def test_a_bad_source_fails_by_name(octets: bytes, test: str) -> None:
    assert Health().feed(octets) == test


def test_a_block_that_came_before_fails_though_each_of_its_octets_is_good() -> None:
    health = Health()
    blocks = [good_octets(seed, 64) for seed in range(16)]
    assert [health.feed(block) for block in blocks] == [None] * 16
    assert health.feed(blocks[0]) == "repeated_block"


def test_a_failure_is_final() -> None:
    health = Health()
    health.feed(b"\x5a" * 64)
    for seed in range(20):
        assert health.feed(good_octets(seed, 64)) == "repetition"
    assert not health.started


def exact_proportion_cutoff(window: int, entropy: int, alpha: int) -> int:
    """1 + critbinom(W, 2^-H, 1 - 2^-alpha), summed upwards in whole numbers."""
    others, whole = 2**entropy - 1, 2 ** (entropy * window)
    below = 0
    for count in range(window + 1):
        below += math.comb(window, count) * others ** (window - count)
        # P(X <= count) >= 1 - 2^-alpha, without a division.
        if (whole - below) << alpha <= whole:
            return 1 + count
    raise AssertionError("the whole distribution sums up to one")


@pytest.mark.parametrize("alpha", [20, 30, 40])
@pytest.mark.parametrize("entropy", range(1, 9))
@pytest.mark.parametrize("window", [512, 1024])
def test_proportion_cutoffs_equal_the_formula_in_whole_numbers(
    window: int, entropy: int, alpha: int
) -> None:
    """SP 800-90B 4.4.2 for every whole entropy of an octet, by a sum from the other end."""
    exact = exact_proportion_cutoff(window, entropy, alpha)
    assert proportion_cutoff(window, Fraction(entropy), alpha) == exact


@pytest.mark.parametrize("alpha", [20, 30, 40])
def test_repetition_cutoffs_are_the_least_that_the_chance_allows(alpha: int) -> None:
    """SP 800-90B 4.4.1: the least C with (2^-H)^(C-1) <= 2^-alpha, from 0.1 to 8 bits."""
    for tenths in range(1, 81):
        entropy = Fraction(tenths, 10)
        cutoff = repetition_cutoff(entropy, alpha)
        assert entropy * (cutoff - 1) >= alpha > entropy * (cutoff - 2)


# Skewed octets too: fair ones never come near a limit.
OCTETS = st.lists(
    st.one_of(st.integers(0, 255), st.sampled_from([0, 255, 0x7F, 0x80, 1])), max_size=700
)


@given(octets=OCTETS, repetition=st.integers(9, 41), proportion=st.integers(33, 64))
def test_bits_by_octets_fail_where_bits_one_by_one_do(
    octets: list[int], repetition: int, proportion: int
) -> None:
    limits = Limits(repetition, proportion, 64)
    one_by_one, by_octets = Stream(limits), BitStream(limits)
    for octet in octets:
        each = {one_by_one.feed([octet >> place & 1]) for place in range(8)} - {None}
        together = by_octets.feed([octet])
        assert (together is None) == (not each)
        assert together is None or together in each
        if each:
            # What fails is given up: neither goes on from there.
            return


def octets_until_failure(octets: bytes) -> tuple[str | None, int]:
    """What fails when `octets` follow 4,096 good ones, and how many of them that took."""
    health = Health()
    assert health.feed(good_octets(17, 4_096)) is None
    for index in range(0, len(octets), 64):
        if (failed := health.feed(octets[index : index + 64])) is not None:
            return failed, index + 64
    return None, len(octets)


@pytest.mark.parametrize("place", range(8))
@pytest.mark.parametrize("level", [0, 1])
def test_a_stuck_bit_is_noticed_within_two_windows(place: int, level: int) -> None:
    """One line of eight that never changes leaves 15 bits of 16 as they were."""
    mask = 1 << place
    raw = bytes(
        octet | mask if level else octet & ~mask & 0xFF for octet in good_octets(23 + place, 1_024)
    )
    failed, octets = octets_until_failure(raw)
    assert failed == "bit_stuck"
    assert octets <= 2 * LANE_WINDOW


@pytest.mark.parametrize(("changes_after", "failed"), [(62, None), (63, None), (64, "stuck")])
def test_a_place_that_changes_in_the_last_octet_of_a_window_is_alive(
    changes_after: int, failed: str | None
) -> None:
    lanes, source = Lanes(), random.Random(3)
    octets = [source.randrange(128) for _ in range(changes_after)]
    octets += [source.randrange(128) | 128 for _ in range(LANE_WINDOW - changes_after)]
    results = [lanes.feed([octet]) for octet in octets]
    assert results[-1] == failed
    assert set(results[:-1]) == {None}


@pytest.mark.parametrize("ring", [1, 2, 3, 5, 16, 63])
def test_a_short_repeat_is_noticed_before_its_ring_came_thrice(ring: int) -> None:
    block = good_octets(31, ring * 64)
    failed, octets = octets_until_failure(block * 3)
    assert failed is not None
    assert octets <= (ring + 1) * 64


def test_a_slow_drift_towards_ones_is_noticed() -> None:
    """The chance of a one grows from 1/2 by 1/20,000 an octet: out before it reaches 2/3."""
    source = random.Random(41)
    raw = bytes(
        sum((source.random() < 0.5 + index / 20_000) << place for place in range(8))
        for index in range(4_000)
    )
    failed, octets = octets_until_failure(raw)
    assert failed == "bit_proportion"
    assert octets <= 3_400


@pytest.mark.heavy
def test_a_hundred_million_good_octets_give_no_false_alarm() -> None:
    """8 * 10^8 bits. At 2^-40 a bit and 2^-30 an octet's claimed entropy none is expected."""
    health, source, buffer = Health(), KernelSource(), bytearray(64)
    for _ in range(100_000_000 // len(buffer)):
        source.fill(buffer)
        assert health.feed(buffer) is None


@pytest.mark.heavy
def test_false_alarms_come_as_often_as_was_stated() -> None:
    """At 2^-20 and full entropy ten million octets are enough to count them (run of 21 bits)."""
    limits = Limits.of(BIT_WINDOW, BIT_ENTROPY, 20)
    stream, alarms = BitStream(limits), 0
    bits, block = 80_000_000, KernelSource()
    buffer = bytearray(1 << 16)
    for _ in range(bits // 8 // len(buffer)):
        block.fill(buffer)
        rest = iter(buffer)
        while stream.feed(rest) is not None:
            alarms += 1
            stream = BitStream(limits)
    # Runs of 21 begin once in 2^21 bits, 38 in all; 78,000 windows of 1 in 2^20 add 0.07.
    assert BIT_ALPHA == 40
    assert 38 - 4 * 6.2 <= alarms <= 38 + 4 * 6.2

"""Health tests: cut-offs against the published table, and the first sample that fails."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from hal.health import (
    STARTUP_SAMPLES_MIN,
    Health,
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
    results = [stream.feed(sample) for sample in [1, 2, 3, *[7] * run]]
    assert results[-1] == failed
    assert set(results[:-1]) == {None}


@pytest.mark.parametrize(("copies", "failed"), [(70, None), (71, "proportion")])
def test_the_seventy_first_copy_in_a_window_fails(copies: int, failed: str | None) -> None:
    stream = Stream(Limits.of(512, Fraction(4), 30))
    samples = [value for _ in range(copies - 1) for value in (0, 1, 2, 3)] + [0]
    # Three fillers between two copies keep the run short; the others' own counts do not matter.
    results = [stream.feed(sample) for sample in samples]
    assert results[-1] == failed
    assert set(results[:-1]) == {None}


def test_a_window_forgets_the_one_before() -> None:
    stream = Stream(Limits.of(512, Fraction(4), 30))
    window = [0, 1, 2, 3] * 17 + [9, 8] * 222
    assert len(window) == 512
    assert [stream.feed(sample) for sample in window * 20] == [None] * len(window) * 20


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


@pytest.mark.parametrize(
    ("octets", "test"),
    [
        (b"\x5a" * 64, "repetition"),
        (b"\x00" * 64, "bit_repetition"),
        (bytes(range(1, 3)) * 512, "proportion"),
        (b"".join(bytes([octet | 0x77]) for octet in good_octets(3, 4096)), "bit_proportion"),
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


@pytest.mark.heavy
def test_false_alarms_are_rarer_than_one_in_ten_million_octets() -> None:
    health = Health()
    source = random.Random(5)
    for _ in range(10_000_000 // 64):
        assert health.feed(source.randbytes(64)) is None

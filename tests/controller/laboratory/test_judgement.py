"""Known faults fail, fair numbers pass, and a look at a growing sample spends what it may."""

from __future__ import annotations

import random

import pytest

from controller.laboratory.judgement import (
    GATE_AT,
    judge,
    sequential,
    share_of_look,
)
from controller.laboratory.origins import CONTROLS, ControlNumbers


def fair(seed: int, count: int) -> bytes:
    return bytes(random.Random(seed).choices(range(1, 8), k=count))


def test_fair_numbers_pass() -> None:
    judgement = judge(fair(1, 100_000))
    assert judgement.passes
    assert sum(judgement.counts) == judgement.numbers == 100_000


def test_no_number_is_no_pass() -> None:
    assert not judge(b"").passes


# Product.md A5: 65,000 numbers find 5 % with 95 % power, A2: `% 7` needs some 148,000.
@pytest.mark.parametrize(
    ("kind", "sees", "numbers_max"),
    [
        ("favoured", "frequency", 256_000),
        ("modulo", "frequency", 512_000),
        ("stuck", "frequency", 1_000),
        ("repeating", "long_repeats", 32_000),
    ],
)
def test_a_known_fault_is_seen_in_time(kind: str, sees: str, numbers_max: int) -> None:
    judgement = sequential(ControlNumbers(kind, 1).take, numbers_max)
    assert not judgement.passes
    assert sees in judgement.failed
    assert judgement.numbers <= numbers_max


def test_every_control_is_tested_here() -> None:
    assert set(CONTROLS) == {"favoured", "modulo", "stuck", "repeating"}


def test_looks_spend_no_more_than_the_whole_error() -> None:
    assert share_of_look(1) == GATE_AT / 2
    assert sum(share_of_look(look) for look in range(1, 100_000)) < GATE_AT


@pytest.mark.parametrize("limit", [1, 999, 1_000, 1_001, 5_000])
def test_a_growing_sample_ends_at_its_limit_and_never_takes_more(limit: int) -> None:
    numbers, taken = fair(3, 10_000), 0

    def take(count: int) -> bytes:
        nonlocal taken
        taken += count
        return numbers[taken - count : taken]

    judgement = sequential(take, limit)
    assert judgement.numbers == taken == limit


def test_a_sample_that_runs_dry_is_judged_as_it_is() -> None:
    numbers = fair(4, 1_500)
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        place += count
        return numbers[place - count : place]

    assert sequential(take, 100_000).numbers == 1_500


@pytest.mark.heavy
def test_hundreds_of_fair_samples_fail_as_seldom_as_stated() -> None:
    """At most 1 % with all looks together: of 500 samples 5, 13 but once in a thousand times."""
    failed = sum(not sequential(_stream(seed), 16_000).passes for seed in range(500))
    assert failed <= 13


def _stream(seed: int):
    source = random.Random(90_000 + seed)
    return lambda count: bytes(source.choices(range(1, 8), k=count))

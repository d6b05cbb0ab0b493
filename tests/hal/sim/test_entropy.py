"""Faulty raw sources: good at first, and then caught by the health tests under a known name."""

from __future__ import annotations

import pytest

from hal.entropy import KernelSource, SourceError
from hal.health import STARTUP_SAMPLES_MIN, Health
from hal.sim.entropy import GOOD_OCTETS, SimSource, source_for

BLOCK_OCTETS = 64


def failure_of(source: SimSource, blocks: int) -> tuple[int, str | None]:
    """The octets that were read well, and the test that failed."""
    health, buffer = Health(), bytearray(BLOCK_OCTETS)
    for index in range(blocks):
        source.fill(buffer)
        if (failed := health.feed(buffer)) is not None:
            return index * BLOCK_OCTETS, failed
    return blocks * BLOCK_OCTETS, None


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        ("stuck", "repetition"),
        ("biased", "bit_proportion"),
        ("repeating", "repeated_block"),
        ("good", None),
    ],
)
def test_a_fault_begins_after_the_start_and_is_found_within_a_few_blocks(
    kind: str, test: str | None
) -> None:
    octets, failed = failure_of(SimSource(kind), 200)
    assert failed == test
    if test is not None:
        assert STARTUP_SAMPLES_MIN < GOOD_OCTETS <= octets <= GOOD_OCTETS + 20 * BLOCK_OCTETS


@pytest.mark.parametrize("kind", ["stuck", "biased", "repeating"])
def test_a_source_that_is_bad_from_the_start_never_passes_it(kind: str) -> None:
    octets, failed = failure_of(SimSource(kind, good_octets=0), 200)
    assert failed is not None
    assert octets < STARTUP_SAMPLES_MIN + 2 * BLOCK_OCTETS


def test_a_silent_source_says_so() -> None:
    with pytest.raises(SourceError, match="sim:silent"):
        SimSource("silent", good_octets=0).fill(bytearray(1))


def test_the_fault_of_a_demo_is_there_at_the_first_opening_only() -> None:
    open_raw = source_for(("button-bounce", "rng-biased"))
    assert [open_raw().name for _ in range(3)] == ["sim:biased", "kernel", "kernel"]
    assert isinstance(source_for(())(), KernelSource)

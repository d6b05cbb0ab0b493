"""The supply that table and laboratory share: nothing leaves before, or after, its tests."""

from __future__ import annotations

import pytest

from hal.entropy import KernelSource, RawSource, SourceError
from hal.health import STARTUP_SAMPLES_MIN
from hal.sim.entropy import SimSource
from hal.supply import BLOCK_OCTETS, OutOfService, Supply


class Counted(KernelSource):
    """The kernel's, and how much of it was taken."""

    octets = 0

    def fill(self, buffer: bytearray) -> None:
        super().fill(buffer)
        self.octets += len(buffer)


def test_the_start_reads_the_start_up_samples_and_names_the_source() -> None:
    source = Counted()
    supply = Supply(lambda: source)
    assert supply.start() == "kernel"
    assert source.octets == STARTUP_SAMPLES_MIN
    assert len(supply.block()) == BLOCK_OCTETS
    assert source.octets == STARTUP_SAMPLES_MIN + BLOCK_OCTETS


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        ("stuck", "repetition"), ("biased", "bit_proportion"), ("repeating", "repeated_block"),
        ("silent", "source"),
    ],
)  # fmt: skip
def test_a_bad_source_gives_no_block(kind: str, test: str) -> None:
    """A ring of sixteen blocks is as long as the start-up tests: it shows at the first block."""
    supply = Supply(lambda: SimSource(kind, good_octets=0))
    with pytest.raises(OutOfService) as out:
        _first_block(supply)
    assert out.value.test == test


def _first_block(supply: Supply) -> None:
    supply.start()
    supply.block()


def test_no_block_comes_after_a_failure() -> None:
    supply = Supply(lambda: SimSource("stuck", good_octets=STARTUP_SAMPLES_MIN))
    supply.start()
    for _ in range(3):
        with pytest.raises(OutOfService, match="repetition"):
            supply.block()
    supply.close()


def test_a_source_that_cannot_be_opened_is_a_failure_of_the_source() -> None:
    def absent() -> RawSource:
        raise SourceError("it is not there")

    with pytest.raises(OutOfService, match="source"):
        Supply(absent).start()

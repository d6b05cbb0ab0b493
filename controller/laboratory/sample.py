"""What a test says about a sample, and the smallest shapes that all tests share. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from controller.laboratory.chances import both_sides, chi_square, chi_square_tail
from hal.draw import NUMBER_MAX

VALUES = NUMBER_MAX
# Twice the usual bound of five, below which a cell's count is far from a normal distribution: the
# tails that matter here are those of one in a thousand (gaps failed fair numbers twice as often).
EXPECTED_MIN = 10.0


@dataclass(frozen=True, slots=True)
class Finding:
    """One test of one sample. `chance`: how often fair numbers look at least as strange.

    `chance` is None where the sample is too small; `needs` says how many numbers it takes then.
    """

    test: str
    statistic: float | None
    freedom: int | None
    chance: float | None
    needs: int | None = None


def too_few(test: str, needs: int) -> Finding:
    """A test that was not run."""
    return Finding(test, None, None, None, needs)


def fitted(test: str, counts: Sequence[int], shares: Sequence[float]) -> Finding:
    """A chi-square of `counts` against the chances `shares`, two-sided."""
    total = sum(counts)
    expected = [share * total for share in shares]
    statistic = chi_square(counts, expected)
    freedom = len(counts) - 1
    return Finding(test, statistic, freedom, both_sides(chi_square_tail(statistic, freedom)))


def pooled(counts: Sequence[int], shares: Sequence[float]) -> tuple[list[int], list[float]]:
    """The same with rare cells at the end joined, so that each expects EXPECTED_MIN at least."""
    total = sum(counts)
    kept_counts, kept_shares = list(counts), list(shares)
    while len(kept_shares) > 2 and kept_shares[-1] * total < EXPECTED_MIN:
        kept_counts[-2:] = [sum(kept_counts[-2:])]
        kept_shares[-2:] = [sum(kept_shares[-2:])]
    return kept_counts, kept_shares

"""Tails of the distributions that the tests need, in closed form. Pure.

A chi-square's tail is a finite sum for whole degrees of freedom (Abramowitz and Stegun 26.4.4 and
26.4.5), so neither an incomplete gamma nor a library of 35 MB on a board is called for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# Beyond this the terms of Kolmogorov's series are below the smallest float.
KOLMOGOROV_TERMS_MAX = 100


def chi_square_tail(statistic: float, freedom: int) -> float:
    """P(X >= statistic) for a chi-square with `freedom` >= 1 degrees of freedom."""
    half = max(statistic, 0.0) / 2
    if half == 0.0:
        return 1.0
    # Each term as exp of a logarithm: with hundreds of degrees a power alone would overflow.
    if freedom % 2 == 0:
        powers: list[float] = [float(k) for k in range(freedom // 2)]
        rest = 0.0
    else:
        powers = [k + 0.5 for k in range(freedom // 2)]
        rest = math.erfc(math.sqrt(half))
    logarithm = math.log(half)
    terms = [math.exp(power * logarithm - half - math.lgamma(power + 1)) for power in powers]
    return min(1.0, rest + math.fsum(terms))


def normal_tails(deviation: float) -> float:
    """P(|X| >= |deviation|) for a standard normal."""
    return math.erfc(abs(deviation) / math.sqrt(2))


def kolmogorov_tail(distance: float, count: int) -> float:
    """P(D >= distance) for the greatest distance of `count` samples from their distribution.

    Stephens' approximation, good to some percent of itself from 8 samples on.
    """
    root = math.sqrt(count)
    scaled = distance * (root + 0.12 + 0.11 / root)
    if scaled < 0.2:
        # The alternating series converges slowly here, towards one.
        return 1.0
    terms = (
        (-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, KOLMOGOROV_TERMS_MAX)
    )
    return min(1.0, max(0.0, 2 * math.fsum(terms)))


def both_sides(tail: float) -> float:
    """The chance where too good counts as much as too bad."""
    return min(1.0, 2 * min(tail, 1 - tail))


def chi_square(counts: Sequence[int], expected: Sequence[float]) -> float:
    """The statistic itself."""
    return math.fsum((c - e) ** 2 / e for c, e in zip(counts, expected, strict=True))


def holm(chances: Sequence[float]) -> list[float]:
    """Each chance corrected for all of them (Holm 1979), in the order given."""
    order = sorted(range(len(chances)), key=lambda index: chances[index])
    corrected, least = [0.0] * len(chances), 0.0
    for rank, index in enumerate(order):
        least = max(least, min(1.0, chances[index] * (len(chances) - rank)))
        corrected[index] = least
    return corrected

"""Tails against published tables, and against each other."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.laboratory.chances import (
    both_sides,
    chi_square,
    chi_square_tail,
    holm,
    kolmogorov_tail,
    normal_tails,
)


@pytest.mark.parametrize(
    ("statistic", "freedom", "chance"),
    [
        # product.md A3 and A4; the others from the usual printed table.
        (12.592, 6, 0.05), (16.812, 6, 0.01), (65.171, 48, 0.05), (73.683, 48, 0.01),
        (3.841, 1, 0.05), (6.635, 1, 0.01), (7.815, 3, 0.05), (11.070, 5, 0.05),
        (124.342, 100, 0.05), (135.807, 100, 0.01), (38.258, 6, 1e-6),
    ],
)  # fmt: skip
def test_a_chi_square_has_the_tail_of_the_table(
    statistic: float, freedom: int, chance: float
) -> None:
    assert chi_square_tail(statistic, freedom) == pytest.approx(chance, rel=1e-3)


@given(st.floats(0, 5_000), st.integers(1, 500))
def test_a_tail_is_a_chance_and_grows_with_the_freedom(statistic: float, freedom: int) -> None:
    one, more = chi_square_tail(statistic, freedom), chi_square_tail(statistic, freedom + 1)
    assert 0 <= one <= 1
    assert more >= one - 1e-12


def test_nothing_strange_has_the_chance_one() -> None:
    assert chi_square_tail(0.0, 6) == 1.0
    assert chi_square_tail(-1.0, 6) == 1.0


@pytest.mark.parametrize(("deviation", "chance"), [(1.960, 0.05), (-2.576, 0.01), (0.0, 1.0)])
def test_a_normal_has_both_tails(deviation: float, chance: float) -> None:
    assert normal_tails(deviation) == pytest.approx(chance, rel=2e-3)


@pytest.mark.parametrize(
    ("distance", "count", "chance"),
    [(0.40925, 10, 0.05), (0.48893, 10, 0.01), (0.13403, 100, 0.05)],
)
def test_kolmogorovs_distance_has_the_tail_of_the_table(
    distance: float, count: int, chance: float
) -> None:
    assert kolmogorov_tail(distance, count) == pytest.approx(chance, rel=0.05)
    assert kolmogorov_tail(0.0, count) == 1.0


def test_too_good_counts_as_much_as_too_bad() -> None:
    assert both_sides(0.995) == pytest.approx(both_sides(0.005)) == pytest.approx(0.01)
    assert both_sides(0.5) == 1.0


def test_the_statistic_is_the_sum_over_the_cells() -> None:
    assert chi_square([12, 8], [10, 10]) == pytest.approx(0.8)


def test_holms_correction_is_the_one_of_the_paper() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_a_correction_never_makes_anything_stranger(chances: list[float]) -> None:
    for chance, corrected in zip(chances, holm(chances), strict=True):
        assert min(1.0, chance) <= corrected <= 1.0
    assert min(holm(chances)) == pytest.approx(min(1.0, len(chances) * min(chances)))
    assert not math.isnan(sum(holm(chances)))

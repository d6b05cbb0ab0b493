"""Cells that expect too little are joined; a fit that is too good is as strange as a bad one."""

from __future__ import annotations

import pytest

from controller.laboratory.sample import fitted, pooled, too_few


def test_a_fit_is_two_sided() -> None:
    perfect = fitted("frequency", [100] * 7, [1 / 7] * 7)
    assert (perfect.statistic, perfect.freedom, perfect.chance) == (0.0, 6, 0.0)
    usual = fitted("frequency", [110, 95, 100, 105, 92, 98, 100], [1 / 7] * 7)
    assert usual.chance is not None
    assert usual.chance > 0.1


@pytest.mark.parametrize(
    ("total", "cells"), [(80, 3), (79, 2)],
)  # fmt: skip
def test_cells_are_joined_from_the_end_until_each_expects_ten(total: int, cells: int) -> None:
    counts, shares = pooled([total, 0, 0, 0], [1 / 2, 3 / 8, 1 / 16, 1 / 16])
    assert len(counts) == len(shares) == cells
    assert sum(counts) == total
    assert sum(shares) == pytest.approx(1)


def test_a_test_that_was_not_run_says_what_it_takes() -> None:
    assert too_few("poker", 50).needs == 50

"""One number from the table's own generator, or the test that it failed."""

from __future__ import annotations

import pytest

from controller.laboratory.one_draw import Failed, draw_once
from hal.entropy import KernelSource
from hal.sim.entropy import SimSource


async def test_one_number_and_the_name_of_its_source() -> None:
    number, source = await draw_once(KernelSource)
    assert 1 <= number <= 7
    assert source == "kernel"


async def test_a_failed_test_is_named() -> None:
    with pytest.raises(Failed, match="repetition"):
        await draw_once(lambda: SimSource("stuck", good_octets=0))

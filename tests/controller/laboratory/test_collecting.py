"""Files get exactly as many octets or numbers as were asked for, a piece at a time."""

from __future__ import annotations

import io

import pytest

from controller.laboratory.collecting import (
    PIECE_NUMBERS,
    PIECE_OCTETS,
    collect_conditioned,
    collect_numbers,
    collect_raw,
)
from controller.laboratory.origins import ControlNumbers
from controller.laboratory.packing import packed
from hal.entropy import KernelSource
from hal.sim.entropy import SimSource
from hal.supply import OutOfService, Supply


@pytest.mark.parametrize("count", [1, PIECE_OCTETS, PIECE_OCTETS + 1])
def test_raw_octets_are_those_of_the_source(count: int) -> None:
    out, told = io.BytesIO(), []
    collect_raw(SimSource("stuck", good_octets=0), count, out, told.append)
    assert out.getvalue() == b"\xa5" * count
    assert sum(told) == count


@pytest.mark.parametrize("count", [1, 64, PIECE_OCTETS + 65])
def test_conditioned_octets_are_as_many_as_asked_for(count: int) -> None:
    out, told = io.BytesIO(), []
    supply = Supply(KernelSource)
    supply.start()
    collect_conditioned(supply, count, out, told.append)
    assert len(out.getvalue()) == sum(told) == count


def test_conditioned_octets_end_where_the_raw_source_fails() -> None:
    supply = Supply(lambda: SimSource("stuck", good_octets=2_048))
    supply.start()
    out = io.BytesIO()
    with pytest.raises(OutOfService):
        collect_conditioned(supply, 1 << 20, out, lambda more: None)
    assert len(out.getvalue()) <= 1_024


@pytest.mark.parametrize("form", ["octets", "text", "bits"])
def test_numbers_are_packed_alike_whole_or_in_pieces(form: str) -> None:
    count = 2 * PIECE_NUMBERS + 4
    out, told = io.BytesIO(), []
    collect_numbers(ControlNumbers("repeating", 1), count, form, out, told.append)
    assert out.getvalue() == packed(ControlNumbers("repeating", 1).take(count), form)
    assert sum(told) == count

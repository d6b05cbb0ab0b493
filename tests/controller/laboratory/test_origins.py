"""Numbers from a table's own path, from files of both kinds, and from known faults."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.laboratory.origins import (
    CONTROLS,
    RING_NUMBERS,
    BadSample,
    ControlNumbers,
    FileNumbers,
    TableNumbers,
    numbers_of,
    origin_of,
)
from hal.entropy import KernelSource
from hal.sim.entropy import SimSource
from hal.supply import BLOCK_OCTETS, OutOfService


class Counted(KernelSource):
    octets = 0

    def fill(self, buffer: bytearray) -> None:
        super().fill(buffer)
        self.octets += len(buffer)


def test_a_number_costs_a_block_as_it_does_at_a_table() -> None:
    source = Counted()
    origin = TableNumbers(lambda: source)
    before = source.octets
    assert len(origin.take(10)) == 10
    assert source.octets - before == 10 * BLOCK_OCTETS
    origin.close()


def test_whole_blocks_give_every_number_from_far_fewer_octets() -> None:
    source = Counted()
    origin = TableNumbers(lambda: source, whole_blocks=True)
    before = source.octets
    counts = Counter(origin.take(6_000))
    assert set(counts) == set(range(1, 8))
    # 95 octets in the mean are rejected, 10 the deviation: only what cannot be is asserted.
    assert 6_000 <= source.octets - before < 7_000
    assert "whole blocks" in origin.name


def test_a_raw_source_that_fails_its_tests_gives_no_number() -> None:
    with pytest.raises(OutOfService, match="bit_proportion"):
        TableNumbers(lambda: SimSource("biased", good_octets=0))


@pytest.mark.parametrize(
    "content", [b"\x01\x07\x04", b"174", b"1\n7\n4\n", b"1, 7, 4", b"1 7\t4\r\n"]
)
def test_a_file_holds_octets_or_digits(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "numbers"
    file.write_bytes(content)
    origin = FileNumbers(file)
    assert origin.take(2) == b"\x01\x07"
    assert origin.take(9) == b"\x04"
    assert origin.take(9) == b""


@pytest.mark.parametrize(
    ("content", "where"), [(b"1 2 8", "octet 4 is 0x38"), (b"\x01\x00", "octet 0"), (b"0", "0x30")]
)
def test_what_is_no_number_is_named_with_its_place(content: bytes, where: str) -> None:
    with pytest.raises(BadSample, match=where):
        numbers_of(content, "file")


@given(st.lists(st.integers(1, 7), min_size=1))
def test_text_and_octets_hold_the_same_numbers(numbers: list[int]) -> None:
    text = "\n".join(map(str, numbers)).encode()
    assert numbers_of(text, "file") == numbers_of(bytes(numbers), "file") == bytes(numbers)


@pytest.mark.parametrize("kind", CONTROLS)
def test_a_control_is_the_same_for_the_same_seed_however_it_is_taken(kind: str) -> None:
    together, apart = ControlNumbers(kind, 5), ControlNumbers(kind, 5)
    pieces = [apart.take(count) for count in (1, 2_999, 0, 25_000)]
    whole = together.take(28_000)
    assert len(whole) == 28_000
    assert set(whole) <= set(range(1, 8))
    if kind in ("stuck", "repeating"):
        assert b"".join(pieces) == whole


def test_a_ring_goes_round() -> None:
    numbers = ControlNumbers("repeating", 2).take(3 * RING_NUMBERS)
    assert numbers[:RING_NUMBERS] == numbers[RING_NUMBERS : 2 * RING_NUMBERS]


def test_an_origin_is_chosen_by_its_name() -> None:
    assert origin_of("control:modulo", 3, False).name == "control:modulo, seed 3"
    assert origin_of("kernel", 1, False).name == "kernel"
    with pytest.raises(ValueError, match="no control 'even'"):
        origin_of("control:even", 1, False)

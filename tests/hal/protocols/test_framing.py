"""Bodies come out of any stream, and what is no body is counted to the octet."""

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as some

from hal.protocols.framing import (
    BODY_OCTETS_MAX,
    FRAME_OCTETS_MAX,
    Framer,
    check_of,
    framed,
)
from hal.protocols.message import Junk


def test_the_check_is_the_one_of_the_protocol_page() -> None:
    assert check_of(b"123456789") == b"29B1"


@pytest.mark.parametrize(
    ("octets", "fits"), [(BODY_OCTETS_MAX, True), (BODY_OCTETS_MAX + 1, False)]
)
def test_a_frame_has_at_most_240_octets(octets: int, fits: bool) -> None:
    if fits:
        frame = framed(b"x" * octets)
        assert len(frame) == FRAME_OCTETS_MAX
        assert Framer().feed(frame) == [b"x" * octets]
    else:
        with pytest.raises(ValueError, match="at most"):
            framed(b"x" * octets)


def test_a_body_longer_than_lawful_is_junk_and_the_next_one_is_read() -> None:
    covered = b"x" * (BODY_OCTETS_MAX + 1) + b"\x03"
    found = Framer().feed(b"\x02" + covered + check_of(covered) + b"\r\n" + framed(b"good"))
    assert found[-1] == b"good"
    assert isinstance(found[0], Junk)
    assert found[0].reason == "too_long"


def test_a_stray_start_before_a_good_frame_costs_nothing_but_itself() -> None:
    assert Framer().feed(b"\x02" + framed(b"good")) == [Junk(1, "broken_off"), b"good"]


@pytest.mark.parametrize("octet", [b"\x00", b"\x1f", b"\x7f", b"\x80", b"\xff"])
def test_a_good_check_over_unprintable_octets_is_junk(octet: bytes) -> None:
    covered = b"TDP1" + octet + b"\x03"
    found = Framer().feed(b"\x02" + covered + check_of(covered))
    assert found == [Junk(len(covered) + 5, "unprintable")]


def test_a_lower_case_check_is_not_the_check() -> None:
    frame = framed(b"abc")
    assert check_of(b"abc\x03").lower() != check_of(b"abc\x03")
    found = Framer().feed(frame[:-6] + frame[-6:-2].lower())
    assert found == [Junk(len(frame) - 2, "bad_check")]


def test_every_single_flipped_bit_is_found() -> None:
    frame = framed(b"TDP1|shoe|00F0|00A1|STACK|n=2;cards=5")[:-2]
    for bit in range(len(frame) * 8):
        damaged = bytearray(frame)
        damaged[bit // 8] ^= 1 << bit % 8
        found = Framer()
        assert not [part for part in found.feed(bytes(damaged)) if isinstance(part, bytes)]


def test_half_a_frame_is_given_up_when_the_line_falls_silent() -> None:
    framer = Framer()
    assert framer.feed(framed(b"half")[:5]) == []
    assert framer.line_idle() == [Junk(5, "broken_off")]
    assert framer.held_octets == 0


@given(some.binary(max_size=600), some.binary(max_size=30))
def test_the_next_good_frame_is_read_after_any_garbage(garbage: bytes, body: bytes) -> None:
    good = b"=" + body.hex().encode()
    assert Framer().feed(garbage + framed(good))[-1] == good


@given(some.binary(max_size=900), some.lists(some.integers(1, 50), max_size=60))
def test_any_chopping_gives_the_same(stream: bytes, sizes: list[int]) -> None:
    stream = stream[:300] + framed(b"one") + stream[300:600] + framed(b"two") + stream[600:]
    whole, chopped = Framer(), Framer()
    at, found = 0, []
    for size in [*sizes, len(stream)]:
        found += chopped.feed(stream[at : at + size])
        at += size
        assert chopped.held_octets <= FRAME_OCTETS_MAX
    expected = whole.feed(stream) + whole.line_idle()
    found += chopped.line_idle()
    assert [part for part in found if isinstance(part, bytes)] == [
        part for part in expected if isinstance(part, bytes)
    ]
    assert _junk(found) == _junk(expected)


def _junk(found: list[bytes | Junk]) -> int:
    return sum(part.octets for part in found if isinstance(part, Junk))


@pytest.mark.parametrize("kind", ["random", "starts", "one start", "ends"])
def test_a_megabyte_of_anything_is_bounded_in_time_and_space(kind: str) -> None:
    size = 1_000_000
    stream = {
        "random": random.Random(1).randbytes(size),
        "starts": b"\x02" * size,
        "one start": b"\x02" + b"x" * (size - 1),
        "ends": b"\x02x\x03" * (size // 3),
    }[kind]
    framer = Framer()
    began = time.process_time()
    for at in range(0, size, 4096):
        framer.feed(stream[at : at + 4096])
        assert framer.held_octets <= FRAME_OCTETS_MAX
    # 115,200 baud need 87 s for it: a tenth of a processor at the very worst.
    assert time.process_time() - began < 8.7

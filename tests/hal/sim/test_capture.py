"""A capture is text that a person reads, and gives back every octet, time and read of the line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.sim.capture import (
    AT_US_MAX,
    HEAD,
    LINE_CHARACTERS_MAX,
    CaptureError,
    Piece,
    Source,
    escaped,
    line_of,
    pieces_of,
)

SOURCES: tuple[Source, ...] = ("<", ">", "!")
PIECES = st.lists(
    st.tuples(st.integers(0, 5_000_000), st.sampled_from(SOURCES), st.binary(max_size=16)),
    max_size=10,
)


def timed(gaps: list[tuple[int, Source, bytes]]) -> list[Piece]:
    at_us = 0
    found = []
    for gap_us, source, octets in gaps:
        at_us += gap_us
        found.append(Piece(at_us, source, octets))
    return found


@pytest.mark.parametrize(
    ("piece", "line"),
    [
        (Piece(0, "<", b"QUINCE #77\r\n"), "0.000000 < QUINCE #77\\r\\n"),
        (Piece(1_002_113, ">", b"?"), "1.002113 > ?"),
        (Piece(9_400_000, "!", b"unplugged"), "9.400000 ! unplugged"),
        (Piece(1, "<", b"\x02TDP1|\x03"), "0.000001 < \\x02TDP1|\\x03"),
        (Piece(1, "<", b" a\\b "), "0.000001 < \\x20a\\\\b\\x20"),
        (Piece(1, "<", b" "), "0.000001 < \\x20"),
        (Piece(1, "<", b""), "0.000001 < "),
        (Piece(1, "<", b"\xff\x7f\t"), "0.000001 < \\xFF\\x7F\\x09"),
    ],
)
def test_a_piece_is_a_line_that_can_be_read(piece: Piece, line: str) -> None:
    assert line_of(piece) == line
    assert list(pieces_of([HEAD, line])) == [piece]


@given(PIECES)
def test_times_octets_and_chopping_are_kept(gaps: list[tuple[int, Source, bytes]]) -> None:
    pieces = timed(gaps)
    text = "\n".join([HEAD, "# a remark", *map(line_of, pieces), ""])
    assert list(pieces_of(text.splitlines(keepends=True))) == pieces
    # As a mailer of another system may send it on.
    assert list(pieces_of(text.replace("\n", "\r\n").splitlines(keepends=True))) == pieces


@given(st.binary(max_size=200))
def test_what_is_written_is_printable_and_keeps_its_ends(octets: bytes) -> None:
    text = escaped(octets)
    assert text.isascii()
    assert not text or text.isprintable()
    assert text == text.strip(" ")


def test_the_largest_read_fits_a_line() -> None:
    piece = Piece(AT_US_MAX - AT_US_MAX % 10, "<", b"\xff" * 4096)
    assert len(line_of(piece)) <= LINE_CHARACTERS_MAX
    assert list(pieces_of([HEAD, line_of(piece)])) == [piece]


@pytest.mark.parametrize(
    ("lines", "line", "words"),
    [
        ([], 1, "empty"),
        (["hello"], 1, "no capture"),
        (["# table-controller capture 2"], 1, "no capture"),
        ([HEAD, "x"], 2, "expected a time"),
        ([HEAD, "1.5 < a"], 2, "expected a time"),
        ([HEAD, "1.500000 ? a"], 2, "expected a time"),
        ([HEAD, "", "# x", "1.500000 < a", "1.499999 < b"], 5, "earlier time"),
        ([HEAD, "1.500000 < a\\b"], 2, "lone backslash"),
        ([HEAD, "1.500000 < a\\x4"], 2, "lone backslash"),
        ([HEAD, "1.500000 < ä"], 2, "write such an octet as"),
        ([HEAD, "1.500000 < a\x1bb"], 2, "write such an octet as"),
        ([HEAD, "999999999.000000 < a"], 2, "ten years"),
        ([HEAD, "1.500000 < " + "a" * LINE_CHARACTERS_MAX], 2, "longer"),
    ],
)
def test_a_wrong_line_is_told(lines: list[str], line: int, words: str) -> None:
    with pytest.raises(CaptureError, match=words) as told:
        list(pieces_of(lines))
    assert told.value.line == line


@given(st.lists(st.text(max_size=20), max_size=3))
def test_no_text_does_harm(lines: list[str]) -> None:
    try:
        list(pieces_of([HEAD, *lines]))
    except CaptureError as problem:
        assert problem.line >= 2  # noqa: PT017 - it may also be a good file

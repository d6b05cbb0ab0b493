"""The font of the digit, read back as a person reads it."""

from __future__ import annotations

import pytest

from hal.segments import BLANK, DASH, FONT, SEGMENTS, SELF_TEST, glyph_of, lit_for, number_of


@pytest.mark.parametrize(
    ("glyph", "lit"),
    [
        ("0", "abcdef"), ("1", "bc"), ("2", "abdeg"), ("3", "abcdg"), ("4", "bcfg"),
        ("5", "acdfg"), ("6", "acdefg"), ("7", "abc"), ("8", "abcdefg"), ("9", "abcdfg"),
        (DASH, "g"), (BLANK, ""),
    ],
)  # fmt: skip
def test_each_glyph_lights_the_segments_that_every_maker_lights(glyph: str, lit: str) -> None:
    assert lit_for(glyph) == frozenset(lit)


def test_every_glyph_reads_back_as_itself_and_no_two_look_alike() -> None:
    assert [glyph_of(lit) for lit in FONT.values()] == list(FONT)


def test_a_pattern_that_is_no_glyph_reads_as_none_and_as_number_zero() -> None:
    assert glyph_of(frozenset("ad")) is None
    assert [number_of(frozenset(lit)) for lit in ("ad", "", "g", "bc")] == [0, 0, 0, 1]


def test_an_unknown_glyph_is_an_error() -> None:
    with pytest.raises(KeyError):
        lit_for("x")


def test_the_self_test_lights_and_darkens_every_segment_next_to_every_other() -> None:
    for one in SEGMENTS:
        assert any(one in lit for lit in SELF_TEST)
        for other in set(SEGMENTS) - {one}:
            # A joined pair shows where exactly one of the two is driven.
            assert any((one in lit) != (other in lit) for lit in SELF_TEST)


def test_one_wrong_segment_can_make_one_number_of_a_draw_look_like_another() -> None:
    confused = {
        (number, glyph_of(lit_for(number) ^ {segment}))
        for number in "1234567"
        for segment in SEGMENTS
        if (glyph_of(lit_for(number) ^ {segment}) or "") in "1234567"
        and glyph_of(lit_for(number) ^ {segment}) not in {None, BLANK}
    }
    # The reason for reading back: a dead top bar turns 7 into 1, a false one 1 into 7 …
    assert {("7", "1"), ("1", "7"), ("5", "6"), ("6", "5")} <= confused

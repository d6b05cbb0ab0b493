"""Lines by purpose: what a table's file may say, and what it may not."""

from __future__ import annotations

import pytest

from hal.pins import PURPOSES, PanelPins, PanelSettings
from hal.segments import SEGMENTS

DIGIT = {f"segment_{name}": line for line, name in enumerate(SEGMENTS)}


def test_a_purpose_that_is_absent_has_no_line() -> None:
    pins = PanelPins.of({"rng": 17, "done": None})
    assert (pins.pin("rng"), pins.pin("done"), pins.pin("key")) == (17, None, None)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ({"rgn": 17}, "rgn: no such purpose"),
        ({"seat_17": 17}, "seat_17: no such purpose"),
        ({"rng": 17, "done": 17}, "done: line 17 serves rng already"),
        ({"segment_a": 5}, "segment_b: a digit needs all of abcdefg"),
        ({f"sense_{name}": line for line, name in enumerate(SEGMENTS)}, "no segment_a"),
    ],
)
def test_a_wrong_wiring_is_refused_in_words(lines: dict[str, int], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        PanelPins(lines)


def test_switches_are_buttons_key_covers_and_case_alone() -> None:
    outputs = {"red", "amber", "green", "sounder"}
    wired = PanelPins({purpose: line for line, purpose in enumerate(PURPOSES)})
    names = {name for name, _ in wired.switches()}
    assert names == {
        purpose
        for purpose in PURPOSES
        if purpose not in outputs and not purpose.startswith(("segment_", "sense_"))
    }


def test_a_digit_gives_its_lines_by_segment_and_no_digit_gives_none() -> None:
    assert PanelPins(DIGIT).of_digit("segment") == dict(zip(SEGMENTS, range(7), strict=True))
    assert PanelPins().of_digit("segment") == {}


@pytest.mark.parametrize(
    ("stable_ms", "lawful"), [(19, False), (20, True), (50, True), (51, False)]
)
def test_a_debounce_of_twenty_to_fifty_milliseconds_is_lawful(stable_ms: int, lawful: bool) -> None:
    if lawful:
        assert PanelSettings(stable_ms=stable_ms).stable_ms == stable_ms
    else:
        with pytest.raises(ValueError, match="is not 20 to 50"):
            PanelSettings(stable_ms=stable_ms)


def test_an_unwired_panel_is_a_panel() -> None:
    assert list(PanelSettings().pins.switches()) == []

"""A template reads a line in one way or not at all, and a wrong one is told where it is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.protocols.template import (
    FIELDS_MAX,
    TEMPLATE_CHARACTERS_MAX,
    Field,
    TemplateError,
    template_of,
)


@pytest.mark.parametrize(
    ("source", "line", "found"),
    [
        ("READY", "READY", {}),
        ("READY", "READY ", None),
        ("READY", "NOT READY", None),
        ("SHUFFLED {cards:int} CARDS", "SHUFFLED 53 CARDS", {"cards": "53"}),
        ("SHUFFLED {cards:int} CARDS", "SHUFFLED  53 CARDS", {"cards": "53"}),
        ("SHUFFLED {cards:int} CARDS", "SHUFFLED 53", None),
        ("SHUFFLED {cards:int} CARDS", "SHUFFLED X CARDS", None),
        ("SHUFFLED {cards:int} CARDS", "SHUFFLED 5 3 CARDS", None),
        ("N{n:int}", "N9999999999", {"n": "9999999999"}),
        ("N{n:int}", "N99999999999", None),
        ("N{n:int}", "N٣", None),
        ("{who:word} LIT", "GREEN LIT", {"who": "GREEN"}),
        ("{who:word} LIT", "LIGHT GREEN LIT", None),
        ("{who:word} LIT", " LIT", None),
        ("SN {serial:text}", "SN 12 34 ", {"serial": "12 34"}),
        ("MISSING {skip}", "MISSING AS KH", {}),
        ("MISSING {skip}", "MISSING ", {}),
        ("A {skip} B {n:int}", "A xx B B 5", None),
        ("{{{n:int}}}", "{7}", {"n": "7"}),
    ],
)
def test_a_line_is_read_field_by_field(
    source: str, line: str, found: dict[str, str] | None
) -> None:
    assert template_of(source).match(line) == found


@pytest.mark.parametrize(
    ("source", "at", "words"),
    [
        ("", 0, "says nothing"),
        ("  ", 0, "says nothing"),
        ("A {n:int", 2, "without its `}`"),
        ("A }", 2, "a lone `}`"),
        ("A {n}", 2, "a field is"),
        ("A {n:float}", 2, "a field is"),
        ("A {N:int}", 2, "a field is"),
        ("A {.*}", 2, "a field is"),
        ("{a:int}{b:int}", 7, "two fields need text between them"),
        ("{a:int} {a:int}", 8, "a stands there twice"),
        ("A\x07", 1, "printable"),
        (" ".join(f"{{f{n}:int}}" for n in range(FIELDS_MAX + 1)), 72, "more than 8 fields"),
        ("x" * (TEMPLATE_CHARACTERS_MAX + 1), TEMPLATE_CHARACTERS_MAX, "longer"),
    ],
)
def test_a_wrong_template_is_told_at_its_place(source: str, at: int, words: str) -> None:
    with pytest.raises(TemplateError, match=words) as told:
        template_of(source)
    assert told.value.at == at


TEXTS = st.text(st.characters(codec="ascii", categories=("L", "N", "P", "Zs")), max_size=30)


@given(TEXTS, st.integers(0, 9999), TEXTS)
def test_what_a_template_prints_it_reads(before: str, number: int, behind: str) -> None:
    # A field that digits or blanks follow would not know its end; that is the file's business.
    before, behind = f"A{before}", f"Z{behind}"
    braced = [part.replace("{", "{{").replace("}", "}}") for part in (before, behind)]
    template = template_of(f"{braced[0]}{{n:int}}{braced[1]}")
    assert template.match(f"{before}{number}{behind}") == {"n": str(number)}


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_template_and_no_line_does_harm(source: str, line: str) -> None:
    try:
        template = template_of(source)
    except TemplateError:
        return
    found = template.match(line)
    assert found is None or found.keys() == template.fields.keys()


def test_the_worst_line_costs_no_more_than_a_pass() -> None:
    # What makes a regular expression look for minutes: nested runs of the same letter.
    template = template_of(" a".join(f"{{f{n}:word}}" for n in range(FIELDS_MAX)))
    assert template.match("a" * 1_000_000 + "!") is None


def test_fields_are_named_and_what_is_skipped_is_not() -> None:
    template = template_of("A {n:int} {skip} Z")
    assert template.fields == {"n": "int"}
    assert template.parts == ("A ", Field("n", "int"), " ", Field("", "skip"), " Z")

"""Lines for people: colours where they are seen, nothing that steers a terminal."""

from __future__ import annotations

import io

import pytest

from controller.cli.paint import clean, is_coloured, members_in_words, painted


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_are_for_a_terminal_whose_user_did_not_say_no(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert is_coloured(Terminal())
    assert not is_coloured(io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not is_coloured(Terminal())


@pytest.mark.parametrize(
    ("severity", "begins"),
    [(0, "x"), (3, "\x1b[33mx"), (5, "\x1b[97;41mx"), (6, "x"), (-1, "x"), ("4", "x"), (None, "x")],
)
def test_a_line_has_the_colour_of_its_severity(severity: object, begins: str) -> None:
    assert painted("x", severity, True).startswith(begins)
    assert painted("x", severity, False) == "x"


def test_what_a_stranger_wrote_does_not_steer_the_terminal() -> None:
    assert clean("a\x1b[2Jb\n") == "a?[2Jb?"
    words = members_in_words(
        {"te\x1bxt": "\x1b]0;x\x07", "actor": {}, "cause": 1, "list": [1, "ü"]}
    )
    assert words == 'te?xt=?]0;x? list=[1,"ü"]'
    assert members_in_words("no object") == ""

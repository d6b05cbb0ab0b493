"""Lines of an export are cut, never written anew."""

from __future__ import annotations

import pytest

from controller.journal.proof.lines import NoTurn, line_of, turns_of_lines


def test_a_line_gives_back_the_very_bytes_that_went_in() -> None:
    odd = b'{ "n" :1}'
    lines = [
        line_of("input", odd), line_of("effect", odd), line_of("event", odd),
        line_of("input", b"{}", "fault"), line_of("checkpoint", odd),
    ]  # fmt: skip
    first, second = turns_of_lines(lines)
    assert (first.number, first.outcome, first.body) == (1, "ok", odd)
    assert (first.effects, first.events) == ((odd,), (odd,))
    assert (second.number, second.outcome, second.body) == (2, "fault", b"{}")
    assert second.checkpoints == (odd,)


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b'{"event":{}\n'[:-2], b'{"other":{}}\n'])
def test_a_line_that_is_none_is_named(line: bytes) -> None:
    with pytest.raises(NoTurn, match="line 3"):
        list(turns_of_lines([line_of("input", b"{}"), line]))


def test_an_event_before_any_input_is_named() -> None:
    with pytest.raises(NoTurn, match="line 2"):
        list(turns_of_lines([line_of("event", b"{}")]))

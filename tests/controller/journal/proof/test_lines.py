"""Lines of an export are cut, never written anew, and none without an end is believed."""

from __future__ import annotations

import io

import pytest

from controller.journal.proof.lines import (
    LINE_OCTETS_MAX,
    Loose,
    NoTurn,
    line_of,
    lines_in,
    parts_of_lines,
    turns_of_lines,
)
from controller.journal.proof.walk import RECORDS_PER_TURN_MAX


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


def test_what_belongs_to_no_turn_stands_for_itself() -> None:
    lines = [line_of("checkpoint", b"1"), line_of("snapshot", b"2"), line_of("input", b"3"),
             line_of("checkpoint", b"4"), line_of("link", b"5"), line_of("checkpoint", b"6"),
             line_of("end", b"7")]  # fmt: skip
    parts = list(parts_of_lines(lines, 41))
    turn = parts.pop(2)
    assert not isinstance(turn, Loose)
    assert (turn.number, turn.checkpoints) == (41, (b"4",))
    assert parts == [
        Loose("checkpoint", b"1"), Loose("snapshot", b"2"), Loose("link", b"5"),
        Loose("checkpoint", b"6"), Loose("end", b"7"),
    ]  # fmt: skip


@pytest.mark.parametrize("line", [b"\n", b"{}\n", b'{"event":{}}', b'{"other":{}}\n'])
def test_a_line_that_is_none_is_named(line: bytes) -> None:
    with pytest.raises(NoTurn, match="line 3"):
        list(turns_of_lines([line_of("input", b"{}"), line]))


def test_an_event_before_any_input_is_named() -> None:
    with pytest.raises(NoTurn, match="line 2"):
        list(turns_of_lines([line_of("event", b"{}")]))


def test_effects_stand_before_events() -> None:
    with pytest.raises(NoTurn, match="line 4"):
        list(turns_of_lines([line_of(kind, b"{}") for kind in ("input", "event", "effect")]))


def test_a_line_has_a_bound() -> None:
    whole = line_of("event", b"x" * (LINE_OCTETS_MAX - len(line_of("event", b""))))
    assert len(whole) == LINE_OCTETS_MAX
    assert list(lines_in(io.BytesIO(whole + whole))) == [whole, whole]
    longer = whole[:10] + b"x" + whole[10:]
    with pytest.raises(NoTurn, match="line 2: longer"):
        list(parts_of_lines(lines_in(io.BytesIO(longer))))


def test_a_turn_has_a_bound() -> None:
    lines = [line_of("input", b"{}")] + [line_of("event", b"{}")] * RECORDS_PER_TURN_MAX
    assert len(next(turns_of_lines(lines)).events) == RECORDS_PER_TURN_MAX
    with pytest.raises(NoTurn, match=f"line {RECORDS_PER_TURN_MAX + 3}: more than"):
        list(turns_of_lines([*lines, line_of("event", b"{}")]))

"""A day of lines: timers by the inputs' own time, refusals, and lines that are none."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.cli.replay import book_for
from controller.day import LINE_OCTETS_MAX, BadLine, Day, members_of


def played(*lines: dict[str, Any]) -> list[dict[str, Any]]:
    day = Day(book_for("dj-wild", None))
    octets = [json.dumps(line).encode() for line in lines]
    return [json.loads(line) for line in day.play_lines(octets)]


def at(second: int) -> str:
    return f"2026-01-05T18:{second // 60:02d}:{second % 60:02d}.000Z"


def line(second: int, source: str, kind: str, **members: Any) -> dict[str, Any]:
    return {"at": at(second), "from": source, "type": kind, **members}


CALL = line(0, "dealer", "call_floor", by="d1", reason="r")


@pytest.mark.parametrize(("second", "escalated"), [(19, 0), (20, 1), (59, 1), (60, 2)])
def test_timers_fire_when_the_inputs_pass_them(second: int, escalated: int) -> None:
    out = played(CALL, line(second, "system", "stopped"))
    fired = [one for one in out if one.get("event", {}).get("type") == "alarm.escalated"]
    assert len(fired) == escalated
    if fired:
        assert fired[0]["event"]["time"] == at(20)
        assert fired[0]["event"]["data"]["age_s"] == 20


def test_a_refusal_has_its_event_and_its_line_right_after_it() -> None:
    out = played(line(0, "dealer", "no_more_bets", by="d1", seats=[1]))
    assert out[0]["event"]["type"] == "input.refused"
    refused = out[1]["refused"]
    assert set(refused) == {"at", "from", "by", "type", "rule", "reason"}
    assert (refused["from"], refused["by"], refused["type"]) == ("dealer", "d1", "no_more_bets")


def test_an_event_has_the_whole_envelope() -> None:
    event = played(line(0, "floorperson", "open", by="f1"))[0]["event"]
    assert event["id"].startswith("replay/")
    assert event["boot"] == 0
    assert event["monotonicms"] == 0
    assert event["clocksync"] is False
    assert event["data"]["actor"] == {"role": "floorperson", "id": "f1"}


def test_effects_and_changed_outputs_have_their_lines() -> None:
    out = played(CALL)
    kinds = [next(iter(one)) for one in out]
    assert kinds.index("event") < kinds.index("effect") < kinds.index("output")
    names = [one["output"]["name"] for one in out if "output" in one]
    assert "alarms" in names


def test_a_line_without_a_time_is_refused_and_the_next_goes_on() -> None:
    out = played({"from": "floorperson", "type": "open"}, line(1, "floorperson", "open", by="f1"))
    types = [one["event"]["type"] for one in out if "event" in one]
    assert types[0] == "input.refused"
    assert "table.opening" in types


def test_a_clock_that_steps_back_moves_no_monotonic_time() -> None:
    out = played(line(30, "floorperson", "open", by="f1"), line(0, "dealer", "inspected", by="d1"),
                 line(31, "floorperson", "close", by="f1"))  # fmt: skip
    times = [one["event"]["monotonicms"] for one in out if "event" in one]
    assert times == sorted(times)


def test_empty_lines_are_passed_over() -> None:
    assert list(Day(book_for("dj-wild", None)).play_lines([b"\n", b"  \r\n"])) == []


@pytest.mark.parametrize(
    ("octets", "column", "message"),
    [
        (b"{", 2, "not JSON"),
        (b"[]", 1, "expected an object"),
        (b'"x"', 1, "expected an object"),
        (b'{"a":1,"a":2}', 1, "given twice"),
        (b'{"a":NaN}', 1, "no JSON number"),
        (b'{"a":\xff}', 6, "not UTF-8"),
        (b"[" * 20_000, 1, "nested too deeply"),
        (b" " * (LINE_OCTETS_MAX + 1), LINE_OCTETS_MAX, "longer than"),
    ],
)
def test_a_line_that_is_no_object_has_its_place(octets: bytes, column: int, message: str) -> None:
    with pytest.raises(BadLine) as error:
        members_of(octets, 7)
    assert (error.value.line, error.value.column) == (7, column)
    assert message in error.value.message


@given(st.binary(max_size=60))
def test_any_bytes_are_an_object_or_a_bad_line(octets: bytes) -> None:
    with contextlib.suppress(BadLine):
        assert isinstance(members_of(octets, 1), dict)

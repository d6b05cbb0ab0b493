"""Who is missed, and who is not."""

from __future__ import annotations

import pytest

from controller.recorder import presence as module
from controller.recorder.presence import Presence


def test_silence_is_told_at_its_bound_and_not_before() -> None:
    known = Presence(["T1"], 0)
    assert known.silent(89.9, 90) == {}
    assert "T1" in known.silent(90, 90)
    known.heard("T1", 90)
    assert known.silent(100, 90) == {}


def test_a_lost_table_is_missed_at_once_and_one_that_stopped_is_not() -> None:
    known = Presence([], 0)
    known.told("T1", "lost", 0)
    known.told("T2", "stopped", 0)
    known.told("T3", "running", 0)
    assert set(known.silent(0, 90)) == {"T1"}
    assert set(known.silent(500, 90)) == {"T1", "T3"}
    assert [known.is_there(table) for table in ("T1", "T2", "T3", "T9")] == [
        False,
        False,
        True,
        False,
    ]


def test_while_the_broker_was_away_nobody_could_be_heard() -> None:
    known = Presence(["T1"], 0)
    known.begin_anew(1000)
    assert known.silent(1050, 90) == {}


def test_a_table_too_many_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TABLES_MAX", 2)
    known = Presence([], 0)
    for number in range(3):
        known.told(f"T{number}", "running", 0)
    assert known.tables == ["T0", "T1"]

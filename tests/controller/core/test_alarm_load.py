"""Counts of alarms at the edge of each span and of each limit."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.alarm_load import (
    BUDGET_DAY_ALARMS,
    DAY_MS,
    FLOOD_ALARMS,
    FLOOD_SPAN_MS,
    MARKS_MAX,
    load_of,
    raised_within,
    rebased,
    with_mark,
)
from controller.core.state import AlarmMark, TableState
from tests.play import Play


def _state(marks: tuple[AlarmMark, ...], now_ms: int) -> TableState:
    return dataclasses.replace(Play().state, alarm_marks=marks, last_mono_ms=now_ms)


@pytest.mark.parametrize(("age_ms", "counted"), [(FLOOD_SPAN_MS, 1), (FLOOD_SPAN_MS + 1, 0)])
def test_a_mark_counts_until_its_span_is_over(age_ms: int, counted: int) -> None:
    assert raised_within((AlarmMark("jam", 0),), age_ms, FLOOD_SPAN_MS) == counted


def test_marks_of_one_cause_are_counted_apart() -> None:
    marks = (AlarmMark("jam", 0), AlarmMark("link", 1))
    assert raised_within(marks, 1, DAY_MS, "jam") == 1
    assert raised_within(marks, 1, DAY_MS) == 2


@pytest.mark.parametrize(
    ("alarms", "flood", "over"),
    [(BUDGET_DAY_ALARMS, False, False), (BUDGET_DAY_ALARMS + 1, False, True),
     (FLOOD_ALARMS, False, True), (FLOOD_ALARMS + 1, True, True)],
)  # fmt: skip
def test_the_load_says_what_is_above_the_budget(alarms: int, flood: bool, over: bool) -> None:
    load = load_of(_state(tuple(AlarmMark(f"c{n}", n) for n in range(alarms)), alarms))
    assert (load["last_10_min"], load["last_24_h"]) == (alarms, alarms)
    assert (load["flood"], load["over_budget"]) == (flood, over)


def test_what_is_older_than_a_day_is_forgotten() -> None:
    marks = with_mark((AlarmMark("old", 0), AlarmMark("kept", 1)), DAY_MS + 1, "new")
    assert [mark.key for mark in marks] == ["kept", "new"]


def test_no_more_marks_are_kept_than_the_bound() -> None:
    marks: tuple[AlarmMark, ...] = ()
    for number in range(MARKS_MAX + 1):
        marks = with_mark(marks, number, f"c{number}")
    assert len(marks) == MARKS_MAX
    assert marks[0].key == "c1"


def test_a_restart_changes_no_mark_s_age() -> None:
    assert rebased((AlarmMark("jam", 900),), 1000, 50) == (AlarmMark("jam", -50),)

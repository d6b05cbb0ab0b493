"""How many alarms a table gives, against what people can answer: counts, flood, chatter. Pure.

Figures of product.md H61 and H62 (ISA-18.2, EEMUA 191): an operator answers one alarm in ten
minutes; more than ten in ten minutes are a flood; of forty tables each may give four a day.
"""

from __future__ import annotations

from typing import Any

from controller.core.state import AlarmMark, TableState

DAY_MS = 24 * 3_600_000
BUDGET_DAY_ALARMS = 4
FLOOD_SPAN_MS = 10 * 60_000
FLOOD_ALARMS = 10
# The third alarm of one cause within a minute is chatter: one alarm with a count from there on.
CHATTER_SPAN_MS = 60_000
CHATTER_ALARMS = 3
# Thirty times the budget of a day; a table that gives more is counted as giving so many.
MARKS_MAX = 128


def raised_within(
    marks: tuple[AlarmMark, ...], now_ms: int, span_ms: int, key: str | None = None
) -> int:
    """Alarms of the last `span_ms` of monotonic time, of one cause or of all."""
    return sum(now_ms - mark.mono_ms <= span_ms and key in (None, mark.key) for mark in marks)


def with_mark(marks: tuple[AlarmMark, ...], now_ms: int, key: str) -> tuple[AlarmMark, ...]:
    """The marks and one more; what is older than a day, or beyond the bound, is forgotten."""
    kept = tuple(mark for mark in marks if now_ms - mark.mono_ms <= DAY_MS)
    return (*kept, AlarmMark(key, now_ms))[-MARKS_MAX:]


def rebased(marks: tuple[AlarmMark, ...], before_ms: int, now_ms: int) -> tuple[AlarmMark, ...]:
    """Monotonic time began anew: each mark is as old after the restart as it was before."""
    return tuple(AlarmMark(mark.key, now_ms - (before_ms - mark.mono_ms)) for mark in marks)


def load_of(state: TableState) -> dict[str, Any]:
    """What `state` shows of it: counts, the budget, and whether they are above it."""
    marks, now_ms = state.alarm_marks, state.last_mono_ms
    lately = raised_within(marks, now_ms, FLOOD_SPAN_MS)
    today = raised_within(marks, now_ms, DAY_MS)
    return {
        "last_10_min": lately,
        "last_24_h": today,
        "budget_24_h": BUDGET_DAY_ALARMS,
        "over_budget": today > BUDGET_DAY_ALARMS,
        "flood": lately > FLOOD_ALARMS,
    }

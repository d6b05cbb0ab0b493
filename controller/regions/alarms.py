"""Alarms: latched until a named person acknowledges, escalated on time, one for each cause. Pure.

The dealer's lamp first, the floor after `escalate_floor_ms`, pit and surveillance after
`escalate_pit_ms` (product.md H59-H62). One input gives one alarm: what else it sets off is
added to it, not raised beside it.
"""

from __future__ import annotations

from controller.core.alarm_load import (
    BUDGET_DAY_ALARMS,
    CHATTER_ALARMS,
    CHATTER_SPAN_MS,
    DAY_MS,
    FLOOD_ALARMS,
    FLOOD_SPAN_MS,
    raised_within,
    rebased,
    with_mark,
)
from controller.core.altered import altered
from controller.core.events import Refusal
from controller.core.inputs import Acknowledge, TimerFired
from controller.core.law import Verdict
from controller.core.state import Alarm
from controller.core.view import Table

LEVELS = ("dealer", "floorperson", "pit_manager")
# A chattering alarm waits so long for its cause to stay away; a timer `A3.quiet`.
QUIET = "quiet"


def raise_alarm(
    table: Table, key: str, severity: int, text: str, rule: str | None = None, live: bool = False
) -> None:
    """Raise an alarm, or count a repeat of the open one with the same cause."""
    alarm = _of_cause(table, key)
    if alarm is not None and (alarm.acknowledged_by is None or alarm.chattering):
        _repeat(table, alarm, key, live)
        return
    if alarm is not None:
        # An acknowledged alarm whose cause comes again needs a person again.
        _forget_cause(table, alarm, key)
    first = _find(table, table.alarm) if table.alarm is not None else None
    if first is not None and severity <= first.severity:
        _replace(table, first, also=(*first.also, key), live=_with(first.live, key, live))
        return
    _raise_new(table, key, severity, text, rule, live)


def _raise_new(
    table: Table, key: str, severity: int, text: str, rule: str | None, live: bool
) -> None:
    alarm = Alarm(
        id=f"A{table.counted('alarms')}", key=key, severity=severity, text=text,
        since_ms=table.arrived.at_ms, live=_with((), key, live), rule=rule,
    )  # fmt: skip
    table.alarm = alarm.id
    table.put(alarms=(*table.state.alarms, alarm))
    table.emit(
        "alarm.raised", rule, severity,
        alarm=alarm.id, severity=severity, code=key, reason=text, age_s=0,
    )  # fmt: skip
    table.start_timer(f"{alarm.id}.floorperson", table.setup.escalate_floor_ms)
    table.start_timer(f"{alarm.id}.pit_manager", table.setup.escalate_pit_ms)
    _count(table, alarm)


def _count(table: Table, alarm: Alarm) -> None:
    """Held against the budget; said once where a flood or the end of the budget begins."""
    now_ms = table.arrived.mono_ms
    marks = with_mark(table.state.alarm_marks, now_ms, alarm.key)
    table.put(alarm_marks=marks)
    if raised_within(marks, now_ms, CHATTER_SPAN_MS, alarm.key) >= CHATTER_ALARMS:
        _replace(table, alarm, chattering=True)
        table.start_timer(f"{alarm.id}.{QUIET}", CHATTER_SPAN_MS)
    for kind, span_ms, most in (
        ("alarm.flood", FLOOD_SPAN_MS, FLOOD_ALARMS),
        ("alarm.over_budget", DAY_MS, BUDGET_DAY_ALARMS),
    ):
        if raised_within(marks, now_ms, span_ms) == most + 1:
            table.emit(kind, None, count=most + 1, most=most, span_s=span_ms // 1000)


def _repeat(table: Table, alarm: Alarm, key: str, live: bool) -> None:
    _replace(table, alarm, repeats=alarm.repeats + 1, live=_with(alarm.live, key, live))
    if alarm.chattering:
        table.start_timer(f"{alarm.id}.{QUIET}", CHATTER_SPAN_MS)


def _forget_cause(table: Table, alarm: Alarm, key: str) -> None:
    """The cause becomes an alarm of its own again; the old one stays while another cause lasts."""
    left = _without(alarm.live, key)
    if not left:
        _gone(table, alarm)
        return
    causes = _without((alarm.key, *alarm.also), key)
    _replace(table, alarm, key=causes[0], also=causes[1:], live=left)


def clear_cause(table: Table, key: str) -> None:
    """The cause is gone; the alarm goes once it was acknowledged too."""
    for alarm in table.state.alarms:
        if key in alarm.live:
            _replace(table, alarm, live=_without(alarm.live, key))
    _sweep(table)


def escalate(table: Table, item: TimerFired) -> None:
    """A timer `A3.floorperson` fired: the next level hears of the alarm; `A3.quiet`: no chatter."""
    name, _, level = item.name.partition(".")
    alarm = _find(table, name)
    if alarm is not None and level == QUIET:
        _replace(table, alarm, chattering=False)
        _sweep(table)
    elif alarm is not None and alarm.acknowledged_by is None and level in LEVELS:
        _replace(table, alarm, level=level)
        table.emit(
            "alarm.escalated", alarm.rule, alarm.severity,
            alarm=name, severity=alarm.severity, to=level, age_s=_age_s(table, alarm),
        )  # fmt: skip


def rebase_marks(table: Table) -> None:
    """After a restart: monotonic time began anew."""
    before_ms, now_ms = table.state.last_mono_ms, table.arrived.mono_ms
    table.put(alarm_marks=rebased(table.state.alarm_marks, before_ms, now_ms))


def alarm_is_open(table: Table, item: Acknowledge) -> Verdict:
    """Only an open alarm that nobody acknowledged can be acknowledged."""
    alarm = _find(table, item.alarm)
    if alarm is None:
        return Refusal(None, f"there is no open alarm {item.alarm}")
    if alarm.acknowledged_by is not None:
        return Refusal(None, f"alarm {item.alarm} was acknowledged by {alarm.acknowledged_by}")
    return None


def acknowledge(table: Table, item: Acknowledge) -> None:
    """Take the alarm in a person's name; it goes unless its cause lasts or keeps coming."""
    alarm = _find(table, item.alarm)
    assert alarm is not None, "the guard found it"
    _replace(table, alarm, acknowledged_by=table.by)
    table.emit(
        "alarm.acknowledged", alarm.rule,
        alarm=alarm.id, severity=alarm.severity, note=item.note, age_s=_age_s(table, alarm),
    )  # fmt: skip
    for level in LEVELS[1:]:
        table.cancel_timer(f"{alarm.id}.{level}")
    _sweep(table)


def unacknowledged(table: Table) -> tuple[Alarm, ...]:
    return tuple(alarm for alarm in table.state.alarms if alarm.acknowledged_by is None)


def _of_cause(table: Table, key: str) -> Alarm | None:
    return next((one for one in table.state.alarms if key in (one.key, *one.also)), None)


def _find(table: Table, identity: str) -> Alarm | None:
    return next((alarm for alarm in table.state.alarms if alarm.id == identity), None)


def _with(live: tuple[str, ...], key: str, lasts: bool) -> tuple[str, ...]:
    return (*live, key) if lasts and key not in live else live


def _without(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(one for one in keys if one != key)


def _age_s(table: Table, alarm: Alarm) -> int:
    # The wall clock may step back; an age below nothing helps nobody.
    return max(0, table.arrived.at_ms - alarm.since_ms) // 1000


def _replace(table: Table, alarm: Alarm, **members: object) -> None:
    changed = altered(alarm, **members)
    table.put(alarms=tuple(changed if one.id == alarm.id else one for one in table.state.alarms))


def _sweep(table: Table) -> None:
    for alarm in table.state.alarms:
        if alarm.acknowledged_by is not None and not alarm.live and not alarm.chattering:
            _gone(table, alarm)


def _gone(table: Table, alarm: Alarm) -> None:
    table.cancel_timer(f"{alarm.id}.{QUIET}")
    table.emit(
        "alarm.cleared", alarm.rule,
        alarm=alarm.id, severity=alarm.severity, age_s=_age_s(table, alarm),
    )  # fmt: skip
    table.put(alarms=tuple(one for one in table.state.alarms if one.id != alarm.id))

"""Alarms: latched until a named person acknowledges, escalated on time, one for each cause. Pure.

The dealer's lamp first, the floor after `escalate_floor_ms`, pit and surveillance after
`escalate_pit_ms` (product.md H59-H62).
"""

from __future__ import annotations

import dataclasses

from controller.core.events import Refusal
from controller.core.inputs import Acknowledge, TimerFired
from controller.core.law import Verdict
from controller.core.state import Alarm
from controller.core.view import Table

LEVELS = ("dealer", "floorperson", "pit_manager")


def raise_alarm(
    table: Table, key: str, severity: int, text: str, rule: str | None = None, live: bool = False
) -> None:
    """Raise an alarm, or count a repeat of the open one with the same cause."""
    for alarm in table.state.alarms:
        if alarm.key == key and alarm.acknowledged_by is None:
            _replace(table, alarm, repeats=alarm.repeats + 1, live=alarm.live or live)
            return
    # An acknowledged alarm whose cause comes again needs a person again.
    for alarm in table.state.alarms:
        if alarm.key == key:
            _gone(table, alarm)
    alarm = Alarm(
        id=f"A{table.counted('alarms')}", key=key, severity=severity, text=text,
        since_ms=table.arrived.at_ms, live=live, rule=rule,
    )  # fmt: skip
    table.put(alarms=(*table.state.alarms, alarm))
    table.emit(
        "alarm.raised", rule, severity,
        alarm=alarm.id, severity=severity, code=key, reason=text, age_s=0,
    )  # fmt: skip
    table.start_timer(f"{alarm.id}.floorperson", table.setup.escalate_floor_ms)
    table.start_timer(f"{alarm.id}.pit_manager", table.setup.escalate_pit_ms)


def clear_cause(table: Table, key: str) -> None:
    """The cause is gone; the alarm goes once it was acknowledged too."""
    for alarm in table.state.alarms:
        if alarm.key == key:
            _replace(table, alarm, live=False)
    _sweep(table)


def escalate(table: Table, item: TimerFired) -> None:
    """A timer `A3.floorperson` fired: the next level hears of the alarm."""
    name, _, level = item.name.partition(".")
    alarm = _find(table, name)
    if alarm is not None and alarm.acknowledged_by is None and level in LEVELS:
        _replace(table, alarm, level=level)
        table.emit(
            "alarm.escalated", alarm.rule, alarm.severity,
            alarm=name, severity=alarm.severity, to=level, age_s=_age_s(table, alarm),
        )  # fmt: skip


def alarm_is_open(table: Table, item: Acknowledge) -> Verdict:
    """Only an open alarm that nobody acknowledged can be acknowledged."""
    alarm = _find(table, item.alarm)
    if alarm is None:
        return Refusal(None, f"there is no open alarm {item.alarm}")
    if alarm.acknowledged_by is not None:
        return Refusal(None, f"alarm {item.alarm} was acknowledged by {alarm.acknowledged_by}")
    return None


def acknowledge(table: Table, item: Acknowledge) -> None:
    """Take the alarm in a person's name; it goes unless its cause lasts."""
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


def _find(table: Table, identity: str) -> Alarm | None:
    return next((alarm for alarm in table.state.alarms if alarm.id == identity), None)


def _age_s(table: Table, alarm: Alarm) -> int:
    # The wall clock may step back; an age below nothing helps nobody.
    return max(0, table.arrived.at_ms - alarm.since_ms) // 1000


def _replace(table: Table, alarm: Alarm, **members: object) -> None:
    changed = dataclasses.replace(alarm, **members)  # type: ignore[arg-type]  # members of Alarm
    table.put(alarms=tuple(changed if one.id == alarm.id else one for one in table.state.alarms))


def _sweep(table: Table) -> None:
    for alarm in table.state.alarms:
        if alarm.acknowledged_by is not None and not alarm.live:
            _gone(table, alarm)


def _gone(table: Table, alarm: Alarm) -> None:
    table.emit(
        "alarm.cleared", alarm.rule,
        alarm=alarm.id, severity=alarm.severity, age_s=_age_s(table, alarm),
    )  # fmt: skip
    table.put(alarms=tuple(one for one in table.state.alarms if one.id != alarm.id))

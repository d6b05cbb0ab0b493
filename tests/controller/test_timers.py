"""Timers follow the state: no more, no fewer, never early, each once."""

from __future__ import annotations

import asyncio

import pytest

from controller.clock import SystemClock
from controller.core.inputs import TimerFired
from controller.intake import Intake
from controller.timers import Timers

HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class JumpingClock(SystemClock):
    """Its wall clock is set by somebody."""

    by_ms = 0

    def wall_ms(self) -> int:
        """The time of the wall after it was set."""
        return super().wall_ms() + self.by_ms


def rig() -> tuple[Timers, Intake, int]:
    clock = SystemClock()
    intake = Intake(clock)
    return Timers(intake, clock), intake, clock.mono_ns() // 1_000_000


async def test_a_timer_fires_once_and_not_before_its_time() -> None:
    timers, intake, now_ms = rig()
    timers.hold({"idle": now_ms + 20})
    (fired,) = await asyncio.wait_for(intake.take(1), 2)
    assert fired.item == TimerFired("idle")
    assert fired.mono_ms >= now_ms + 20
    # The state still names it until the firing is decided: it does not fire again for that.
    timers.hold({"idle": now_ms + 20, "other": now_ms + 60_000})
    await asyncio.sleep(0.03)
    assert len(intake) == 0
    timers.close()


async def test_what_the_state_no_longer_names_does_not_fire() -> None:
    timers, intake, now_ms = rig()
    timers.hold({"a": now_ms + 10, "b": now_ms + 10})
    timers.hold({"b": now_ms + 10})
    await asyncio.sleep(0.05)
    assert [waiting.item for waiting in intake.take_now(9)] == [TimerFired("b")]


async def test_another_due_time_restarts_and_one_in_the_past_fires_at_once() -> None:
    timers, intake, now_ms = rig()
    timers.hold({"a": now_ms + 10})
    timers.hold({"a": now_ms + 60_000})
    await asyncio.sleep(0.04)
    assert len(intake) == 0
    timers.hold({"a": now_ms - 5})
    await asyncio.sleep(0.01)
    assert len(intake) == 1


@pytest.mark.parametrize("by_ms", [-30 * 365 * DAY_MS, -HOUR_MS, 2 * HOUR_MS, 30 * 365 * DAY_MS])
async def test_a_wall_clock_that_jumps_fires_nothing(by_ms: int) -> None:
    """Faults T01."""
    clock = JumpingClock()
    intake = Intake(clock)
    timers, now_ms = Timers(intake, clock), clock.mono_ns() // 1_000_000
    timers.hold({"soon": now_ms + 20, "later": now_ms + 60_000})
    clock.by_ms = by_ms
    (fired,) = await asyncio.wait_for(intake.take(1), 2)
    assert fired.item == TimerFired("soon")
    assert fired.mono_ms >= now_ms + 20
    timers.hold({"later": now_ms + 60_000})
    await asyncio.sleep(0.03)
    assert len(intake) == 0
    timers.close()


async def test_closed_timers_are_silent() -> None:
    timers, intake, now_ms = rig()
    timers.hold({"a": now_ms + 5})
    timers.close()
    await asyncio.sleep(0.03)
    assert len(intake) == 0

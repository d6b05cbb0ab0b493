"""Running timers as a level of the state: what should run is compared with what does."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from controller.clock import Clock
from controller.core.inputs import TimerFired
from controller.intake import Intake

# Alarms, devices and procedure together run some twenty; far more is a broken program.
RUNNING_TIMERS_MAX = 1024


class Timers:
    """`TimerFired` for each due time that the state names, once, also after a restart."""

    def __init__(self, intake: Intake, clock: Clock) -> None:
        self._intake = intake
        self._clock = clock
        self._due: dict[str, int] = {}
        # A name without a handle has fired and waits for the state to take note of it.
        self._handles: dict[str, asyncio.TimerHandle] = {}

    def hold(self, due_mono_ms: Mapping[str, int]) -> None:
        """Let exactly these timers run: due times in monotonic ms of this boot, by name."""
        if due_mono_ms == self._due:
            return
        assert len(due_mono_ms) <= RUNNING_TIMERS_MAX, "timers are few"
        for name in [name for name in self._due if due_mono_ms.get(name) != self._due[name]]:
            self._forget(name)
        for name, due in due_mono_ms.items():
            if name not in self._due:
                self._due[name] = due
                self._arm(name)

    def close(self) -> None:
        """Forget all."""
        for name in list(self._due):
            self._forget(name)

    def _arm(self, name: str) -> None:
        wait_ms = max(0, self._due[name] - self._clock.mono_ns() // 1_000_000)
        loop = asyncio.get_running_loop()
        self._handles[name] = loop.call_later(wait_ms / 1000, self._fire, name)

    def _fire(self, name: str) -> None:
        if self._clock.mono_ns() // 1_000_000 < self._due[name]:
            # The loop rounds to its clock's resolution; a timer is never early in the record.
            self._handles[name] = asyncio.get_running_loop().call_later(0.001, self._fire, name)
            return
        del self._handles[name]
        self._intake.offer_item("clock", TimerFired(name))

    def _forget(self, name: str) -> None:
        del self._due[name]
        handle = self._handles.pop(name, None)
        if handle is not None:
            handle.cancel()

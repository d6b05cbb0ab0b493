"""Every switch of the panel on the loop: edges, debounce, timers, and lines that went mad."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hal.debounce import STUCK_MS, Change, Debouncer, Settled
from hal.edges import DEAF_S, Edges, Storm, Taken
from hal.gpio import Input

# A storm that pauses shorter than this is still the same storm: it is reported once.
STORM_CALM_NS = 1_000_000_000

NS_PER_S = 1_000_000_000


@dataclass(slots=True)
class _Switch:
    line: Input
    debouncer: Debouncer
    deaf: bool = False
    stormy_ns: int | None = None


class Switches:
    """Debounced switches. `hear(name, change, at_ns)` is called on the loop.

    A line of `buttons` that stays down is STUCK; so is any line whose edges come faster than a
    switch can make them, or overflow the queue without another line being to blame. Lines that
    are no button may rest in either level.
    """

    def __init__(
        self,
        lines: Mapping[str, Input],
        buttons: frozenset[str],
        stable_ms: int,
        hear: Callable[[str, Change, int], None],
    ) -> None:
        self._lines = lines
        self._buttons = buttons
        self._stable_ms = stable_ms
        self._hear = hear
        self._edges = Edges()
        self._storm = Storm()
        self._switches: dict[str, _Switch] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.storms = 0

    @property
    def edges_lost(self) -> int:
        """Edges that found the queue full since the start."""
        return self._edges.lost_total

    def open(self, loop: asyncio.AbstractEventLoop) -> dict[str, bool]:
        """Listen from now on; gives each line's level, which by itself is no change."""
        self._loop = loop
        self._edges.open(loop, self._look)
        for name, line in self._lines.items():
            line.listen(self._edges.put)
            stuck_ms = STUCK_MS if name in self._buttons else None
            debouncer = Debouncer(
                line.closed(), time.monotonic_ns(), stable_ms=self._stable_ms, stuck_ms=stuck_ms
            )
            self._switches[name] = _Switch(line, debouncer)
        self._look()
        return {name: switch.debouncer.held for name, switch in self._switches.items()}

    def close(self) -> None:
        """Listen no more."""
        self._edges.close()
        for line in self._lines.values():
            line.deafen()
        if self._timer is not None:
            self._timer.cancel()
        self._loop = None

    def _look(self) -> None:
        """Everything that waits and everything that is due, in this order."""
        if self._loop is None:
            return
        taken = self._edges.take()
        for name, at_ns, closed in taken.edges:
            switch = self._switches[name]
            if switch.deaf:
                continue
            self._tell(name, switch.debouncer.edge(at_ns, closed))
            if self._storm.breaks_out(name, at_ns):
                self._leave_alone(name, switch, taken.now_ns)
        self._make_up_for(taken)
        for name, switch in self._switches.items():
            self._check(name, switch, taken.now_ns)
        self._arm()

    def _make_up_for(self, taken: Taken) -> None:
        """Lines that lost edges: read again where another line is to blame, told where none is."""
        blamed = any(switch.deaf for switch in self._switches.values())
        for name in taken.lost:
            switch = self._switches[name]
            if not blamed:
                self._leave_alone(name, switch, taken.now_ns)
            elif not switch.deaf:
                missed = switch.debouncer.missed(taken.now_ns, switch.line.closed())
                self._tell(name, missed)

    def _check(self, name: str, switch: _Switch, now_ns: int) -> None:
        due_ns = switch.debouncer.check_at_ns
        if switch.deaf or due_ns is None or due_ns > now_ns:
            return
        # An edge that the kernel merged away never arrived: believe the line, not the memory.
        if switch.line.closed() != switch.debouncer.raw:
            self._tell(name, switch.debouncer.missed(now_ns, switch.line.closed()))
        else:
            self._tell(name, switch.debouncer.check(now_ns))

    def _tell(self, name: str, settled: tuple[Settled, ...]) -> None:
        for change in settled:
            self._hear(name, change.change, change.at_ns)

    def _leave_alone(self, name: str, switch: _Switch, now_ns: int) -> None:
        if switch.deaf or self._loop is None:
            return
        switch.deaf = True
        switch.line.deafen()
        self._loop.call_later(DEAF_S, self._listen_again, name)
        before_ns, switch.stormy_ns = switch.stormy_ns, now_ns
        if before_ns is None or now_ns - before_ns > STORM_CALM_NS:
            self.storms += 1
            self._hear(name, Change.STUCK, now_ns)

    def _listen_again(self, name: str) -> None:
        if self._loop is None:
            return
        switch = self._switches[name]
        switch.line.listen(self._edges.put)
        # Whatever was about to settle before the storm is void: the wait starts anew from here.
        now_ns = time.monotonic_ns()
        self._tell(name, switch.debouncer.missed(now_ns, switch.line.closed()))
        switch.deaf = False
        self._look()

    def _arm(self) -> None:
        """Wake at the next moment at which a level will have been stable for long enough."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        due = [
            at_ns
            for switch in self._switches.values()
            if not switch.deaf and (at_ns := switch.debouncer.check_at_ns) is not None
        ]
        if due and self._loop is not None:
            wait_s = max(0, min(due) - time.monotonic_ns()) / NS_PER_S
            self._timer = self._loop.call_later(wait_s, self._look)

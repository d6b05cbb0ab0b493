"""One serial line on the event loop: opened again when it is lost, never waited for, never spun on.

Every way through this file is a callback of the loop or a bounded wait; octets go to `receive` with
the monotonic time at which they were read. What opens ports is `hal.port`.
"""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from hal.errors import PortError
from hal.port import OpenPort, PortSettings, moved, open_port

# One kernel tty buffer; a read never gives more.
READ_OCTETS_MAX: Final = 4096
# Some thirty requests; at 4800 baud they need 4 s, more is a peer that does not listen.
WRITE_OCTETS_MAX: Final = 2048
# No octet taken for so long: the slowest line of the protocol (4800 baud) needs 2 ms for one.
WRITE_DEADLINE_S: Final = 2.0
# Opening again: soon at first, since most losses are a plug moved; then seldom enough to cost
# nothing. A port that opens and dies at once does not count as mended.
BACKOFF_S_MIN: Final = 0.2
BACKOFF_S_MAX: Final = 1.5
BACKOFF_FACTOR: Final = 2.0
HEALTHY_S_MIN: Final = 5.0
# How often the path is looked at: udev may point it at another adapter while we hold the old one.
MOVED_CHECK_S: Final = 1.0
# FTDI adapters hold short reads up to 16 ms, serial servers longer (parts.md): twice that and more.
IDLE_SLACK_MS: Final = 50


class Listener(Protocol):
    """What a link tells; all are called on the loop and must not block."""

    def opened(self) -> None:
        """The port is open: nothing was read yet."""
        ...

    def received(self, octets: bytes, mono_ns: int) -> None:
        """Octets as they were read."""
        ...

    def idled(self, mono_ns: int) -> None:
        """Silence longer than a frame, told once for each silence."""
        ...

    def lost(self, why: str, mono_ns: int) -> None:
        """The port is gone; told once for each open."""
        ...


@dataclass(slots=True)
class Counters:
    """What happened on this line since the start."""

    opens: int = 0
    losses: int = 0
    failures: int = 0
    wakeups: int = 0
    octets_in: int = 0
    octets_out: int = 0
    writes_dropped: int = 0
    write_stalls: int = 0


class Link:
    """A line to one device. `run` opens and re-opens it; `write` queues, in order, and returns."""

    def __init__(
        self,
        settings: PortSettings,
        listener: Listener,
        frame_octets_max: int,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`frame_octets_max` tells how long silence must last; `jitter` gives 0 up to 1."""
        self.counters = Counters()
        self.last_error = ""
        self.deaf = False
        self._settings = settings
        self._listener = listener
        self._jitter = jitter
        self._idle_s = settings.frame_ms(frame_octets_max) / 1000 + IDLE_SLACK_MS / 1000
        self._port: OpenPort | None = None
        self._ended: asyncio.Future[str] | None = None
        self._broken: asyncio.Future[None] | None = None
        self._queue: deque[bytes] = deque()
        self._queued_octets = 0
        self._heard_s = 0.0
        self._hushed = False
        self._idle: asyncio.TimerHandle | None = None
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def is_open(self) -> bool:
        """Whether the port is open now."""
        return self._port is not None

    # ---- opening and losing ----------------------------------------------------------------
    async def run(self) -> None:
        """Keep the line open until cancelled, or until `fail`, whose error it raises."""
        loop = asyncio.get_running_loop()
        self._broken = loop.create_future()
        keeping = loop.create_task(self._keep_open())
        try:
            await asyncio.wait((keeping, self._broken), return_when=asyncio.FIRST_COMPLETED)
            for ended in (keeping, self._broken):
                if ended.done():
                    ended.result()
        finally:
            keeping.cancel()
            await asyncio.gather(keeping, return_exceptions=True)

    def fail(self, error: Exception) -> None:
        """A bug in a listener's callback must end `run`, not vanish in the loop's log."""
        if self._broken is not None and not self._broken.done():
            self._broken.set_exception(error)

    async def _keep_open(self) -> None:
        wait_s = BACKOFF_S_MIN
        while True:
            began_s = asyncio.get_running_loop().time()
            if await self._serve():
                healthy = asyncio.get_running_loop().time() - began_s >= HEALTHY_S_MIN
                wait_s = BACKOFF_S_MIN if healthy else wait_s
            # Half to once and a half: tables that lost one hub together do not return together.
            await asyncio.sleep(wait_s * (0.5 + self._jitter()))
            wait_s = min(wait_s * BACKOFF_FACTOR, BACKOFF_S_MAX)

    async def _serve(self) -> bool:
        """One open port from its opening to its loss; False: it could not be opened."""
        try:
            port = await open_port(self._settings)
        except PortError as error:
            self.counters.failures += 1
            self.last_error = str(error)
            return False
        loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        self._port = port
        try:
            self.counters.opens += 1
            self.last_error = ""
            self.deaf = False
            if not self._hushed:
                loop.add_reader(port.descriptor, self._readable)
            self._listener.opened()
            why = await self._until_lost(port, self._ended)
        finally:
            self._release(port)
        self.counters.losses += 1
        self.last_error = why
        self._listener.lost(why, time.monotonic_ns())
        return True

    async def _until_lost(self, port: OpenPort, ended: asyncio.Future[str]) -> str:
        while True:
            await asyncio.wait((ended,), timeout=MOVED_CHECK_S)
            if ended.done():
                return ended.result()
            if moved(self._settings, port):
                return "the path points to another device now"

    def _release(self, port: OpenPort) -> None:
        """Close before anything is opened again: a held descriptor keeps its old name taken."""
        loop = asyncio.get_running_loop()
        loop.remove_reader(port.descriptor)
        self._forget_writes(port)
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None
        self._port = None
        port.close()

    def _lose(self, why: str) -> None:
        """Stop listening at once, since a dead descriptor is always readable; tell `run`."""
        if self._port is not None:
            asyncio.get_running_loop().remove_reader(self._port.descriptor)
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(why)

    # ---- reading ---------------------------------------------------------------------------
    def hush(self) -> None:
        """Read nothing from now on, for good: whoever ends does not work for a flood any more.

        What is queued and what is written later still goes out.
        """
        self._hushed = True
        if self._port is not None:
            asyncio.get_running_loop().remove_reader(self._port.descriptor)

    def _readable(self) -> None:
        port = self._port
        assert port is not None, "a reader is registered for an open port only"
        self.counters.wakeups += 1
        try:
            octets = os.read(port.descriptor, READ_OCTETS_MAX)
        except BlockingIOError:
            return
        except OSError as error:
            # EIO is how the kernel says unplugged; all others mean the same to us.
            self._lose(f"unplugged ({error.strerror})")
            return
        if not octets:
            self._lose("closed by the other side")
            return
        self.counters.octets_in += len(octets)
        now_ns = time.monotonic_ns()
        self._arm_idle()
        try:
            self._listener.received(octets, now_ns)
        except Exception as error:  # noqa: BLE001 - handed to run(), which raises it
            self.fail(error)

    def _arm_idle(self) -> None:
        """One timer, moved lazily: a busy line costs no timer an octet."""
        loop = asyncio.get_running_loop()
        self._heard_s = loop.time()
        if self._idle is None:
            self._idle = loop.call_later(self._idle_s, self._look_idle)

    def _look_idle(self) -> None:
        loop = asyncio.get_running_loop()
        left_s = self._heard_s + self._idle_s - loop.time()
        self._idle = loop.call_later(left_s, self._look_idle) if left_s > 0 else None
        if self._idle is None:
            try:
                self._listener.idled(time.monotonic_ns())
            except Exception as error:  # noqa: BLE001 - handed to run(), which raises it
                self.fail(error)

    # ---- writing ---------------------------------------------------------------------------
    def write(self, octets: bytes) -> bool:
        """Queue octets behind those queued before. False: no open port, or the queue is full."""
        port = self._port
        if port is None:
            return False
        if self._queued_octets + len(octets) > WRITE_OCTETS_MAX:
            self.counters.writes_dropped += 1
            return False
        self._queue.append(octets)
        self._queued_octets += len(octets)
        if self._deadline is None:
            self._writable()
        return self._port is not None

    def _writable(self) -> None:
        port = self._port
        if port is None:
            return
        progressed = False
        while self._queue:
            try:
                taken = os.write(port.descriptor, self._queue[0])
            except BlockingIOError:
                break
            except OSError as error:
                self._forget_writes(port)
                self._lose(f"unplugged ({error.strerror})")
                return
            progressed = progressed or taken > 0
            self.counters.octets_out += taken
            self._queued_octets -= taken
            rest = self._queue.popleft()[taken:]
            if rest:
                self._queue.appendleft(rest)
                break
        if progressed:
            self.deaf = False
        self._watch_writes(port, progressed)

    def _watch_writes(self, port: OpenPort, progressed: bool) -> None:
        """Wait for room while something is queued, and not forever."""
        loop = asyncio.get_running_loop()
        if self._deadline is not None and (progressed or not self._queue):
            self._deadline.cancel()
            self._deadline = None
        if not self._queue:
            loop.remove_writer(port.descriptor)
        elif self._deadline is None:
            loop.add_writer(port.descriptor, self._writable)
            self._deadline = loop.call_later(WRITE_DEADLINE_S, self._stall, port)

    def _stall(self, port: OpenPort) -> None:
        """The peer takes nothing: drop what waits (it would come out stale) and keep listening.

        A device that never listens is lawful, so this does not close the line.
        """
        self.counters.write_stalls += 1
        self.counters.writes_dropped += len(self._queue)
        self.deaf = True
        self._forget_writes(port)
        port.drop_output()

    def _forget_writes(self, port: OpenPort) -> None:
        asyncio.get_running_loop().remove_writer(port.descriptor)
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self._queue.clear()
        self._queued_octets = 0

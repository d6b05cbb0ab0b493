"""Wall time, monotonic time and the kernel's clock discipline: the only importer of `time`."""

from __future__ import annotations

import asyncio
import ctypes
import time
from dataclasses import dataclass
from typing import Protocol

# From <sys/timex.h>: what the kernel says of the discipline of its clock.
STA_UNSYNC = 0x0040
STA_NANO = 0x2000
TIME_ERROR = 5


@dataclass(frozen=True, slots=True)
class ClockState:
    """`synchronised` as the kernel says; `offset_ms` what is left to correct and `error_ms_max` the
    kernel's own bound of the whole error, None if unknown."""

    synchronised: bool
    offset_ms: int | None
    error_ms_max: int | None = None


class Clock(Protocol):
    """Where stamps come from; tests bring their own."""

    def wall_ms(self) -> int:
        """UTC milliseconds since 1970."""
        ...

    def mono_ns(self) -> int:
        """Nanoseconds of a clock that never steps; its zero is of the host's boot."""
        ...

    def look(self) -> ClockState:
        """Ask the kernel for the state of its clock."""
        ...


class SystemClock:
    """The clock of this board."""

    def wall_ms(self) -> int:
        """UTC milliseconds since 1970."""
        return time.time_ns() // 1_000_000

    def mono_ns(self) -> int:
        """Nanoseconds of CLOCK_MONOTONIC, the clock of the event loop and of `Heard.mono_ns`."""
        return time.monotonic_ns()

    def look(self) -> ClockState:
        """Ask the kernel; a kernel that cannot be asked is one that is not synchronised."""
        return kernel_clock_state()


def loop_ms() -> int:
    """Milliseconds of the running loop, by which its timers fall due."""
    return int(asyncio.get_running_loop().time() * 1000)


class _Timex(ctypes.Structure):
    """`struct timex` of 64-bit Linux; the kernel writes all of it, so its size must be right."""

    _fields_ = [
        ("modes", ctypes.c_uint),
        ("offset", ctypes.c_long),
        ("freq", ctypes.c_long),
        ("maxerror", ctypes.c_long),
        ("esterror", ctypes.c_long),
        ("status", ctypes.c_int),
        ("constant", ctypes.c_long),
        ("precision", ctypes.c_long),
        ("tolerance", ctypes.c_long),
        ("time", ctypes.c_long * 2),
        ("tick", ctypes.c_long),
        ("ppsfreq", ctypes.c_long),
        ("jitter", ctypes.c_long),
        ("shift", ctypes.c_int),
        ("stabil", ctypes.c_long),
        ("jitcnt", ctypes.c_long),
        ("calcnt", ctypes.c_long),
        ("errcnt", ctypes.c_long),
        ("stbcnt", ctypes.c_long),
        ("tai", ctypes.c_int),
        ("reserved", ctypes.c_int * 11),
    ]


def kernel_clock_state() -> ClockState:
    """What adjtimex(2) says, reading only. Never raises."""
    timex = _Timex()
    try:
        answer = int(ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(timex)))
    except (OSError, AttributeError):
        return ClockState(False, None)
    return _state_of(answer, timex)


def _state_of(answer: int, timex: _Timex) -> ClockState:
    """What a reading means. A kernel whose bound of the error has reached 16 s says by itself that
    it is not synchronised any more, be its discipline dead or its network gone."""
    if answer < 0 or answer == TIME_ERROR or timex.status & STA_UNSYNC:
        return ClockState(False, None)
    per_ms = 1_000_000 if timex.status & STA_NANO else 1_000
    # Division towards zero: an offset of less than a millisecond is none.
    offset_ms = abs(int(timex.offset)) // per_ms * (1 if timex.offset >= 0 else -1)
    # In microseconds, whatever the offset is in; rounded up, for it is a bound.
    return ClockState(True, offset_ms, -(-int(timex.maxerror) // 1_000))

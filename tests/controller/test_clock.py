"""The clock is that of the board, and the kernel is asked without being changed."""

from __future__ import annotations

import ctypes
import time

import pytest

from controller import clock as clock_module
from controller.clock import (
    STA_NANO,
    STA_UNSYNC,
    TIME_ERROR,
    ClockState,
    SystemClock,
    _Timex,
    kernel_clock_state,
)


def test_stamps_are_those_of_the_board() -> None:
    clock = SystemClock()
    assert abs(clock.wall_ms() - time.time_ns() // 1_000_000) < 1000
    before = time.monotonic_ns()
    assert before <= clock.mono_ns() <= time.monotonic_ns()


def test_the_kernel_is_asked_with_a_structure_of_its_size() -> None:
    # struct timex of 64-bit Linux.
    assert ctypes.sizeof(_Timex) == 208


def test_an_offset_is_told_only_where_the_clock_is_synchronised() -> None:
    state = kernel_clock_state()
    assert state.synchronised or (state.offset_ms, state.error_ms_max) == (None, None)
    assert not state.synchronised or (state.error_ms_max or 0) >= 0
    assert SystemClock().look().synchronised == state.synchronised


class Kernel:
    """A C library whose adjtimex gives a set reading."""

    def __init__(self, answer: int, **members: int) -> None:
        self.answer, self.members = answer, members

    def adjtimex(self, timex: object) -> int:
        """Fills in what it was made with; nothing is asked to change."""
        filled = timex._obj  # type: ignore[attr-defined]
        assert filled.modes == 0
        for name, value in self.members.items():
            setattr(filled, name, value)
        return self.answer


@pytest.mark.parametrize(
    ("kernel", "state"),
    [
        (Kernel(0, offset=1_999, maxerror=2_000), ClockState(True, 1, 2)),
        (Kernel(0, offset=-1_999, maxerror=2_001), ClockState(True, -1, 3)),
        (Kernel(0, offset=999, maxerror=0), ClockState(True, 0, 0)),
        (Kernel(0, offset=1_999_999, status=STA_NANO), ClockState(True, 1, 0)),
        (Kernel(0, offset=-999_999, status=STA_NANO), ClockState(True, 0, 0)),
        # A leap second is announced or under way: the clock is sound all the same.
        (Kernel(TIME_ERROR - 1, maxerror=16_000_000), ClockState(True, 0, 16_000)),
        (Kernel(TIME_ERROR, maxerror=16_000_000), ClockState(False, None)),
        (Kernel(0, status=STA_UNSYNC), ClockState(False, None)),
        (Kernel(0, status=STA_UNSYNC | STA_NANO, offset=7), ClockState(False, None)),
        (Kernel(-1), ClockState(False, None)),
    ],
)
def test_a_reading_of_the_kernel_is_understood_to_its_bounds(
    kernel: Kernel, state: ClockState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock_module.ctypes, "CDLL", lambda name, use_errno: kernel)
    assert kernel_clock_state() == state


def test_a_kernel_that_cannot_be_asked_is_not_synchronised(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock_module.ctypes, "CDLL", lambda name, use_errno: object())
    assert SystemClock().look() == ClockState(False, None)

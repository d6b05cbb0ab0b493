"""The clock is that of the board, and the kernel is asked without being changed."""

from __future__ import annotations

import ctypes
import time

from controller.clock import SystemClock, _Timex, kernel_clock_state


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

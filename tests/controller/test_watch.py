"""What is said of clock and disk: at first, and when it has changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller import clock as clock_module
from controller.clock import STA_UNSYNC, ClockState, SystemClock
from controller.core.codec import plain
from controller.core.inputs import ClockStepped, Storage, Synchronised, Unsynchronised
from controller.intake import Intake
from controller.watch import RESERVE_OCTETS, STEP_MS_MIN, ClockWatch, StorageWatch, free_of
from tests.controller.test_clock import Kernel
from tests.play import Play


class SetClock:
    """A clock that shows what it was set to."""

    def __init__(self) -> None:
        self.wall = 1_767_636_000_000
        self.mono = 1_000
        self.state = ClockState(False, None)

    def wall_ms(self) -> int:
        return self.wall

    def mono_ns(self) -> int:
        return self.mono * 1_000_000

    def look(self) -> ClockState:
        return self.state

    def pass_ms(self, wall: int, mono: int) -> None:
        self.wall += wall
        self.mono += mono


def said(intake: Intake) -> list[object]:
    return [waiting.item for waiting in intake.take_now(100)]


def test_synchronisation_is_said_at_first_and_when_it_changes() -> None:
    clock = SetClock()
    intake = Intake(clock)
    watch = ClockWatch(clock, intake)
    watch.look()
    watch.look()
    assert said(intake) == [Unsynchronised()]
    clock.state = ClockState(True, -3)
    watch.look()
    watch.look()
    assert said(intake) == [Synchronised(-3)]
    assert intake.clock_synchronised


def test_a_clock_that_is_found_and_lost_is_on_record_with_its_own_stamps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """From the kernel's reading to the event: unsynchronised begins with the kernel's own mark."""
    kernel = Kernel(0, maxerror=16_000_000, status=STA_UNSYNC)
    monkeypatch.setattr(clock_module.ctypes, "CDLL", lambda name, use_errno: kernel)
    intake = Intake(SystemClock())
    watch = ClockWatch(SystemClock(), intake)
    waiting = []
    for members in ({}, {"status": 0, "offset": 3_000}, {}, {"status": STA_UNSYNC}):
        kernel.members.update(members)
        watch.look()
        waiting += intake.take_now(100)
    play = Play()
    for one in waiting:
        play.do("clock", one.item.TYPE, **plain(one.item))  # type: ignore[attr-defined]
    told = [(event.type, event.data) for event in play.events]
    where = {"round": 0, "shoe": 0}
    assert told == [
        ("clock.unsynchronised", where),
        ("clock.synchronised", {"offset_ms": 3, "error_ms_max": 16_000, **where}),
        ("clock.unsynchronised", where),
    ]
    assert [one.clock_synchronised for one in waiting] == [False, True, False]


def test_how_far_off_it_is_is_said_again_where_it_begins_to_matter() -> None:
    clock = SetClock()
    intake = Intake(clock)
    watch = ClockWatch(clock, intake)
    for offset, error in ((0, 2), (100, 3), (-101, 4), (500, 5), (501, 6), (502, 7), (0, 8)):
        clock.state = ClockState(True, offset, error)
        watch.look()
    assert said(intake) == [
        Synchronised(0, 2), Synchronised(-101, 4), Synchronised(501, 6), Synchronised(0, 8),
    ]  # fmt: skip


@pytest.mark.parametrize("sign", [1, -1])
def test_a_step_is_told_from_a_slew(sign: int) -> None:
    clock = SetClock()
    intake = Intake(clock)
    watch = ClockWatch(clock, intake)
    watch.look()
    said(intake)
    clock.pass_ms(1000 + sign * (STEP_MS_MIN - 1), 1000)
    watch.look()
    assert said(intake) == []
    clock.pass_ms(1000 + sign * STEP_MS_MIN, 1000)
    watch.look()
    assert said(intake) == [ClockStepped(sign * STEP_MS_MIN)]


def test_a_disk_is_not_writable_once_the_reserve_is_touched(tmp_path: Path) -> None:
    free = [4 * RESERVE_OCTETS, True]
    intake = Intake(SetClock())
    watch = StorageWatch(tmp_path / "j", intake, lambda folder: (int(free[0]), bool(free[1])))
    watch.look()
    watch.look()
    assert said(intake) == [Storage(4 * RESERVE_OCTETS, True)]
    free[0] = 2 * RESERVE_OCTETS
    watch.look()
    assert said(intake) == []
    free[0] = RESERVE_OCTETS
    watch.look()
    assert said(intake) == [Storage(RESERVE_OCTETS, True)]
    free[0] = RESERVE_OCTETS - 1
    watch.look()
    assert said(intake) == [Storage(RESERVE_OCTETS - 1, False)]
    free[:] = [4 * RESERVE_OCTETS, False]
    watch.look()
    assert said(intake) == [Storage(4 * RESERVE_OCTETS, False)]


def test_a_folder_that_is_gone_is_not_writable(tmp_path: Path) -> None:
    intake = Intake(SetClock())
    StorageWatch(tmp_path / "gone" / "j", intake, free_of).look()
    assert said(intake) == [Storage(0, False)]
    StorageWatch(tmp_path / "j", intake, free_of).look()
    (storage,) = said(intake)
    assert isinstance(storage, Storage)
    assert storage.free_bytes > 0


def test_a_journal_that_is_taken_away_under_the_daemon_is_not_writable(tmp_path: Path) -> None:
    journal, aside = tmp_path / "j", tmp_path / "aside"
    journal.touch()
    intake = Intake(SetClock())
    watch = StorageWatch(journal, intake, lambda folder: (RESERVE_OCTETS, True))
    watch.look()
    journal.rename(aside)
    watch.look()
    journal.touch()
    watch.look()
    assert said(intake) == [Storage(RESERVE_OCTETS, True), Storage(RESERVE_OCTETS, False)]
    aside.rename(journal)
    watch.look()
    assert said(intake) == [Storage(RESERVE_OCTETS, True)]


def test_a_log_that_is_taken_away_under_the_daemon_is_not_writable(tmp_path: Path) -> None:
    journal, log = tmp_path / "j", tmp_path / "j-wal"
    journal.touch()
    intake = Intake(SetClock())
    watch = StorageWatch(journal, intake, lambda folder: (RESERVE_OCTETS, True))
    watch.look()
    log.touch()
    watch.look()
    log.rename(tmp_path / "aside")
    watch.look()
    log.touch()
    watch.look()
    assert said(intake) == [Storage(RESERVE_OCTETS, True), Storage(RESERVE_OCTETS, False)]

"""The clock: not synchronised, off, without a battery, with an empty one."""

from pathlib import Path

import pytest

from controller.clock import ClockState
from controller.doctor import time_of_day
from tests.controller.doctor.patients import a_patient, of

NOW_MS = 1_800_000_000_000


class Told:
    """A clock that says what a test wants."""

    def __init__(self, state: ClockState) -> None:
        self.state = state

    def wall_ms(self) -> int:
        return NOW_MS

    def mono_ns(self) -> int:
        return 0

    def look(self) -> ClockState:
        return self.state


@pytest.mark.parametrize(
    ("state", "severity"),
    [
        (ClockState(False, None), "warning"),
        (ClockState(True, 100, 20), "ok"),
        (ClockState(True, -101, 20), "warning"),
        (ClockState(True, 500, 20), "warning"),
        (ClockState(True, -501, 20), "wrong"),
    ],
)
async def test_how_far_the_clock_is_off(tmp_path: Path, state: ClockState, severity: str) -> None:
    found = of(await time_of_day.examine(a_patient(tmp_path), Told(state)), "synchronised")
    assert found.severity == severity
    assert bool(found.mend) is (severity != "ok")


@pytest.mark.parametrize(
    ("off_s", "severity"),
    [(None, "warning"), (60, "ok"), (-61, "warning"), (-1_800_000_000, "warning")],
)
async def test_a_battery_that_keeps_the_time(
    tmp_path: Path, off_s: int | None, severity: str
) -> None:
    root = tmp_path / "root"
    if off_s is not None:
        (root / "sys/class/rtc/rtc0").mkdir(parents=True)
        (root / "sys/class/rtc/rtc0/since_epoch").write_text(f"{NOW_MS // 1000 + off_s}\n")
    patient = a_patient(tmp_path, root=root)
    found = of(await time_of_day.examine(patient, Told(ClockState(True, 0, 1))), "battery")
    assert found.severity == severity


async def test_this_machines_own_clock_can_be_asked(tmp_path: Path) -> None:
    assert len(await time_of_day.examine(a_patient(tmp_path))) == 2

"""The clock: synchronised, by how much, and whether it lives through a power cut."""

from __future__ import annotations

from pathlib import Path

from controller.clock import Clock, SystemClock
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from controller.watch import OFFSETS_TOLD_MS

CHECK = "clock"
RTC = Path("sys/class/rtc")
# As the running table tells them: the first warns, the second alarms.
OFFSET_WARN_MS, OFFSET_WRONG_MS = OFFSETS_TOLD_MS
# A clock of a few ppm, unset for months, is still within this.
RTC_OFF_S_MAX = 60


async def examine(patient: Patient, clock: Clock | None = None) -> list[Finding]:
    """The kernel's word, and the battery-backed clock's."""
    one = clock or SystemClock()
    return [_discipline(one), _backed(patient, one)]


def _discipline(clock: Clock) -> Finding:
    state = clock.look()
    if not state.synchronised:
        mend = "name a time server and look at `timedatectl status`, or `chronyc tracking`"
        text = "not synchronised: events say so (`clocksync`), and commands are not held to 30 s"
        return Finding(CHECK, "synchronised", "warning", text, mend)
    offset_ms = abs(state.offset_ms or 0)
    text = f"synchronised, {state.offset_ms} ms to correct, at most {state.error_ms_max} ms wrong"
    if offset_ms > OFFSET_WRONG_MS:
        return Finding(CHECK, "synchronised", "wrong", text, "look at the time server")
    mend = "look at the time server" if offset_ms > OFFSET_WARN_MS else ""
    return Finding(CHECK, "synchronised", "warning" if mend else "ok", text, mend)


def _backed(patient: Patient, clock: Clock) -> Finding:
    for entry in sorted((patient.root / RTC).glob("rtc*")):
        try:
            shows_s = int((entry / "since_epoch").read_text())
        except (OSError, ValueError):
            continue
        off_s = shows_s - clock.wall_ms() // 1000
        if abs(off_s) > RTC_OFF_S_MAX:
            text = f"{entry.name} is {off_s} s off: its battery may be empty"
            return Finding(CHECK, "battery", "warning", text, "new battery, then `hwclock -w`")
        return Finding(CHECK, "battery", "ok", f"{entry.name} keeps the time, {off_s} s off")
    text = "no battery-backed clock: after a power cut the time is wrong until the network is there"
    mend = "fit one (an RTC battery on a Raspberry Pi 5, a DS3231 elsewhere)"
    return Finding(CHECK, "battery", "warning", text, mend)

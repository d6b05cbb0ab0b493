"""All checks in their order: the quick ones first, what asks a person last."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Awaitable, Callable

from controller.doctor import (
    broker,
    disk,
    generator,
    pins,
    ports,
    secret_files,
    software,
    time_of_day,
    unit,
)
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from controller.doctor.presence import daemon_of, health_of, unseen

Check = Callable[[Patient], Awaitable[list[Finding]]]

CHECKS: dict[str, Check] = {
    software.CHECK: software.examine,
    unit.CHECK: unit.examine,
    secret_files.CHECK: secret_files.examine,
    time_of_day.CHECK: time_of_day.examine,
    disk.CHECK: disk.examine,
    generator.CHECK: generator.examine,
    broker.CHECK: broker.examine,
    ports.CHECK: ports.examine,
    pins.CHECK: pins.examine,
}
AS_ROOT = "let root look: sudo tablectl doctor …"


async def examined(patient: Patient, names: tuple[str, ...] = ()) -> AsyncIterator[Finding]:
    """Each finding as it is made; `names` of CHECKS, all where there are none.

    A table that is served is asked for its health first, and its devices are left alone. A check
    that is not let in says so, and the others go on.
    """
    if (why := unseen(patient)) is not None:
        text = f"whether the table is being served now cannot be told: {why}"
        yield Finding("table", "daemon", "warning", text, AS_ROOT)
    daemon = daemon_of(patient)
    if daemon is not None:
        patient = dataclasses.replace(patient, daemon=daemon, health=await health_of(patient))
        said = "" if patient.health is not None else "; its health topic is not to be had"
        yield Finding("table", "daemon", "info", f"is being served by {daemon}{said}")
    for name, check in CHECKS.items():
        if not names or name in names:
            for finding in await _made(name, check, patient):
                yield finding


async def _made(name: str, check: Check, patient: Patient) -> list[Finding]:
    try:
        return await check(patient)
    except OSError as error:
        text = f"not looked at: {error.filename or error}: {error.strerror or 'no answer'}"
        mend = AS_ROOT if isinstance(error, PermissionError) else "look at `dmesg` and the file"
        return [Finding(name, "look", "wrong", text, mend)]

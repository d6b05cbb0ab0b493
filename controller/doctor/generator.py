"""The source of the drawn number: what it is, whether it gives octets, whether it passes."""

from __future__ import annotations

import asyncio

from config.profiles import profile_document
from controller.clock import SystemClock
from controller.core.profile import profile_of
from controller.doctor.finding import Finding
from controller.doctor.patient import Patient
from hal.entropy import HARDWARE, open_source
from hal.supply import OutOfService, Supply

CHECK = "generator"
NS_PER_MS = 1_000_000


async def examine(patient: Patient) -> list[Finding]:
    """Run the start-up tests once, as the table does."""
    settings = patient.settings
    profile = profile_of(profile_document(settings.game.name)[0])
    if profile.start_position is None:
        return [Finding(CHECK, "source", "info", f"{settings.game.name} draws no number")]
    return await asyncio.to_thread(_tested, settings.rng.source)


def _tested(wanted: str) -> list[Finding]:
    supply = Supply(lambda: open_source(wanted))
    clock = SystemClock()
    began_ns = clock.mono_ns()
    try:
        name = supply.start()
    except OutOfService as failed:
        text = f"{wanted}: out of service, failed: {failed.test}"
        mend = 'name a source that is there, or [rng] source = "auto"; ls -l /dev/hwrng'
        return [Finding(CHECK, "source", "wrong", text, mend, failed.test == "source")]
    finally:
        supply.close()
    took_ms = (clock.mono_ns() - began_ns) // NS_PER_MS
    found = [Finding(CHECK, "source", "ok", f"{name}: start-up tests passed in {took_ms} ms")]
    if wanted == "auto" and name == "kernel":
        text = f"{HARDWARE} gives nothing, so the kernel's generator is used"
        mend = "a board has one of its own: look whether its driver is loaded"
        found.append(Finding(CHECK, "source", "info", text, mend))
    return found

"""How the appliance is: clock, storage, journal, outbox, temperature, memory; for `health`."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from controller.clock import Clock
from controller.journal.trouble import JournalTrouble
from controller.messages import Json
from controller.reach import Reach
from controller.watch import free_of

# Thousandths of a degree, as the kernel's thermal zones give them.
THERMAL = Path("/sys/class/thermal")
ZONES_MAX = 8
# A disk that stalls longer (faults T02 saw 7 s) is told as null; the report goes out all the same.
LAG_S_MAX = 10


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the numbers come from. `parts` gives what other rooms count, by their name."""

    clock: Clock
    journal: Path
    ping: Callable[[], Awaitable[None]]
    parts: Callable[[], Mapping[str, Json]]


async def measure(sources: Sources, reach: Reach, journal: str) -> dict[str, Json]:
    """One health report; never raises for a number that cannot be had, which is then null.

    `journal.lag_ms` is how long the journal's thread needed to come round.
    """
    clock = sources.clock
    lag_ms = await _lag_ms(sources)
    state = clock.look()
    try:
        free, writable = free_of(sources.journal.parent)
    except OSError:
        free, writable = 0, False
    temperatures: list[Json] = list(await asyncio.to_thread(_temperatures))
    return {
        "clock": {
            "synchronised": state.synchronised,
            "offset_ms": state.offset_ms,
            "error_ms_max": state.error_ms_max,
        },
        "storage": {"free_bytes": free, "writable": writable},
        "journal": {"lag_ms": lag_ms},
        "outbox": reach.outbox(),
        "delivery": reach.levels(journal),
        "temperatures_mc": temperatures,
        "memory": {"resident_bytes": _resident_octets()},
        **sources.parts(),
    }


async def _lag_ms(sources: Sources) -> int | None:
    before = sources.clock.mono_ns()
    try:
        async with asyncio.timeout(LAG_S_MAX):
            await sources.ping()
    except (TimeoutError, JournalTrouble):
        return None
    return (sources.clock.mono_ns() - before) // 1_000_000


def _temperatures() -> list[int]:
    """Thousandths of a degree Celsius of each zone of the board; none on a machine without."""
    found = []
    for zone in sorted(THERMAL.glob("thermal_zone*"))[:ZONES_MAX]:
        try:
            found.append(int((zone / "temp").read_text()))
        except (OSError, ValueError):
            continue
    return found


def _resident_octets() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")

"""`python -m tests.bench.rooms run …`: the daemon under cProfile; what each room takes of the loop.

The journal's thread is not seen, and a profile makes calls dearer than they are: shares, no times.
At the end the profile goes to the file that BENCH_ROOMS names.
"""

from __future__ import annotations

import cProfile
import os
import pstats
import sys
from collections import defaultdict
from pathlib import Path
from typing import Final, cast

VARIABLE: Final = "BENCH_ROOMS"
ROOT = Path(__file__).parents[2]
# By the beginning of a module's path; the first that fits. What no room fits is the loop itself
# and whatever the standard library does for it.
ROOMS: Final = (
    ("hal/", "read: link, protocol, session (hal)"),
    ("controller/core/codec", "canonical bytes (controller.core.codec)"),
    ("controller/core/levels", "levels (controller.core.levels)"),
    ("controller/journal/record", "seal (controller.journal.record)"),
    ("controller/journal/", "journal, as far as the loop does it (controller.journal)"),
    ("controller/core/", "decide (controller.core, regions, rules, games)"),
    ("controller/regions/", "decide (controller.core, regions, rules, games)"),
    ("controller/rules/", "decide (controller.core, regions, rules, games)"),
    ("controller/games/", "decide (controller.core, regions, rules, games)"),
    ("controller/engine", "engine, intake, actuator, timers"),
    ("controller/intake", "engine, intake, actuator, timers"),
    ("controller/actuator", "engine, intake, actuator, timers"),
    ("controller/timers", "engine, intake, actuator, timers"),
    ("controller/", "publish: outbox, levels, broker line (controller)"),
    ("paho/", "publish: MQTT library"),
    ("aiomqtt/", "publish: MQTT library"),
)
LOOP: Final = "event loop and standard library"
WAITING: Final = ("'poll' of 'select", "epoll")

Function = tuple[str, int, str]
Entry = tuple[int, int, float, float, dict[Function, tuple[int, int, float, float]]]


def shares(file: Path) -> dict[str, float]:
    """Room -> its share of the loop's busy time, largest first; sums up to 1."""
    # The table is public in effect, though typeshed has no word for it.
    table = cast("dict[Function, Entry]", vars(pstats.Stats(str(file)))["stats"])
    spent: defaultdict[str, float] = defaultdict(float)
    for function, (_, _, own, _, callers) in table.items():
        if any(word in function[2] for word in WAITING):
            continue
        room = _room_of(function[0])
        if room is not None:
            spent[room] += own
            continue
        # A built-in or library function counts for the rooms that called it.
        for caller, (_, _, part, _) in callers.items():
            spent[_room_of(caller[0]) or LOOP] += part
    whole = sum(spent.values()) or 1.0
    return {room: part / whole for room, part in sorted(spent.items(), key=lambda one: -one[1])}


def _room_of(path: str) -> str | None:
    for top in (f"{ROOT}/", "site-packages/"):
        _, found, inner = path.partition(top)
        if found and not inner.startswith("."):
            return next((room for start, room in ROOMS if inner.startswith(start)), None)
    return None


def main() -> int:
    """Run the command line, from the moment it is ready under the profiler."""
    from controller.cli import main as tablectl
    from controller.supervisor import Supervisor

    profile = cProfile.Profile()
    kept = Supervisor.ready

    def ready(self: Supervisor, status: str) -> None:
        kept(self, status)
        profile.enable()

    setattr(Supervisor, "ready", ready)  # noqa: B010 - only for this process
    try:
        return tablectl(sys.argv[1:])
    finally:
        profile.disable()
        profile.dump_stats(os.environ[VARIABLE])


if __name__ == "__main__":
    sys.exit(main())

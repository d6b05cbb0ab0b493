"""`python -m tests.bench.stages run …`: the daemon with a stamp at each stop of a frame's way.

A stamp is one append to a list: a few hundred nanoseconds, where a profiler would cost more than
what it measures. At the end the stamps go as JSON lines to the file that BENCH_STAGES names.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import json
import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from sqlite3 import Connection
from statistics import median
from typing import Final

# A stop's name is what was done when it was reached; the order is that of a lone frame.
STOPS: Final = (
    "woken", "decoded", "heard", "taken", "ruled", "levelled", "sealed", "asked", "begun",
    "inserted", "synced", "back", "sent",
)  # fmt: skip
# What the time between two stops is spent on, for the report.
WORDS: Final = {
    "decoded": "read and decode (hal.link, hal.protocols)",
    "heard": "session and intake (hal.session, controller.intake)",
    "taken": "hand over to the engine's task",
    "ruled": "decide (controller.core.table.run)",
    "levelled": "levels (controller.core.levels)",
    "sealed": "seal: canonical bytes and hashes (controller.journal.record)",
    "asked": "tighten, hand over to the commit's task (controller.engine)",
    "begun": "wake the journal's thread",
    "inserted": "insert rows (controller.journal.store)",
    "synced": "commit and sync the disk",
    "back": "wake the loop",
    "sent": "adopt, write to the broker (controller.engine, outbox, mqtt)",
}
STAMPS_MAX: Final = 400_000
VARIABLE: Final = "BENCH_STAGES"

_stamps: deque[tuple[str, int]] = deque(maxlen=STAMPS_MAX)


def _stamp(stop: str) -> None:
    _stamps.append((stop, time.monotonic_ns()))


def _stamped(owner: object, name: str, stop: str, *, before: bool = False) -> None:
    """Let a function leave a stamp when it returns, or when it is entered."""
    kept: Callable[..., object] = getattr(owner, name)

    @functools.wraps(kept)
    def told(*args: object, **kwargs: object) -> object:
        if before:
            _stamp(stop)
            return kept(*args, **kwargs)
        result = kept(*args, **kwargs)
        _stamp(stop)
        return result

    setattr(owner, name, told)


def _lay() -> None:
    """Set the stamps; whoever renames one of these finds a missing attribute here."""
    from controller import engine, intake, mqtt, program
    from controller.journal import schema, store
    from hal import link
    from hal.protocols import tdp1

    _stamped(link.Link, "_readable", "woken", before=True)
    _stamped(tdp1.Decoder, "feed", "decoded")
    _stamped(intake.Intake, "offer", "heard")
    _stamped(engine.Engine, "_decide", "taken", before=True)
    _stamped(program, "run", "ruled")
    _stamped(program, "outputs_of", "levelled")
    _stamped(engine, "seal", "sealed")
    _stamped(store.Store, "commit", "asked", before=True)
    _stamped(store, "insert_turns", "begun", before=True)
    _stamped(store, "insert_cursors", "inserted")
    _stamped(engine.Engine, "_adopt", "back", before=True)
    _stamped(mqtt.Connection, "_flush", "sent")
    kept = schema.transaction

    @contextmanager
    def transaction(connection: Connection, place: str) -> Iterator[None]:
        with kept(connection, place):
            yield
        _stamp("synced")

    setattr(store, "transaction", transaction)  # noqa: B010 - a name that the module imported


def _dump(file: Path) -> None:
    file.write_text("\n".join(json.dumps(stamp) for stamp in _stamps))


def shares(file: Path) -> dict[str, float]:
    """Median microseconds that each stop took after the one before, over the whole frames."""
    stamps = [tuple(json.loads(line)) for line in file.read_text().splitlines()]
    taken: dict[str, list[int]] = {stop: [] for stop in STOPS[1:]}
    for way in _ways(stamps):
        for before, stop in itertools.pairwise(STOPS):
            taken[stop].append(way[stop] - way[before])
    return {stop: median(spans) / 1000 for stop, spans in taken.items() if spans}


def _ways(stamps: Sequence[tuple[str, int]]) -> Iterator[dict[str, int]]:
    """The stamps of each frame that reached the broker without another one in between."""
    way: dict[str, int] = {}
    for stop, at in stamps:
        if stop == STOPS[0]:
            way = {}
        way.setdefault(stop, at)
        if stop == STOPS[-1]:
            times = [way.get(one, -1) for one in STOPS]
            if -1 not in times and times == sorted(times):
                yield way
            way = {}


def main() -> int:
    """Run the command line with stamps laid."""
    _lay()
    atexit.register(_dump, Path(os.environ[VARIABLE]))
    from controller.cli import main as tablectl

    return tablectl(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())

"""The figures as a table for people and as JSON for machines."""

from __future__ import annotations

import dataclasses
import json
import os
import platform
import sqlite3
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.bench.measures import Run
from tests.bench.stages import WORDS


def machine() -> dict[str, str]:
    """Its kind, never its name."""
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "kernel": platform.release().split("-")[0],
        "python": platform.python_version(),
        "sqlite": sqlite3.sqlite_version,
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "load": f"{os.getloadavg()[0]:.2f}",
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return platform.machine()


def show(run: Run) -> None:
    """Print the report."""
    out = sys.stdout.write
    kind = machine()
    out("\n" + ", ".join(f"{name} {value}" for name, value in kind.items()) + "\n")
    out(f"one event: {run.event_octets} octets\n\n")
    out(f"{'figure':<44}{'value':>12} {'unit':<5}{'samples':>8}{'aim':>9}\n")
    for one in run.figures:
        aim = "" if one.aim is None else f"{'ok' if one.value <= one.aim else 'MISS'} {one.aim:g}"
        out(f"{one.name:<44}{one.value:>12.2f} {one.unit:<5}{one.samples:>8}{aim:>9}\n")
    out("\nwhere a lone frame's time goes (medians, microseconds; journal on the disk)\n")
    total = run.stops.get("total", 0.0)
    for stop, words in WORDS.items():
        if stop in run.stops:
            out(f"  {words:<66}{run.stops[stop]:>8.0f}{_share(run.stops[stop], total):>7}\n")
    rest = total - sum(span for stop, span in run.stops.items() if stop != "total")
    out(f"  {'wake at both ends, broker':<66}{rest:>8.0f}{_share(rest, total):>7}\n")
    out(f"  {'in all':<66}{total:>8.0f}\n")
    out("\nwhat each room takes of the loop's busy time in a burst (profiled: shares, no times)\n")
    for room, share in run.rooms.items():
        out(f"  {room:<66}{share * 100:>13.0f} %\n")
    out("\nimports (milliseconds of a module itself, and with what it brought)\n")
    for row in run.modules:
        out(f"  {row.module:<48}{row.own_ms:>8.1f}{row.all_ms:>8.1f}\n")
    if run.strangers:
        out(f"\nnot asked for: {', '.join(sorted(run.strangers))}; judge the figures with care\n")


def _share(part: float, whole: float) -> str:
    return f"{part / whole * 100:.0f} %" if whole else ""


def as_json(run: Run) -> str:
    """The same as a document."""
    document = {
        "machine": machine(),
        "event_octets": run.event_octets,
        "figures": [dataclasses.asdict(one) for one in run.figures],
        "stops_us": run.stops,
        "rooms": run.rooms,
        "imports": [dataclasses.asdict(row) for row in run.modules],
        "strangers": sorted(run.strangers),
    }
    return json.dumps(document, indent=2) + "\n"

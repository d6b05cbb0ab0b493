"""What it costs to import the daemon: `python -X importtime` in words."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

ROOT = Path(__file__).parents[2]
# What `tablectl run` imports before it is ready, for a table with panel, generator and devices.
WHAT: Final = (
    "import controller.cli.run, config.apart, controller.daemon, controller.supervisor, "
    "hal.panel, hal.gpio, hal.generator, hal.entropy, serial, gpiozero"
)
ROWS_MAX: Final = 15


@dataclass(frozen=True, slots=True)
class Row:
    """One module: milliseconds of itself and with all that it brought."""

    module: str
    own_ms: float
    all_ms: float


def costs(home: Path, times: int) -> list[Row]:
    """The dearest packages and, first, the sum; medians of so many runs."""
    runs = [_once(home) for _ in range(times)]
    names = set(runs[0]).intersection(*runs[1:])
    rows = [
        Row(name, *(median(run[name][part] for run in runs) for part in (0, 1))) for name in names
    ]
    total = Row("all", *(median(sum(row[0] for row in run.values()) for run in runs),) * 2)
    return [total, *sorted(rows, key=lambda row: -row.own_ms)[:ROWS_MAX]]


def _once(home: Path) -> dict[str, tuple[float, float]]:
    words = [sys.executable, "-X", "importtime", "-c", WHAT]
    # Mock pins: a board's own library would look for its chip.
    told = subprocess.run(
        words, cwd=ROOT, env={"GPIOZERO_PIN_FACTORY": "mock", "HOME": str(home)},
        capture_output=True, text=True, check=True,
    ).stderr  # fmt: skip
    rows: dict[str, tuple[float, float]] = {}
    for line in told.splitlines():
        parts = line.removeprefix("import time:").split("|")
        if len(parts) == 3 and parts[0].strip().isdigit():
            rows[parts[2].strip()] = int(parts[0]) / 1000, int(parts[1]) / 1000
    return rows

"""`python -m tests.bench.soak`: an hour of play at twenty times real speed; what must stay flat."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final

from tests.bench.process import anonymous_kb, resident_kb
from tests.bench.report import machine

GAMES = ("dj-wild", "fortune-asia-poker", "blackjack", "minibaccarat")
SPEED: Final = 20
# Of a round at that speed, measured: a table plays some sixty an hour, so it is three seconds.
ROUND_S: Final = 3.0
SAMPLE_S: Final = 5.0
# Between two quarters, the first left out: the log is folded and buffers are reused in between.
GROWTH_KB_MAX: Final = 1024
END_S_MAX: Final = 120.0


@dataclass(frozen=True, slots=True)
class Sample:
    """One look at the daemon's process, `at_s` after its first."""

    at_s: float
    resident_kb: int
    anonymous_kb: int
    files: int
    threads: int


@dataclass(frozen=True, slots=True)
class Quarter:
    """Medians of a quarter of a run."""

    resident_kb: float
    anonymous_kb: float
    files: float
    threads: float


def look(pid: int, at_s: float) -> Sample:
    """The daemon now. Raises OSError where it has ended."""
    folder = Path(f"/proc/{pid}")
    return Sample(
        at_s, resident_kb(pid), anonymous_kb(pid),
        _count(folder / "fd"), _count(folder / "task"),
    )  # fmt: skip


def _count(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())


def quarters(samples: Sequence[Sample]) -> tuple[Quarter, ...]:
    """Four of equal length; a run of fewer than four samples has none."""
    size = len(samples) // 4
    parts = [samples[number * size : (number + 1) * size] for number in range(4)] if size else []
    return tuple(map(_middle, parts))


def _middle(part: Sequence[Sample]) -> Quarter:
    return Quarter(
        median(one.resident_kb for one in part), median(one.anonymous_kb for one in part),
        median(one.files for one in part), median(one.threads for one in part),
    )  # fmt: skip


def grown(parts: Sequence[Quarter]) -> str:
    """What grew from the second quarter to the last, or nothing."""
    if len(parts) < 4:
        return "too short to tell"
    before, after = parts[1], parts[3]
    more = after.anonymous_kb - before.anonymous_kb
    found = [f"memory by {more:.0f} kB"] if more > GROWTH_KB_MAX else []
    found += ["file handles"] if after.files > before.files else []
    found += ["threads"] if after.threads > before.threads else []
    return ", ".join(found)


def daemons_below(pid: int) -> Iterator[int]:
    """Processes of `tablectl run` that this process started, itself or through another."""
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in map(int, (task / "children").read_text().split()):
            words = Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
            if b"run" in words and b"--config" in words:
                yield child
            else:
                yield from daemons_below(child)


def play(game: str, rounds: int, speed: int, home: Path) -> tuple[dict[str, object], list[Sample]]:
    """The demo of `docs/demo.md` as a process, and its daemon looked at until it ends.

    Raises RuntimeError where the demo ended without a summary.
    """
    words = (sys.executable, "-m", "controller", "demo", "--game", game, "--rounds", str(rounds),
             "--speed", str(speed), "--keep", str(home / "kept"), "--json")  # fmt: skip
    samples: list[Sample] = []
    with (home / "said").open("wb") as said, (home / "told").open("wb") as told:
        demo = subprocess.Popen(words, stdout=said, stderr=told)
        began_s = time.monotonic()
        try:
            while demo.poll() is None:
                samples += _looked(demo.pid, time.monotonic() - began_s)
                _wait(demo, SAMPLE_S * min(1.0, SPEED / speed))
        finally:
            demo.terminate()
            demo.wait(END_S_MAX)
    lines = (home / "said").read_text().splitlines()
    if not lines:
        raise RuntimeError((home / "told").read_text()[-2000:])
    return json.loads(lines[-1]), samples


def _looked(pid: int, at_s: float) -> list[Sample]:
    try:
        return [look(one, at_s) for one in daemons_below(pid)]
    except OSError:
        return []


def _wait(demo: subprocess.Popen[bytes], seconds: float) -> None:
    try:
        demo.wait(seconds)
    except subprocess.TimeoutExpired:
        return


def told(game: str, summary: dict[str, object], samples: Sequence[Sample]) -> str:
    """The figures as lines."""
    lines = [
        f"{game} at {SPEED} times real speed for {summary['seconds']:.0f} s",
        f"{summary['rounds']} rounds, {summary['events']} events, {summary['refusals']} refused",
        f"{'quarter':<10}{'resident':>12}{'anonymous':>12}{'files':>8}{'threads':>9}",
    ]
    lines += [
        f"{number:<10}{part.resident_kb:>9.0f} kB{part.anonymous_kb:>9.0f} kB"
        f"{part.files:>8.0f}{part.threads:>9.0f}"
        for number, part in enumerate(quarters(samples), 1)
    ]
    found = grown(quarters(samples))
    lines.append(f"{len(samples)} samples: {f'GREW: {found}' if found else 'flat'}")
    checks = summary["checks"]
    assert isinstance(checks, dict)
    lines += [f"{name}: {trouble}" for name, trouble in checks.items() if trouble]
    if summary["as_demanded"]:
        lines.append("journal, seals, replay and the subscriber's chain: good")
    return "\n".join(lines) + "\n"


def main(words: list[str] | None = None) -> int:
    """Play and report; 1 where something grew or the demo's own checks found something."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.soak", description=__doc__,
        epilog="example: python -m tests.bench.soak --minutes 60 --game blackjack",
    )  # fmt: skip
    parser.add_argument("--minutes", type=float, default=60.0, help="about so long; default: 60")
    parser.add_argument("--game", choices=GAMES, default=GAMES[0])
    given = parser.parse_args(words)
    rounds = max(2, round(given.minutes * 60 / ROUND_S))
    with tempfile.TemporaryDirectory(prefix="soak-", dir="/var/tmp") as home:
        summary, samples = play(given.game, rounds, SPEED, Path(home))
    sys.stdout.write(", ".join(f"{name} {value}" for name, value in machine().items()) + "\n")
    sys.stdout.write(told(given.game, summary, samples))
    return 1 if grown(quarters(samples)) or not summary["as_demanded"] else 0


if __name__ == "__main__":
    sys.exit(main())

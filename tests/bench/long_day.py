"""`python -m tests.bench.long_day`: a million lawful inputs through `tablectl replay`, in figures.

The file is a table that is opened once and then plays the same round again and again, as a willing
crew would: every line is accepted. What it costs is inputs a second, and memory that must not grow.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from config.profiles import profile_document
from controller.core.book import Book
from controller.core.codec import arrived_of_line
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.core.stamp import stamp_of
from controller.core.table import new_state, run
from controller.games import book_of
from tests.bench.process import resident_kb
from tests.bench.report import machine
from tests.play import BEGIN_MS
from tests.properties.course import Line, next_lines

# Games whose round ends in the state that it began in; a shoe of many rounds is another matter.
GAMES = ("dj-wild", "fortune-asia-poker")
INPUTS = 1_000_000
# From one input to the next, as in the worked days.
STEP_MS = 2000
# Of the output that is read before memory is looked at again; it is read and thrown away.
SAMPLE_OCTETS = 1 << 22
ROUND_END = "round.completed"
# The first round is played in another state: nobody had sat down before it.
ROUNDS_BEFORE = 2


@dataclass(frozen=True, slots=True)
class Replayed:
    """What one run cost. `resident_kb`: resident memory over the run, in order."""

    inputs: int
    refused: int
    seconds: float
    octets: int
    processor_s: float
    resident_kb: tuple[int, ...]

    @property
    def per_second(self) -> float:
        """Inputs decided, sealed and printed in a second."""
        return self.inputs / self.seconds


def lines_of(game: str, inputs: int) -> Iterator[bytes]:
    """So many lawful inputs as JSON lines, two seconds apart."""
    before, cycle = _played(book_of(DEFAULTS[game], profile_of(profile_document(game)[0])))
    draws = sum(line["type"] == "drawn" for line in before)
    for number in range(inputs):
        at = {"at": stamp_of(BEGIN_MS + number * STEP_MS)}
        past = number - len(before)
        line = dict(before[number] if past < 0 else cycle[past % len(cycle)])
        if past >= 0 and line["type"] == "drawn":
            draws += 1
            line["draw"] = draws
        yield json.dumps(at | line, separators=(",", ":")).encode() + b"\n"


def _played(book: Book) -> tuple[list[Line], list[Line]]:
    """The lines up to the end of a round, and those of the whole round after it."""
    state, said, ends = new_state(book), [], []
    while len(ends) <= ROUNDS_BEFORE:
        for line in next_lines(book, state):
            at_ms = len(said) * STEP_MS
            arrived = arrived_of_line({"at": stamp_of(BEGIN_MS), **line}, 1, at_ms, 0)
            turn = run(book, state, arrived)
            if turn.refusal is None:
                said.append(line)
                state = turn.state
                break
        if any(event.type == ROUND_END for event in turn.events):
            ends.append(len(said))
    return said[: ends[-2]], said[ends[-2] :]


def replayed(game: str, file: Path, inputs: int) -> Replayed:
    """Run `tablectl replay` over a file of so many inputs; its output is read and counted."""
    words = [sys.executable, "-m", "controller", "replay", "--game", game, str(file)]
    refused = octets = 0
    resident: list[int] = []
    began, used = time.monotonic(), _processor_s()
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None, "a pipe was asked for"
        while chunk := process.stdout.read(SAMPLE_OCTETS):
            octets += len(chunk)
            refused += chunk.count(b'\n{"refused"')
            # The reader is at most a pipe behind, so this is the process at work.
            if process.poll() is None and len(chunk) == SAMPLE_OCTETS:
                resident.append(resident_kb(process.pid))
    seconds = time.monotonic() - began
    assert process.returncode == 0, f"replay ended with {process.returncode}"
    return Replayed(inputs, refused, seconds, octets, _processor_s() - used, tuple(resident))


def _processor_s() -> float:
    """Processor time of every process that was started here and has ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def told(game: str, run_: Replayed) -> str:
    """The figures in a line or two; memory at the start, in the middle and at the end, and most."""
    there = run_.resident_kb
    kept = "too short a run to look at memory"
    if there:
        start, middle, end = there[0], there[len(there) // 2], there[-1]
        kept = (
            f"resident {start:,} kB at the start, {middle:,} in the middle, {end:,} at the end, "
            f"{max(there):,} at most"
        )
    return (
        f"{game}: {run_.inputs:,} inputs ({run_.refused} refused) in {run_.seconds:.0f} s: "
        f"{run_.per_second:,.0f} a second, {run_.octets / 1e6:,.0f} MB printed\n"
        f"processor time {run_.processor_s / run_.inputs * 1e6:,.0f} us an input\n{kept}\n"
    )


def main(words: list[str] | None = None) -> int:
    """Make the file and replay it; 1 where a lawful input was refused."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.long_day", description=__doc__,
        epilog="example: python -m tests.bench.long_day --game dj-wild --inputs 1000000",
    )  # fmt: skip
    parser.add_argument("--game", choices=GAMES, default=GAMES[0])
    parser.add_argument("--inputs", type=int, default=INPUTS)
    parser.add_argument("--write", type=Path, metavar="FILE", help="only make the file of inputs")
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="long-day-") as home:
        file: Path = given.write or Path(home) / "day.inputs.jsonl"
        with file.open("wb") as stream:
            stream.writelines(lines_of(given.game, given.inputs))
        if given.write is not None:
            return 0
        cost = replayed(given.game, file, given.inputs)
    sys.stdout.write(", ".join(f"{name} {value}" for name, value in machine().items()) + "\n")
    sys.stdout.write(told(given.game, cost))
    return 1 if cost.refused else 0


if __name__ == "__main__":
    sys.exit(main())

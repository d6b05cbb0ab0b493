"""A month of one table, written as the daemon writes it, and what it costs to judge it.

`python -m tests.bench.month --records 500000 --home /var/tmp`
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import os
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from config.profiles import profile_document, profile_octets
from controller.book_document import book_document, book_of_document
from controller.core.codec import arrived_of_line
from controller.core.inputs import Arrived, Started
from controller.core.stamp import milliseconds_of, stamp_of
from controller.core.state import TableState
from controller.identity import program_digest
from controller.journal.program import Program
from controller.journal.record import seal
from controller.journal.schema import Run
from controller.journal.seal import Sealer
from controller.journal.store import Entry, Snapshot, Store
from controller.program import program_of
from tests.play import Play

GAME = "dj-wild"
DAY = Path(__file__).parents[1] / "scenarios" / "days" / f"{GAME}.inputs.jsonl"
# The lines of the worked day that are one round, from the shuffle to its end.
ROUND = slice(4, 19)
ROUND_MS = 90_000
TURNS_PER_COMMIT = 64
TURNS_PER_SNAPSHOT = 256
EVENTS_PER_CHECKPOINT = 1000
LOOK_EVERY_S = 0.05


@dataclass(frozen=True)
class Cost:
    """What one command took: seconds on the clock and of a core, and the most memory in MB."""

    seconds: float
    core_seconds: float
    memory_mb: float
    said: str


class Month:
    """Writes a journal of at least `records` inputs, effects and events."""

    def __init__(self, path: Path, key: Path) -> None:
        play = Play(GAME)
        body = book_document(play.book.setup, profile_octets(GAME).decode())
        self.run = Run("host", program_digest(), body)
        self.digest = profile_document(GAME)[1]
        self.path = path
        self.sealer = Sealer.from_file(key)
        self.program: Program[TableState] = program_of(book_of_document(body))
        self.state = self.program.first()
        self.entries: list[Entry] = []
        self.signed_at = self.saved_at = 0

    async def write(self, records: int) -> int:
        """How many records were written."""
        self.store = await Store.open(self.path, "T-1", GAME, self.run)
        self.chain = self.store.chain
        lines = [json.loads(line) for line in DAY.read_bytes().splitlines()]
        begin = milliseconds_of(lines[0]["at"])
        started = Started(
            "0.1.0", self.run.program, self.digest, self.store.journal, self.store.previous_end,
            hashlib.sha256(self.run.book).hexdigest(),
        )  # fmt: skip
        await self._take(Arrived(1, begin, 0, 1, True, "system", None, started))
        for line in lines[: ROUND.start]:
            await self._say(line, begin, 0)
        count = 0
        while self.chain.inputs + self.chain.effects + self.chain.sequence < records:
            for line in lines[ROUND]:
                await self._say(line, begin, count)
            count += 1
        await self._commit()
        await self.store.close()
        assert self.state.round.number == count, "every round was played to its end"
        return self.chain.inputs + self.chain.effects + self.chain.sequence

    async def _say(self, line: dict[str, object], begin: int, count: int) -> None:
        at_ms = milliseconds_of(line["at"]) + count * ROUND_MS
        said = {**line, "at": stamp_of(at_ms)}
        if "cycle" in said:
            said["cycle"] = count + 1
        await self._take(arrived_of_line(said, self.chain.inputs + 1, at_ms - begin, 1))

    async def _take(self, arrived: Arrived) -> None:
        turn = self.program.run(self.state, arrived)
        sealed = seal(self.chain, turn.arrived, turn.events, turn.effects)
        self.state, self.chain = turn.state, sealed.chain
        self.entries.append(Entry(sealed))
        if len(self.entries) >= TURNS_PER_COMMIT:
            await self._commit()

    async def _commit(self) -> None:
        snapshot = statement = None
        if self.chain.inputs - self.saved_at >= TURNS_PER_SNAPSHOT:
            self.saved_at = self.chain.inputs
            state = self.state
            snapshot = Snapshot(self.chain, lambda: self.program.dump(state))
        if self.chain.sequence - self.signed_at >= EVENTS_PER_CHECKPOINT:
            self.signed_at = self.chain.sequence
            statement = (self.chain.sequence, self.sealer.checkpoint(self.chain, 0))
        await self.store.commit(self.entries, snapshot, statement)
        self.entries = []


def memory_mb_of(process: int) -> float:
    """The most memory that it had so far, 0 once it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0.0
    told = [line.split()[1] for line in lines if line.startswith("VmHWM:")]
    return int(told[0]) / 1024 if told else 0.0


def cost(*command: str) -> Cost:
    """Run one command to its end. Raises RuntimeError where it found something."""
    with tempfile.TemporaryFile() as out:
        began = time.perf_counter()
        process = os.posix_spawn(
            command[0], command, dict(os.environ),
            file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)],
        )  # fmt: skip
        # What a child inherits counts as its own most memory, so it is asked while it runs.
        most = 0.0
        while (ended := os.wait4(process, os.WNOHANG))[0] == 0:
            most = max(most, memory_mb_of(process))
            time.sleep(LOOK_EVERY_S)
        _, status, used = ended
        seconds = time.perf_counter() - began
        out.seek(0)
        said = out.read().decode()
    if status != 0:
        raise RuntimeError(f"{' '.join(command)}: {said}")
    return Cost(seconds, used.ru_utime + used.ru_stime, most, said)


def measure(home: Path, records: int) -> dict[str, Cost]:
    """Write, then verify, export and replay by the commands that people use."""
    journal, export, key = home / "journal", home / "export.jsonl", home / "key.pub"
    month = Month(journal, home / "key")
    asyncio.run(month.write(records))
    key.write_text(month.sealer.public_key.hex(), encoding="ascii")
    verifier = home / "verify.pyz"
    tablectl = (sys.executable, "-m", "controller")
    cost(*tablectl, "journal", "verifier", "--output", str(verifier))
    return {
        "verify": cost(*tablectl, "journal", "verify", str(journal), "--key", str(key)),
        "one-file verifier": cost(
            sys.executable, "-I", "-S", str(verifier), str(journal), "--key", str(key)
        ),
        "export": cost(*tablectl, "journal", "export", str(journal), "--output", str(export)),
        "verify the export": cost(
            *tablectl, "journal", "verify", str(export), "--key", str(key), "--against",
            str(journal),
        ),
        "export of one round": cost(
            *tablectl, "journal", "export", str(journal), "--round", "3", "--output",
            str(home / "round.jsonl"),
        ),
        "replay": cost(*tablectl, "replay", "--journal", str(journal)),
    }  # fmt: skip


def main(words: list[str] | None = None) -> int:
    """Print a line for each command."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.month", description=__doc__)
    parser.add_argument("--records", type=int, default=500_000)
    parser.add_argument("--home", type=Path, default=Path("/var/tmp"))
    given = parser.parse_args(words)
    with tempfile.TemporaryDirectory(prefix="month-", dir=given.home) as home:
        costs = measure(Path(home), given.records)
        size = (Path(home) / "journal").stat().st_size
        sys.stdout.write(f"{given.records} records, {size / 1e6:.0f} MB\n")
        for name, one in costs.items():
            sys.stdout.write(
                f"{name:<22} {one.seconds:8.1f} s"
                f"  {one.core_seconds:8.1f} s of a core  {one.memory_mb:6.0f} MB\n"
            )
            sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())

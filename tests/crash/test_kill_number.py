"""Killed between press, draw, commit, display and telling: one number a round, none unrecorded."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.source import open_source

ROOT = Path(__file__).parents[2]
LINE_S_MAX = 20.0
# A press takes 30 ms to count, and two commits and the read-back of the digit some 30 ms more.
HIT_WITHIN_S = 0.07
KILLS_A_ROUND = 3
LINES_MAX = 10_000


class Nursery:
    """The forking process, and what the daemons of one round have said so far."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.number_nursery"],
            cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        self._lines: queue.Queue[list[str]] = queue.Queue(LINES_MAX)
        threading.Thread(target=self._read, daemon=True).start()
        self.pid = 0
        self.shown: set[int] = set()
        self.told: dict[int, str] = {}

    def begin(self) -> None:
        """A new round: nothing was said of it."""
        self.shown, self.told = set(), {}

    def start(self, home: Path) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{home}\n".encode())
        self._process.stdin.flush()
        self.until("pid")

    def until(self, word: str) -> list[str]:
        """Take note of all that is said up to `word`."""
        while True:
            words = self._lines.get(timeout=LINE_S_MAX)
            if words[0] == "pid":
                self.pid = int(words[1])
            elif words[0] in ("shown", "lit"):
                self.shown.add(int(words[1]))
            elif words[0] == "told":
                self.told[int(words[1])] = words[2]
            if words[0] == word:
                return words

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        self.until("dead")

    def close(self) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(ProcessLookupError):
            if self.pid:
                os.kill(self.pid, signal.SIGKILL)
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout is not None
        self._process.stdout.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode().split())


@contextlib.contextmanager
def nursery() -> Iterator[Nursery]:
    one = Nursery()
    try:
        yield one
    finally:
        one.close()


def recorded(journal: Path) -> tuple[list[int], dict[int, str], str]:
    """Numbers of the round, hashes of all events, and how far the round has come."""
    with open_source(journal) as source:
        assert source.connection is not None
        rows = source.connection.execute("SELECT sequence, hash, type, body FROM events")
        events = [
            (sequence, digest, kind, json.loads(body)) for sequence, digest, kind, body in rows
        ]
        inputs = source.connection.execute("SELECT body FROM inputs ORDER BY n").fetchall()
    numbers = [body["data"]["raw"] for _, _, kind, body in events if kind == "startpos.determined"]
    kinds = {json.loads(body)["type"] for (body,) in inputs}
    stage = next((kind for kind in ("shown", "drawn", "button") if kind in kinds), "nothing")
    return numbers, {sequence: digest for sequence, digest, _, _ in events}, stage


def check(one: Nursery, journal: Path) -> str:
    """With the daemon dead: what was shown or told is on record. Gives the stage it died in."""
    numbers, hashes, stage = recorded(journal)
    assert len(numbers) <= 1, f"two numbers for one round: {numbers}"
    assert one.shown <= set(numbers), f"shown {one.shown}, on record {numbers}"
    for sequence, digest in one.told.items():
        assert hashes.get(sequence) == digest, f"event {sequence} was told and is gone"
    return stage


def kill_often(kills: int, seed: int, home: Path) -> Counter[str]:
    """Rounds with up to three kills, then an undisturbed end; where the kills fell."""
    chance, stages = random.Random(seed), Counter[str]()
    with nursery() as one:
        while stages.total() < kills:
            table = home / str(stages.total())
            table.mkdir()
            one.begin()
            for attempt in range(min(KILLS_A_ROUND, kills - stages.total())):
                one.start(table)
                one.until("up" if attempt else "press")
                # Real time is the subject here: the process is hit wherever it stands.
                time.sleep(chance.uniform(0, HIT_WITHIN_S))
                one.kill()
                stage = check(one, table / "journal.sqlite")
                stages[stage] += 1
                if stage == "shown":
                    # What is left of this round is the same number again.
                    break
            end_in_peace(one, table)
    return stages


def end_in_peace(one: Nursery, table: Path) -> None:
    """The round's one number stands at last, and is the one on record."""
    one.start(table)
    one.until("lit")
    one.kill()
    check(one, table / "journal.sqlite")
    numbers, _, _ = recorded(table / "journal.sqlite")
    assert one.shown == set(numbers)
    assert len(numbers) == 1


def test_a_few_kills_between_press_and_digit(tmp_path: Path) -> None:
    assert kill_often(6, 1, tmp_path).total() == 6


@pytest.mark.heavy
def test_a_thousand_kills_between_press_and_digit(tmp_path: Path) -> None:
    stages = kill_often(1_000, 2, tmp_path)
    sys.stderr.write(f"kills by the last input on record: {dict(stages)}\n")
    # Every stage was hit, or the kills prove nothing.
    assert min(stages[stage] for stage in ("nothing", "button", "drawn", "shown")) >= 10

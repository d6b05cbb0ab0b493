"""Killed at any moment, the engine keeps every promise and comes back to the state it was in."""

from __future__ import annotations

import dataclasses
import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.core.state import TableState
from controller.journal.replay import compare, restore
from controller.journal.source import open_source
from controller.journal.store import Store
from controller.journal.verify import verify
from tests.crash.loaded_table import STEPS, TABLE, real_program

# Kills in a row at one journal: it grows by a thousand inputs a kill, and each is read after it.
KILLS_IN_A_ROW = 50


@pytest.mark.parametrize(
    ("tables", "kills"), [(1, 4), pytest.param(40, KILLS_IN_A_ROW, marks=pytest.mark.heavy)]
)
async def test_a_killed_table_keeps_what_it_promised(
    tmp_path: Path, tables: int, kills: int
) -> None:
    """4 kills by default; 2,000 under heavy."""
    chance = random.Random(tables * kills)
    for table in range(tables):
        path, first = tmp_path / f"j{table}", 1
        for _ in range(kills):
            promised = run_and_kill(path, first, chance)
            first = next_after_promises(path, promised)
        assert first > kills
        assert verify(path).problem is None
        await check_state(path)


# Each step once by default; 200 kills in all, each later in its run than the one before.
@pytest.mark.parametrize("tables", [1, pytest.param(20, marks=pytest.mark.heavy)])
async def test_a_table_that_dies_between_two_steps_of_a_turn_keeps_what_it_promised(
    tmp_path: Path, tables: int
) -> None:
    for table in range(tables):
        path, first = tmp_path / f"j{table}", 1
        for step in STEPS:
            promised = run_until_it_dies(path, first, step, 3 * (table + 1))
            first = next_after_promises(path, promised)
            assert verify(path).problem is None, step
        await check_state(path)


def next_after_promises(path: Path, promised: list[int]) -> int:
    """Each promise is kept, in order and once; what was not promised may be there or not."""
    kept = numbers_in(path)
    assert kept == sorted(set(kept))
    assert set(promised) <= set(kept)
    return max(kept, default=0) + 1


def run_until_it_dies(path: Path, first: int, step: str, count: int) -> list[int]:
    command = (sys.executable, "-m", "tests.crash.loaded_table", str(path), str(first), step,
               str(count))  # fmt: skip
    ended = subprocess.run(command, stdout=subprocess.PIPE, timeout=120, check=False)
    assert ended.returncode == -signal.SIGKILL, step
    return [int(line) for line in ended.stdout.splitlines(keepends=True) if line.endswith(b"\n")]


def run_and_kill(path: Path, first: int, chance: random.Random) -> list[int]:
    """Let it promise something, then kill it with its promises in the pipe."""
    command = (sys.executable, "-m", "tests.crash.loaded_table", str(path), str(first))
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        promised = []
        for _ in range(chance.choice((1, 2, 7, 40, 150))):
            line = process.stdout.readline()
            assert line, "it ended by itself"
            promised.append(int(line))
        process.kill()
        promised += [int(line) for line in process.stdout if line.endswith(b"\n")]
    return promised


def numbers_in(path: Path) -> list[int]:
    with open_source(path) as source:
        inputs = [json.loads(turn.body) for turn in source.turns()]
    return [said["octets"] for said in inputs if said["type"] == "noise"]


async def check_state(path: Path) -> None:
    """Snapshot and suffix lead to the state that the whole journal leads to."""
    program = real_program()
    with open_source(path) as source:
        assert compare(source.turns(), source.journal, source.table_id, program) is None
    store = await Store.open(path, TABLE)
    short = await restore(store, program)

    def unreadable(body: bytes) -> TableState:
        raise ValueError("no snapshot is to be used")

    whole = await restore(store, dataclasses.replace(program, load=unreadable))
    assert short.replayed < whole.replayed
    assert (short.state, short.chain) == (whole.state, whole.chain)
    await store.close()

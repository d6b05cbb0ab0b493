"""A medium that forgets what was not synced loses nothing that was acknowledged."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from controller.journal.replay import restore
from controller.journal.store import Store
from controller.journal.verify import verify
from tests.controller.small_table import small_program

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

pytestmark = pytest.mark.skipif(
    shutil.which("gcc") is None or sys.platform != "linux",
    reason="the medium is imitated by a library that is preloaded, which gcc makes on Linux",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("library") / "forgetful.so"
    command = ["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", str(made),
               str(HERE / "forgetful.c"), "-ldl"]  # fmt: skip
    subprocess.run(command, check=True)
    return made


def cut_power(library: Path, home: Path, acknowledged: int) -> int:
    """Kill the writer once it said `acknowledged`, wherever it then is; what it said last."""
    live, kept = home / "live", home / "kept"
    for folder in (live, kept):
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
    environment = {
        **os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": str(ROOT),
        "FORGETFUL_FROM": str(live.resolve()), "FORGETFUL_TO": str(kept),
    }  # fmt: skip
    command = [sys.executable, str(HERE / "forgetful_nursery.py"), str(live / "j")]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    guard = threading.Timer(60, process.kill)
    guard.start()
    last = 0
    for line in process.stdout:
        last = int(line)
        if last >= acknowledged:
            process.send_signal(signal.SIGKILL)
            break
    # What it had said before the signal came.
    for line in process.stdout.read().split():
        last = int(line)
    process.stdout.close()
    process.wait()
    guard.cancel()
    assert last >= acknowledged
    return last


async def cut_and_look(library: Path, home: Path, acknowledged: int) -> int:
    last = cut_power(library, home, acknowledged)
    journal = home / "kept" / "j"
    report = verify(journal)
    assert report.problem is None
    assert report.inputs >= last, "what was acknowledged is gone"
    store = await Store.open(journal, "T-1")
    restored = await restore(store, small_program())
    assert restored.chain.inputs == report.inputs
    await store.close()
    return report.inputs


async def test_what_was_acknowledged_outlives_a_power_cut(library: Path, tmp_path: Path) -> None:
    # Before, about and after the folds of the log into the file.
    for acknowledged in (40, 600, 2000):
        assert await cut_and_look(library, tmp_path, acknowledged) >= acknowledged


@pytest.mark.heavy
async def test_what_was_acknowledged_outlives_many_power_cuts(
    library: Path, tmp_path: Path
) -> None:
    chance = random.Random(7)
    for _ in range(100):
        await cut_and_look(library, tmp_path, chance.randrange(40, 6000))

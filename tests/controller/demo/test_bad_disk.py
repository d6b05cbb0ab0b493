"""The demo's disk: slow and full on request, and a plain disk without one."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest

from controller.demo.bad_disk import FULL, LEFT_OCTETS, SLOW, BadDisk
from controller.watch import RESERVE_OCTETS

LOOK = """
import json, os, sqlite3, sys, threading
from pathlib import Path
from controller.demo.bad_disk import install
home = Path(sys.argv[1])
install(home)
said = os.statvfs(home)
connection = sqlite3.connect(home / "some.sqlite", isolation_level=None)
done = threading.Event()
if (home / "slow").exists():
    threading.Timer(0.2, lambda: (done.set(), (home / "slow").unlink())).start()
connection.execute("BEGIN")
connection.execute("CREATE TABLE one (n)")
connection.execute("COMMIT")
print(json.dumps([said.f_bavail * said.f_frsize, done.is_set()]))
"""


async def look(home: Path) -> tuple[int, bool]:
    """Free octets as a process with such a disk is told, and whether its commit had to wait."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", LOOK, str(home)), stdout=asyncio.subprocess.PIPE
    )
    out, _ = await asyncio.wait_for(process.communicate(), 30)
    free, waited = json.loads(out)
    return free, waited


async def test_without_a_switch_it_is_the_disk_that_is_there(tmp_path: Path) -> None:
    free, waited = await look(tmp_path)
    assert free > LEFT_OCTETS
    assert not waited


async def test_a_full_disk_has_less_room_than_the_reserve(tmp_path: Path) -> None:
    disk = BadDisk(tmp_path)
    disk.fill(True)
    free, _ = await look(tmp_path)
    assert 0 < free <= LEFT_OCTETS < RESERVE_OCTETS
    disk.fill(False)
    assert not (tmp_path / FULL).exists()


async def test_a_commit_waits_for_a_slow_disk(tmp_path: Path) -> None:
    disk = BadDisk(tmp_path)
    disk.make_slow(True)
    _, waited = await look(tmp_path)
    assert waited


@pytest.mark.parametrize("name", [SLOW, FULL])
def test_a_switch_can_be_turned_back_twice(name: str, tmp_path: Path) -> None:
    disk = BadDisk(tmp_path)
    disk.make_slow(False)
    disk.fill(False)
    assert not (tmp_path / name).exists()

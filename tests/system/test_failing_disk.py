"""No record, no deal: full, read-only, failing, stalled, gone, foreign, damaged, to the end.

Faults T02 and T04; issue texts on storage. The disk is the real one behind a C library that fails
on demand, or a small file system where mounts are allowed.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.verify import verify
from controller.watch import RESERVE_OCTETS
from tests.system.failing_disk import Table, inputs_of, table

STOP_S_MAX = 5.0
HEAVY = pytest.mark.heavy


async def is_up(one: Table) -> None:
    await one.process.start()
    await one.until(lambda: one.view.state is not None and one.code() == "")


def faults_in(journal: Path) -> list[object]:
    return [said["code"] for said in inputs_of(journal) if said["type"] == "fault"]


@pytest.mark.parametrize(
    ("order", "code"),
    [("full", "full"), pytest.param("readonly", "gone", marks=HEAVY),
     pytest.param("sync", "gone", marks=HEAVY)],
)  # fmt: skip
async def test_a_disk_that_refuses_holds_the_table_until_it_writes_and_a_person_looks(
    tmp_path: Path, order: str, code: str
) -> None:
    async with table(tmp_path) as one:
        await is_up(one)
        one.fault(1)
        one.disk(order)
        one.fault(2)
        await one.until(lambda: one.code() == code)
        assert one.view.state is not None
        assert one.view.state.prompt.step == "record"
        assert one.process.process is not None
        assert one.process.process.returncode is None
        one.fault(3)
        one.disk("none")
        await one.until(lambda: one.code() == "" and "storage" in one.holds())
        assert await one.resume()
        assert one.holds() == []
        assert (await one.process.end())[0] == 0
    assert verify(one.stage.journal).problem is None
    assert [said["code"] for said in inputs_of(one.stage.journal) if said["type"] == "unrecorded"]
    assert faults_in(one.stage.journal) == ["F1", "F2", "F3"], "nothing is lost, nothing twice"


async def test_a_disk_that_refuses_does_not_hold_the_end(tmp_path: Path) -> None:
    async with table(tmp_path) as one:
        await is_up(one)
        one.disk("full")
        one.fault(1)
        await one.until(lambda: one.code() == "full")
        code, took_s = await one.process.end()
        # It is not on record that it ended, and the exit code says so.
        assert (code, took_s < STOP_S_MAX) == (1, True)
        one.disk("none")
        one.process.words.clear()
        await is_up(one)
        assert (await one.process.end())[0] == 0
    assert [s["previous_end"] for s in inputs_of(one.stage.journal) if s["type"] == "started"] == [
        "first", "crash",
    ]  # fmt: skip


@HEAVY
async def test_a_disk_that_stalls_is_told_of_and_play_goes_on_when_it_is_back(
    tmp_path: Path,
) -> None:
    async with table(tmp_path) as one:
        await is_up(one)
        one.disk("stall")
        one.fault(1)
        await one.until(lambda: one.code() == "slow")
        one.disk("none")
        await one.until(lambda: one.code() == "")
        assert one.holds() == []
        assert (await one.process.end())[0] == 0
    slow = [said for said in inputs_of(one.stage.journal) if said["type"] == "unrecorded"]
    assert [said["code"] for said in slow] == ["slow"]
    assert verify(one.stage.journal).problem is None


def foreign(journal: Path) -> None:
    connection = sqlite3.connect(journal)
    connection.execute("CREATE TABLE notes (text TEXT)")
    connection.close()


def damaged(journal: Path) -> None:
    journal.write_bytes(b"SQLite format 3\x00" + bytes(range(256)) * 64)


def missing(journal: Path) -> None:
    """A path that leads through a file."""
    journal.parent.write_bytes(b"")


@pytest.mark.parametrize(
    ("trouble", "code"),
    [(foreign, "foreign"), pytest.param(damaged, "corrupt", marks=HEAVY),
     pytest.param(missing, "gone", marks=HEAVY)],
)  # fmt: skip
async def test_a_record_that_cannot_be_begun_is_stood_by_until_a_person_mends_it(
    tmp_path: Path, trouble: object, code: str
) -> None:
    async with table(tmp_path, shim=False) as one:
        journal = one.stage.journal
        if trouble is missing:
            journal = tmp_path / "folder" / "journal.sqlite"
            text = one.stage.config.read_text()
            one.stage.config.write_text(text.replace(str(one.stage.journal), str(journal)))
        assert callable(trouble)
        trouble(journal)
        await one.process.start()
        await one.until(lambda: one.code() == code)
        assert not await one.resume(), "nothing can be recorded, so nothing is decided"
        if trouble is missing:
            journal.parent.unlink()
        else:
            journal.rename(journal.with_suffix(".kept"))
        await one.until(lambda: "storage" in one.holds())
        assert one.code() == ""
        assert await one.resume()
        assert (await one.process.end())[0] == 0
    said = inputs_of(journal)
    assert [one["type"] for one in said][:3] == ["started", "checkpoint", "unrecorded"]
    assert "forged" not in [one.get("cause") for one in said], "it took its own will for another's"


async def test_standing_by_ends_on_the_signal(tmp_path: Path) -> None:
    async with table(tmp_path, shim=False) as one:
        foreign(one.stage.journal)
        await one.process.start()
        code, took_s = await one.process.end()
    assert (code, took_s < STOP_S_MAX) == (1, True)


@HEAVY
async def test_a_record_that_somebody_removed_holds_the_table(tmp_path: Path) -> None:
    async with table(tmp_path, shim=False) as one:
        await is_up(one)
        one.stage.journal.unlink()
        await one.until(lambda: "storage" in one.holds())
        assert not await one.resume(), "what is recorded now is lost with the process"


@contextlib.contextmanager
def small_disk(folder: Path, octets: int) -> Iterator[None]:
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={octets}", "tmpfs", str(folder)],
        check=False, capture_output=True,
    )  # fmt: skip
    if mounted.returncode != 0:
        pytest.skip(f"mounts are not allowed here: {mounted.stderr.decode().strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


async def test_a_real_disk_that_fills_up_stops_the_table_while_there_is_still_room(
    tmp_path: Path,
) -> None:
    room = 4 * 1024 * 1024
    disk = tmp_path / "disk"
    with small_disk(disk, RESERVE_OCTETS + room):
        async with table(tmp_path, shim=False) as one:
            text = one.stage.config.read_text()
            journal = disk / "journal.sqlite"
            one.stage.config.write_text(text.replace(str(one.stage.journal), str(journal)))
            await is_up(one)
            assert one.holds() == []
            filler = disk / "filler"
            filler.write_bytes(bytes(room))
            await one.until(lambda: "storage" in one.holds())
            with contextlib.suppress(OSError), filler.open("ab", buffering=0) as file:
                while file.write(bytes(4096)):
                    pass
            # What still fits into the pages that the log has already is recorded; then no more is.
            numbers = iter(range(1, 400))

            def refused() -> bool:
                one.fault(next(numbers))
                return one.code() == "full"

            await one.until(refused)
            filler.unlink()
            await one.until(lambda: one.code() == "")
            await one.until(lambda: "storage" in one.holds())
            # The reserve is there again as soon as somebody looks.
            async with asyncio.timeout(30):
                while not await one.resume():
                    await asyncio.sleep(0.2)
            assert (await one.process.end())[0] == 0
        assert verify(journal).problem is None

"""A journal in use is followed look by look, and whoever writes it does not notice."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from controller.journal.live import Live
from controller.journal.schema import PAGE_OCTETS, WAL_PAGES_MAX
from controller.journal.source import NoJournal
from controller.journal.store import Store
from tests.controller.journal.writing import MIX, Writer, write_journal

# Looks from a process of its own, as `tail` does: POSIX locks are of the process.
LOOKER = """
import pathlib, sys
from controller.journal.live import Live

with Live(pathlib.Path(sys.argv[1])) as live:
    for line in sys.stdin:
        with live.look() as source:
            counted = source.connection.execute("SELECT count(*), max(n) FROM inputs")
            count, last = counted.fetchone()
        assert count == last
        sys.stdout.write(f"{count} {live.whole_copies}\\n")
        sys.stdout.flush()
"""


class Looker:
    """Asks the other process what it sees."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def of(cls, path: Path) -> Looker:
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                sys.executable, "-c", LOOKER, str(path), stdin=pipe, stdout=pipe
            )
        )

    async def look(self) -> tuple[int, int]:
        """Turns that are seen, and how often the whole file was copied for it so far."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(b"\n")
        line = await asyncio.wait_for(self._process.stdout.readline(), 30)
        turns, copies = line.split()
        return int(turns), int(copies)

    async def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        await self._process.wait()


async def test_each_look_sees_all_that_is_committed_and_copies_the_file_once(
    tmp_path: Path,
) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    looker = await Looker.of(tmp_path / "j")
    for count in range(1, 8):
        await store.commit([writer.entry(*MIX[count % len(MIX)])])
        assert await looker.look() == (count, 1)
    await store.close()
    assert await looker.look() == (7, 1)
    await looker.end()


async def test_a_log_that_was_begun_anew_makes_a_new_copy(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    looker = await Looker.of(tmp_path / "j")
    log, count, copies = tmp_path / "j-wal", 0, 1
    while copies < 2:
        entries = [writer.entry(*MIX[i % len(MIX)]) for i in range(1500)]
        await store.commit(entries)
        count += len(entries)
        seen, copies = await looker.look()
        assert seen == count
        assert count < 100_000, "the log is begun anew some time"
    assert log.stat().st_size < 2 * WAL_PAGES_MAX * PAGE_OCTETS
    await looker.end()
    await store.close()


def test_a_closed_journal_is_looked_at_where_it_lies(tmp_path: Path) -> None:
    asyncio.run(write_journal(tmp_path / "j"))
    with Live(tmp_path / "j") as live:
        with live.look() as source:
            assert len(list(source.turns())) == len(MIX)
        assert live.whole_copies == 0
        (tmp_path / "j").unlink()
        with pytest.raises(NoJournal), live.look():
            pass

"""Reading a journal neither waits for the controller nor makes it wait."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.journal.source import NoJournal, open_source
from controller.journal.store import Store
from controller.journal.verify import verify
from tests.controller.journal.writing import MIX, Writer, write_journal


async def test_a_journal_in_use_is_read_while_it_is_written(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    for count in range(1, 60):
        await store.commit([writer.entry(*MIX[count % len(MIX)])])
        if count % 10 == 0:
            # POSIX locks are of the process: the reader is one of its own, as it always is.
            assert await elsewhere(tmp_path / "j") == count
    await store.commit([writer.entry(*MIX[0])])
    await store.close()


async def elsewhere(path: Path) -> int:
    import asyncio
    import sys

    program = (
        "import sys, pathlib; from controller.journal.verify import verify;"
        "report = verify(pathlib.Path(sys.argv[1])); print(report.inputs, report.problem)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, str(path), stdout=asyncio.subprocess.PIPE
    )
    said, _ = await process.communicate()
    inputs, problem = said.decode().split(maxsplit=1)
    assert problem.strip() == "None"
    return int(inputs)


async def test_a_journal_in_use_is_read_whole_through_a_link_as_well(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "data" / "j")
    store = await Store.open(tmp_path / "data" / "j", "T-1")
    writer = Writer(store.chain)
    await store.commit([writer.entry(*MIX[0])])
    # What was committed is in the log alone, which lies beside the file and not beside the link.
    assert await elsewhere(tmp_path / "link") == 1
    await store.close()


async def test_a_closed_journal_is_read_without_leaving_a_trace(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j")
    before = (tmp_path / "j").stat()
    assert verify(tmp_path / "j").inputs == len(MIX)
    after = (tmp_path / "j").stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    assert [file.name for file in tmp_path.iterdir()] == ["j"]


async def test_a_file_that_changes_under_the_reader_is_noticed(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j")
    with open_source(tmp_path / "j") as source:
        assert not source.changed()
        with (tmp_path / "j").open("ab") as file:
            file.write(b"x")
        assert source.changed()


@pytest.mark.parametrize(
    "content", [b"", b"\n", b"{}\n", b'{"journal":7}\n', b"SQLite format 3\x00 and no more"]
)
def test_what_is_no_journal_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "j").write_bytes(content)
    with pytest.raises(NoJournal), open_source(tmp_path / "j"):
        pass


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(NoJournal, match="No such file"), open_source(tmp_path / "j"):
        pass

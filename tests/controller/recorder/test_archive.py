"""The room's database, on SQLite and on a real PostgreSQL: the same answers from both."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from controller.recorder.archive import (
    Archive,
    ArchiveTrouble,
    Batch,
    Check,
    Database,
    ForeignArchive,
)
from controller.recorder.findings import Finding
from controller.recorder.follower import Follower
from controller.recorder.keys import Key
from controller.recorder.sqlite_database import SqliteDatabase
from tests.controller.recorder.chains import records
from tests.controller.recorder.postgres import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # A socket's path has at most 107 octets: pytest's own directories are too deep.
    with tempfile.TemporaryDirectory(prefix="pg") as home:
        one = Server(Path(home) / "server")
        one.start()
        yield one
        one.stop()


@pytest.fixture(params=["sqlite", "postgresql"])
def connect(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], Database]:
    if request.param == "sqlite":
        return lambda: SqliteDatabase(tmp_path / "room.sqlite")
    server: Server = request.getfixturevalue("server")
    from controller.recorder.postgres_database import PostgresDatabase

    database = PostgresDatabase(server.url)
    name = f"s{os.urandom(4).hex()}"
    database.write(f"CREATE SCHEMA {name}", [()])
    database.close()
    return lambda: PostgresDatabase(f"{server.url}&options=-csearch_path%3D{name}")


@contextlib.asynccontextmanager
async def opened(connect: Callable[[], Database]) -> AsyncIterator[Archive]:
    one = Archive(connect)
    try:
        yield one
    finally:
        await one.close()


def batch_of(*sequences: int) -> tuple[Batch, Follower]:
    follower, batch, chain = Follower("j", "T1"), Batch(received_ms=5), records(max(sequences))
    for sequence in sequences:
        follower.take(chain[sequence - 1])
        follower.advance()
        batch.records.append(chain[sequence - 1])
    batch.heads["j"] = follower.head()
    return batch, follower


async def test_what_was_committed_is_there_in_the_next_life(
    connect: Callable[[], Database],
) -> None:
    batch, _ = batch_of(1, 2, 3, 6, 7)
    batch.keys.append(Key("T1", "k", "00", "pinned"))
    batch.findings += [
        Finding(1, "t", "T1", "j", "gap", 4, "x", 3),
        Finding(2, "t", "T1", "", "silence", 0, "x", 1, "t"),
    ]
    async with opened(connect) as one:
        assert (await one.load()).followers == []
        assert await one.commit(batch) == []
    async with opened(connect) as one:
        loaded = await one.load()
    (follower,) = loaded.followers
    assert (follower.reached, sorted(follower.ahead), follower.newest) == (3, [6, 7], 7)
    assert follower.gap() == (4, 5)
    assert (loaded.keys, loaded.last_finding) == (batch.keys, 2)
    assert loaded.findings == batch.findings[:1]


async def test_a_batch_may_be_committed_again(connect: Callable[[], Database]) -> None:
    batch, _ = batch_of(1, 2)
    batch.holes.append(("j", 4, 5))
    async with opened(connect) as one:
        await one.load()
        assert await one.commit(batch) == []
        assert await one.commit(batch) == []


async def test_the_held_hash_is_compared_and_never_overwritten(
    connect: Callable[[], Database],
) -> None:
    batch, follower = batch_of(1, 2)
    forged = records(2, prevhash="f" * 64)[1]
    async with opened(connect) as one:
        await one.load()
        await one.commit(batch)
        right = Check("j", 2, follower.hash)
        wrong = Check("j", 2, forged.hash, forged)
        unknown = Check("j", 9, forged.hash)
        assert await one.commit(Batch(checks=[right, wrong, unknown])) == [wrong]
    database = connect()
    assert database.rows("SELECT sequence, hash FROM events ORDER BY sequence")[1] == (
        2,
        follower.hash,
    )
    assert database.rows("SELECT sequence, hash FROM disputed") == [(2, forged.hash)]
    database.close()


async def test_evidence_of_a_dispute_is_bounded(
    connect: Callable[[], Database], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.recorder.archive.DISPUTED_RECORDS_MAX", 3)
    batch, _ = batch_of(1)
    batch.beside = records(5, prevhash="f" * 64)
    async with opened(connect) as one:
        await one.load()
        await one.commit(batch)
    database = connect()
    assert database.rows("SELECT count(*) FROM disputed") == [(3,)]
    database.close()


async def test_a_trouble_leaves_nothing_half_and_the_next_try_opens_anew(
    connect: Callable[[], Database],
) -> None:
    batch, _ = batch_of(1, 2)
    opened_times: list[Database] = []

    def connected() -> Database:
        opened_times.append(connect())
        return opened_times[-1]

    async with opened(connected) as one:
        await one.load()
        await one._do(lambda database: database.close())
        with pytest.raises(ArchiveTrouble):
            await one.commit(batch)
        assert await one.commit(batch) == []
    assert len(opened_times) == 2


async def test_a_foreign_file_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE x (y)")
    before = path.read_bytes()
    async with opened(lambda: SqliteDatabase(path)) as one:
        with pytest.raises(ForeignArchive):
            await one.load()
    assert path.read_bytes() == before


@pytest.mark.parametrize("name", ["nowhere/room.sqlite", "text"])
async def test_a_file_that_cannot_be_one_is_told_in_words(tmp_path: Path, name: str) -> None:
    (tmp_path / "text").write_text("no database at all " * 100)
    async with opened(lambda: SqliteDatabase(tmp_path / name)) as one:
        with pytest.raises(ArchiveTrouble, match=name):
            await one.load()


def test_the_file_is_its_owners_alone(tmp_path: Path) -> None:
    SqliteDatabase(tmp_path / "room.sqlite").close()
    assert (tmp_path / "room.sqlite").stat().st_mode & 0o777 == 0o600


async def test_a_newer_version_is_not_touched(connect: Callable[[], Database]) -> None:
    async with opened(connect) as one:
        await one.load()
    database = connect()
    database.write("UPDATE meta SET value = ? WHERE key = 'version'", [("2",)])
    database.close()
    async with opened(connect) as one:
        with pytest.raises(ForeignArchive, match="version 2"):
            await one.load()


def test_only_one_recorder_writes_to_a_server(server: Server) -> None:
    from controller.recorder.postgres_database import PostgresDatabase

    first = PostgresDatabase(server.url)
    with pytest.raises(ArchiveTrouble, match="another recorder"):
        PostgresDatabase(server.url)
    first.close()
    PostgresDatabase(server.url).close()


def test_a_server_that_is_away_is_told_without_the_password(server: Server) -> None:
    from controller.recorder.postgres_database import PostgresDatabase

    with pytest.raises(ArchiveTrouble) as caught:
        PostgresDatabase("postgresql://room:canary@127.0.0.1:1/postgres")
    assert "canary" not in str(caught.value)


async def test_a_copy_that_was_removed_under_its_recorder_takes_nothing_more(
    tmp_path: Path,
) -> None:
    path = tmp_path / "room.sqlite"
    async with opened(lambda: SqliteDatabase(path)) as one:
        await one.load()
        await one.commit(batch_of(1)[0])
        path.unlink()
        with pytest.raises(ArchiveTrouble, match="removed or replaced"):
            await one.commit(batch_of(1, 2)[0])
        # Opened anew it lacks what tables were told that it holds: a new life has to ask for it.
        with pytest.raises(ForeignArchive, match="held journal j up to event 1"):
            await one.commit(batch_of(1, 2)[0])


async def test_a_copy_that_was_put_back_to_an_older_one_is_not_gone_on_with(
    connect: Callable[[], Database],
) -> None:
    async with opened(connect) as one:
        await one.load()
        await one.commit(batch_of(1, 2)[0])

        def put_back(database: Database) -> None:
            database.write("UPDATE journals SET reached = ?", [(1,)])
            database.close()

        await one._do(put_back)
        with pytest.raises(ArchiveTrouble):
            await one.commit(batch_of(1, 2, 3)[0])
        with pytest.raises(ForeignArchive, match="put back"):
            await one.commit(batch_of(1, 2, 3)[0])


async def test_a_log_that_was_removed_is_folded_into_the_file_and_nothing_is_missing(
    tmp_path: Path,
) -> None:
    path = tmp_path / "room.sqlite"
    async with opened(lambda: SqliteDatabase(path)) as one:
        await one.load()
        await one.commit(batch_of(1)[0])
        path.with_name("room.sqlite-wal").unlink()
        with pytest.raises(ArchiveTrouble, match="removed or replaced"):
            await one.commit(batch_of(1, 2)[0])
        assert await one.commit(batch_of(1, 2)[0]) == []
    async with opened(lambda: SqliteDatabase(path)) as one:
        (follower,) = (await one.load()).followers
    assert follower.reached == 2


async def test_two_recorders_never_share_one_copy(connect: Callable[[], Database]) -> None:
    async with opened(connect) as one, opened(connect) as other:
        await one.load()
        with pytest.raises(ArchiveTrouble, match="another recorder writes there"):
            await other.load()
    async with opened(connect) as again:
        assert (await again.load()).followers == []

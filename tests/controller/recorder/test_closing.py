"""A person closes what does not end by itself; who it was and why stays in the room's store."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.recorder.archive import Archive, Batch
from controller.recorder.closing import (
    PERSON_CHARACTERS_MAX,
    REASON_CHARACTERS_MAX,
    NotToClose,
    close,
    findings_of,
)
from controller.recorder.database import ArchiveTrouble
from controller.recorder.findings import Finding, Findings
from controller.recorder.sqlite_database import SqliteDatabase

FORK = Finding(1, "t", "T1", "j", "fork", 7, "two histories")
SILENCE = Finding(2, "t", "T1", "", "silence", 0, "nothing was heard")
LOST = Finding(3, "t", "T2", "k", "lost", 4, "gone")


@pytest.fixture
async def store(tmp_path: Path) -> Path:
    """A copy with three open findings, whose recorder has ended."""
    path = tmp_path / "room.sqlite"
    archive = Archive(lambda: SqliteDatabase(path))
    await archive.load()
    await archive.commit(Batch(findings=[FORK, SILENCE, LOST]))
    await archive.close()
    return path


@contextlib.contextmanager
def beside(store: Path) -> Iterator[SqliteDatabase]:
    with contextlib.closing(SqliteDatabase(store, alone=False)) as database:
        yield database


async def test_what_a_person_closed_is_told_to_the_recorder_until_it_has_noted_it(
    store: Path,
) -> None:
    with beside(store) as database:
        assert findings_of(database) == [FORK, SILENCE, LOST]
        assert close(database, 1, "t2", "rivera", "the spare board was tried out") == FORK
        assert findings_of(database) == [SILENCE, LOST]
    archive = Archive(lambda: SqliteDatabase(store))
    loaded = await archive.load()
    kept = Findings()
    kept.restore(loaded.last_finding, loaded.findings)
    (closing,) = await archive.closings()
    kept.close_by_person(closing.number, closing.at, closing.person, closing.reason)
    assert [one.number for one in kept.open] == [2, 3]
    (closed,) = kept.take_news()
    assert (closed.closed_at, closed.closed_by) == ("t2", "rivera: the spare board was tried out")
    await archive.commit(Batch(findings=kept.take_changed()))
    assert await archive.closings() == []
    # The same cause again is a finding of its own.
    again = kept.find("t3", "T1", "j", "fork", 8, "two histories")
    assert again is not None
    assert again.number == 4
    await archive.close()
    with contextlib.closing(sqlite3.connect(store)) as connection:
        rows = connection.execute("SELECT * FROM closings").fetchall()
    assert rows == [(1, "t2", "rivera", "the spare board was tried out")]


@pytest.mark.parametrize(
    ("number", "person", "reason", "said"),
    [
        (9, "rivera", "r", "--close 9: no finding of this number is open"),
        (2, "rivera", "r", "--close 2: silence ends by itself"),
        (1, " ", "r", "--by: expected 1 to 64"),
        (1, "r" * (PERSON_CHARACTERS_MAX + 1), "r", "--by: expected 1 to 64"),
        (1, "rivera", "", "--reason: expected 1 to 200"),
        (1, "rivera", "r" * (REASON_CHARACTERS_MAX + 1), "--reason: expected 1 to 200"),
        (1, "rivera", "a\x1b[2J", "--reason: expected 1 to 200 printable"),
    ],
)
def test_what_cannot_be_closed_is_said_and_stays_open(
    store: Path, number: int, person: str, reason: str, said: str
) -> None:
    with beside(store) as database:
        with pytest.raises(NotToClose, match=said):
            close(database, number, "t2", person, reason)
        assert findings_of(database) == [FORK, SILENCE, LOST]


def test_a_name_and_a_reason_of_the_longest_are_taken_once(store: Path) -> None:
    person, reason = "r" * PERSON_CHARACTERS_MAX, "w" * REASON_CHARACTERS_MAX
    with beside(store) as database:
        close(database, 1, "t2", person, reason)
        with pytest.raises(NotToClose, match="no finding of this number"):
            close(database, 1, "t2", person, reason)


def test_a_copy_of_before_gets_its_place_for_it(store: Path) -> None:
    with contextlib.closing(sqlite3.connect(store)) as connection:
        connection.execute("DROP TABLE closings")
    with beside(store) as database:
        close(database, 3, "t2", "rivera", "r")
        assert findings_of(database) == [FORK, SILENCE]


def test_where_no_copy_is_none_is_made(tmp_path: Path) -> None:
    with pytest.raises(ArchiveTrouble, match="No such file"), beside(tmp_path / "room.sqlite"):
        pass
    (tmp_path / "empty").touch()
    with (
        beside(tmp_path / "empty") as database,
        pytest.raises(ArchiveTrouble, match="no room's copy"),
    ):
        findings_of(database)

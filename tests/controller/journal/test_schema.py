"""A journal is counted at each opening, and a broken one is refused before it is used."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from controller.journal.schema import BEGINNING, Run, close_file, open_file, transaction
from controller.journal.trouble import CorruptJournal, ForeignJournal, JournalTrouble

LAST_INPUT = "INSERT INTO inputs VALUES (1, ?, '', 0, 0, ?)"
STOPPED = '{"from":"system","type":"stopped"}'


@pytest.mark.parametrize(
    ("outcome", "last", "hosts", "told"),
    [
        ("ok", STOPPED, ("a", "b"), "clean"),
        ("ok", '{"from":"dealer","type":"stopped"}', ("a", "a"), "crash"),
        ("ok", "[]", ("a", "a"), "crash"),
        ("ok", "{}", ("a", "b"), "power"),
        ("ok", "{}", ("", "b"), "unclean"),
        ("ok", "{}", ("a", ""), "unclean"),
        ("fault", STOPPED, ("a", "a"), "fault"),
    ],
)
def test_each_opening_is_counted_and_knows_how_the_one_before_ended(
    tmp_path: Path, outcome: str, last: str, hosts: tuple[str, str], told: str
) -> None:
    first = open_file(tmp_path / "j", "T-1", run=Run(hosts[0]))
    assert (first.boot, first.previous_end) == (1, "first")
    first.connection.execute(LAST_INPUT, (outcome, last))
    first.connection.close()
    second = open_file(tmp_path / "j", "T-1", run=Run(hosts[1]))
    assert (second.boot, second.previous_end, second.journal) == (2, told, first.journal)
    close_file(second.connection)


def test_a_start_leaves_its_run_and_the_book_that_it_goes_by(tmp_path: Path) -> None:
    for book in (b'{"seats":6}', b'{"seats":7}', b'{"seats":7}'):
        close_file(open_file(tmp_path / "j", "T-1", run=Run("h", "p", book)).connection)
    connection = sqlite3.connect(tmp_path / "j")
    runs = connection.execute("SELECT boot, inputs, host, previous, program, book FROM runs")
    books = dict(connection.execute("SELECT digest, body FROM documents WHERE kind = 'book'"))
    digests = []
    for boot, inputs, host, previous, program, book in runs:
        digests.append(book)
        assert (inputs, host, program) == (0, "h", "p")
        assert previous == ("first" if boot == 1 else "crash")
    assert [books[one] for one in digests] == ['{"seats":6}', '{"seats":7}', '{"seats":7}']
    assert len(books) == 2
    connection.close()


def test_two_journals_never_share_an_id(tmp_path: Path) -> None:
    ids = set()
    for name in ("a", "b"):
        opened = open_file(tmp_path / name, "T-1")
        ids.add(opened.journal)
        opened.connection.close()
    assert len(ids) == 2


@pytest.mark.parametrize(
    "damage",
    ["DELETE FROM meta WHERE key = 'boot'", "UPDATE meta SET value = 'x' WHERE key='boot'"],
)
def test_a_journal_that_does_not_know_itself_is_corrupt(tmp_path: Path, damage: str) -> None:
    close_file(open_file(tmp_path / "j", "T-1").connection)
    connection = sqlite3.connect(tmp_path / "j")
    connection.execute(damage)
    connection.commit()
    connection.close()
    with pytest.raises(CorruptJournal, match="table meta"):
        open_file(tmp_path / "j", "T-1")


def test_a_journal_that_was_emptied_is_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "j"
    close_file(open_file(path, "T-1").connection)
    path.write_bytes(b"")
    with pytest.raises(CorruptJournal, match="holds no record: it was emptied"):
        open_file(path, "T-1")
    assert path.read_bytes() == b""


def test_a_beginning_that_was_cut_off_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "j"
    (tmp_path / f"j{BEGINNING}").write_bytes(b"half")
    (tmp_path / f"j{BEGINNING}-journal").write_bytes(b"half")
    opened = open_file(path, "T-1")
    assert (opened.boot, opened.previous_end) == (1, "first")
    close_file(opened.connection)
    assert [one.name for one in tmp_path.iterdir()] == ["j"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_transaction_that_fails_leaves_nothing(tmp_path: Path) -> None:
    connection = open_file(tmp_path / "j", "T-1").connection

    def twice() -> None:
        with transaction(connection, "j"):
            connection.execute("INSERT INTO cursors VALUES ('a', 1)")
            connection.execute("INSERT INTO cursors VALUES ('a', 2)")

    with pytest.raises(JournalTrouble):
        twice()
    assert not connection.in_transaction
    assert connection.execute("SELECT count(*) FROM cursors").fetchone() == (0,)
    connection.close()


def test_a_program_error_inside_a_transaction_leaves_nothing_either(tmp_path: Path) -> None:
    connection = open_file(tmp_path / "j", "T-1").connection

    def broken() -> None:
        with transaction(connection, "j"):
            connection.execute("INSERT INTO cursors VALUES ('a', 1)")
            raise KeyError("a bug")

    with pytest.raises(KeyError):
        broken()
    assert not connection.in_transaction
    assert connection.execute("SELECT count(*) FROM cursors").fetchone() == (0,)
    connection.close()


def test_a_journal_holds_the_record_of_one_game(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    close_file(open_file(path, "t-1", "dj-wild").connection)
    with pytest.raises(ForeignJournal, match=r"record of dj-wild, not of blackjack.*\[journal\]"):
        open_file(path, "t-1", "blackjack")
    close_file(open_file(path, "t-1", "dj-wild").connection)
    close_file(open_file(path, "t-1").connection)


@pytest.mark.parametrize("begun", [False, True])
def test_a_trial_notes_no_start_and_hides_nothing_of_the_run_before(
    tmp_path: Path, begun: bool
) -> None:
    path = tmp_path / "j"
    if begun:
        close_file(open_file(path, "T-1", run=Run("host", "program")).connection)
    for _ in range(2):
        tried = open_file(path, "T-1", run=None)
        # What nobody wrote cannot tell whether the disk takes it.
        assert path.with_name("j-wal").stat().st_size > 0
        (noted,) = tried.connection.execute("SELECT count(*) FROM runs").fetchone()
        assert noted == begun
        close_file(tried.connection)
    opened = open_file(path, "T-1", run=Run("host", "program"))
    assert opened.previous_end == ("crash" if begun else "first")
    close_file(opened.connection)


def test_a_trigger_that_swallows_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "j"
    connection = open_file(path, "T-1").connection
    connection.execute(
        "CREATE TRIGGER quiet BEFORE INSERT ON events BEGIN SELECT raise(IGNORE); END"
    )
    close_file(connection)
    with pytest.raises(CorruptJournal, match="has a trigger 'quiet'"):
        open_file(path, "T-1")

"""What stands beside the chain is believed by nobody who can hold it against the records."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.core.inputs import Done, Malformed, Resume
from controller.journal.proof.beside import beside_the_chain
from controller.journal.proof.report import Wrong
from controller.journal.seal import Sealer
from controller.journal.store import Store
from controller.journal.tables import BROKER
from controller.journal.verify import verify
from tests.controller.bench import bench
from tests.controller.journal.forging import write_sealed
from tests.controller.journal.test_pruning import EVER
from tests.controller.journal.test_recompute import BOOKS, Runs


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three commands, answered: two taken, one refused; each is an input of its own."""

    async def write(path: Path) -> None:
        async with bench(path) as table:
            await table.command(Resume("r"), "c1")
            await table.command(Malformed("open", "no such thing"), "c2")
            await table.command(Done(), "c3")

    path = tmp_path_factory.mktemp("answers") / "j"
    asyncio.run(write(path))
    return path


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three starts of one program, by two books."""
    runs = Runs(tmp_path_factory.mktemp("runs") / "j")
    for book in (BOOKS[0], BOOKS[1], BOOKS[0]):
        asyncio.run(runs.run(3, book))
    return runs.path


def changed(journal: Path, to: Path, change: str) -> Path:
    shutil.copyfile(journal, to)
    connection = sqlite3.connect(to, isolation_level=None)
    connection.executescript(change)
    connection.close()
    return to


def said_of(journal: Path) -> str:
    problem = verify(journal).problem
    return "" if problem is None else str(problem)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """A closed journal of twelve turns."""
    write_sealed(tmp_path / "j", 12, Sealer.from_file(tmp_path / "key"))
    opened = sqlite3.connect(tmp_path / "j", isolation_level=None)
    opened.execute("PRAGMA synchronous = OFF")
    yield opened
    opened.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("INSERT INTO cursors VALUES ('broker', 11)", "event 11: truncated: .* broker .* event 11"),
        ("INSERT INTO cursors VALUES ('store', 99)", "event 11: truncated: .* store .* event 99"),
        ("INSERT INTO snapshots VALUES (3, 'aa', '{}', '{}')", "snapshot after input 3: snapshot"),
        ("INSERT INTO documents VALUES ('aa', 'book', '{}')", "a document: snapshot: digest"),
    ],
)
def test_what_stands_beside_the_chain_is_checked(
    connection: sqlite3.Connection, change: str, said: str
) -> None:
    beside_the_chain(connection, 10)
    connection.execute("INSERT INTO cursors VALUES ('broker', 10), ('heard.shoe', 70000)")
    beside_the_chain(connection, 10)
    connection.execute("DELETE FROM cursors")
    connection.execute(change)
    with pytest.raises(Wrong, match=said):
        beside_the_chain(connection, 10)


def test_answers_and_starts_that_fit_are_in_order(written: Path, started: Path) -> None:
    assert said_of(written) == ""
    assert said_of(started) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("CREATE TRIGGER quiet BEFORE INSERT ON events BEGIN SELECT RAISE(IGNORE); END",
         "the file: schema: has a trigger 'quiet', which no journal has so"),
        ("CREATE VIEW easy AS SELECT body FROM events", "the file: schema: has a view 'easy'"),
        ("CREATE INDEX more ON events (type)", "the file: schema: has a index 'more'"),
        ("CREATE TABLE notes (text TEXT)", "the file: schema: has a table 'notes'"),
        # One whose rows vanish where their command was given before.
        (("ALTER TABLE answers RENAME TO old;"
         "CREATE TABLE answers (number INTEGER PRIMARY KEY ON CONFLICT IGNORE, input INTEGER NOT"
         " NULL, principal TEXT NOT NULL, command TEXT NOT NULL, body TEXT NOT NULL) STRICT;"
         "INSERT INTO answers SELECT * FROM old; DROP TABLE old"),
         "the file: schema: has a table 'answers'"),
        ("DROP TABLE answers", "damaged: no such table: answers"),
    ],
)  # fmt: skip
def test_what_no_journal_declares_is_named(
    written: Path, tmp_path: Path, change: str, said: str
) -> None:
    assert said in said_of(changed(written, tmp_path / "j", change))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("UPDATE answers SET body = '{\"reason\":\"no such thing\",\"result\":\"accepted\"}'"
         " WHERE command = 'c2'"),
         "answer 2: answer: its result is 'accepted'; expected 'refused'"),
        ("UPDATE answers SET body = replace(body, 'no such', 'another') WHERE command = 'c2'",
         "answer 2: answer: its reason is 'another thing'; expected 'no such thing'"),
        (("UPDATE answers SET body = '{\"reason\":\"\",\"result\":\"refused\"}'"
         " WHERE command = 'c1'"),
         "answer 1: answer: its result is 'refused'; expected 'accepted'"),
        (("UPDATE answers SET body = '{\"result\":\"accepted\",\"sequences\":[1,2]}'"
         " WHERE command = 'c1'"), "answer 1: answer: its events is [1, 2]; expected [2]"),
        (("UPDATE answers SET body = '{\"result\":\"accepted\",\"sequences\":[1]}'"
         " WHERE command = 'c3'"), "answer 3: answer: its events is [1]; expected []"),
        ("UPDATE answers SET body = body || ' '", "answer 1: not-canonical"),
        ("UPDATE answers SET principal = 'bob' WHERE command = 'c1'",
         "answer 1: answer: whose it is is 'bob'; expected 'ann'"),
        ("UPDATE answers SET command = 'c9' WHERE command = 'c1'",
         "answer 1: answer: its command is 'c9'; expected 'c1'"),
        ("UPDATE answers SET input = 1 WHERE command = 'c1'", "answer 1: answer: whose it is"),
        ("UPDATE answers SET input = 0 WHERE command = 'c1'",
         "answer 1: answer: belongs to input 0; the last one is 5"),
        ("UPDATE answers SET input = 6 WHERE command = 'c1'", "answer 1: answer: belongs to input"),
        ("DELETE FROM answers WHERE command = 'c2'", "answer 2: gap: missing"),
        ("INSERT INTO answers VALUES (4, 5, 'ann', 'c4', '{\"result\":\"accepted\"}')",
         "answer 4: answer: whose it is is 'ann'; expected None"),
    ],
)  # fmt: skip
def test_an_answer_that_was_not_given_is_named(
    written: Path, tmp_path: Path, change: str, said: str
) -> None:
    assert said_of(changed(written, tmp_path / "j", change)).startswith(said)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("UPDATE runs SET program = 'bb' WHERE boot = 2",
         "run 2: run: its program is 'bb'; expected 'aa'"),
        ("UPDATE runs SET book = (SELECT book FROM runs WHERE boot = 2) WHERE boot = 3",
         "run 3: run: its book is"),
        ("UPDATE runs SET book = 'ff' WHERE boot = 2", "run 2: run: goes by a document 'ff'"),
        ("UPDATE runs SET state = 'ff' WHERE boot = 2", "run 2: run: goes by a document 'ff'"),
        ("UPDATE runs SET previous = 'clean' WHERE boot = 1",
         "run 1: run: how the one before ended is 'clean'; expected 'first'"),
        ("UPDATE runs SET inputs = 5 WHERE boot = 2", "input 5: run: its boot is 2; expected 1"),
        ("UPDATE runs SET inputs = 99 WHERE boot = 3", "run 2: run: began after input 4; the next"),
        ("UPDATE runs SET inputs = -1 WHERE boot = 1", "run 1: run: began after input -1"),
        ("DELETE FROM runs WHERE boot = 2", "input 8: run: its boot is 2; expected 1"),
        ("DELETE FROM documents", "run 1: run: goes by a document"),
    ],
)  # fmt: skip
def test_a_start_that_the_inputs_do_not_tell_of_is_named(
    started: Path, tmp_path: Path, change: str, said: str
) -> None:
    assert said_of(changed(started, tmp_path / "j", change)).startswith(said)


async def test_answers_and_starts_of_what_was_pruned_are_passed(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "j")
    for book in (BOOKS[0], BOOKS[1], BOOKS[0]):
        await runs.run(7, book)
    store = await Store.open(tmp_path / "j", "T-1")
    await store.set_cursor(BROKER, store.chain.sequence)
    while await store.prune(store.chain.sequence, EVER):
        pass
    assert store.base is not None
    await store.close()
    assert said_of(tmp_path / "j") == ""

"""A database of any kind is read without harm: a journal, or what calls itself one."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.journal.proof.report import Wrong
from controller.journal.proof.rows import (
    TABLES,
    NoDatabase,
    guard,
    rows_of_turns,
    standing_of,
)
from controller.journal.proof.strict import RECORD_OCTETS_MAX
from controller.journal.proof.walk import RECORDS_PER_TURN_MAX, Standing
from controller.journal.seal import Sealer
from controller.journal.source import NoJournal, open_source
from controller.journal.verify import verify
from tests.controller.journal.forging import write_sealed


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A closed journal of twelve turns."""
    folder = tmp_path_factory.mktemp("journal")
    write_sealed(folder / "j", 12, Sealer.from_file(folder / "key"))
    return (folder / "j").read_bytes()


@pytest.fixture
def journal(tmp_path: Path, written: bytes) -> Path:
    (tmp_path / "j").write_bytes(written)
    return tmp_path / "j"


@pytest.fixture
def connection(journal: Path) -> Iterator[sqlite3.Connection]:
    opened = sqlite3.connect(journal, isolation_level=None)
    opened.execute("PRAGMA synchronous = OFF")
    yield opened
    opened.close()


def test_turns_stream_with_their_columns_and_statements(connection: sqlite3.Connection) -> None:
    rows = list(rows_of_turns(connection, Standing()))
    assert [row.turn.number for row in rows] == list(range(1, 13))
    assert [len(row.turn.checkpoints) for row in rows] == [0, 0, 0, 0, 0, 1] * 2
    assert [len(row.columns) for row in rows] == [1, 1, 0, 1, 1, 1] * 2
    assert rows[0].columns[0][:2] == ("power.restored", 0)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("DELETE FROM inputs WHERE n = 4", "input 4: gap: missing; input 5 stands"),
        ("UPDATE inputs SET n = 99 WHERE n = 12", "input 12: gap: missing; input 99 stands"),
        (
            "UPDATE effects SET input = 4 WHERE number = 1",
            "effect 1: column: its row names input 4",
        ),
        ("DELETE FROM inputs WHERE n > 6", "input 7: truncated: missing; a checkpoint speaks of"),
        ("DELETE FROM inputs", "input 1: truncated: missing; a checkpoint speaks of input 6"),
        ("INSERT INTO effects VALUES (99, 99, '', '')", "table effects: count"),
        ("UPDATE checkpoints SET body = '{}'", "checkpoint 1: checkpoint: does not say after"),
        ("UPDATE checkpoints SET body = 'no'", "checkpoint 1: unreadable"),
    ],
)
def test_rows_that_do_not_fit_are_named(
    connection: sqlite3.Connection, change: str, said: str
) -> None:
    connection.execute(change)
    with pytest.raises(Wrong) as found:
        list(rows_of_turns(connection, Standing()))
    assert str(found.value).startswith(said)


def test_a_turn_without_an_end_is_stopped(connection: sqlite3.Connection) -> None:
    connection.execute("DELETE FROM inputs WHERE n > 1")
    connection.execute("UPDATE inputs SET sequence = 9000000000")
    connection.execute(
        "WITH RECURSIVE more(n) AS (VALUES(11) UNION ALL SELECT n + 1 FROM more WHERE n <= ?)"
        " INSERT INTO events SELECT n, 1, '', 0, '', '' FROM more",
        (RECORDS_PER_TURN_MAX,),
    )
    with pytest.raises(Wrong, match=f"brings more than {RECORDS_PER_TURN_MAX} records"):
        list(rows_of_turns(connection, Standing()))


@pytest.mark.parametrize("name", TABLES)
def test_a_view_in_place_of_a_table_is_not_read(connection: sqlite3.Connection, name: str) -> None:
    guard(connection)
    connection.execute(f"ALTER TABLE {name} RENAME TO hidden")
    with pytest.raises(NoDatabase, match=f"no table {name}"):
        guard(connection)
    connection.execute(
        f"CREATE VIEW {name} AS "  # noqa: S608 - one of the names above
        "WITH RECURSIVE e(n) AS (VALUES(1) UNION ALL SELECT n + 1 FROM e) SELECT n FROM e"
    )
    with pytest.raises(NoDatabase, match=f"no table {name}"):
        guard(connection)


def test_a_column_that_computes_is_not_read(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE events ADD COLUMN more ANY AS (zeroblob(1000000000))")
    with pytest.raises(NoDatabase, match="table events is not that of a journal"):
        guard(connection)


def test_a_value_beyond_the_bound_is_an_error_and_no_memory(
    connection: sqlite3.Connection,
) -> None:
    connection.execute("UPDATE inputs SET body = hex(zeroblob(?))", (RECORD_OCTETS_MAX,))
    guard(connection)
    with pytest.raises(sqlite3.Error):
        list(rows_of_turns(connection, Standing()))


LOOSE = """
CREATE TABLE meta (key PRIMARY KEY, value);
CREATE TABLE inputs (n INTEGER PRIMARY KEY, outcome, digest, sequence, effects, body);
CREATE TABLE effects (number INTEGER PRIMARY KEY, input, id, body);
CREATE TABLE events (sequence INTEGER PRIMARY KEY, input, type, severity, hash, body);
CREATE TABLE snapshots (input, digest, chain, body);
CREATE TABLE cursors (name, sequence);
CREATE TABLE checkpoints (sequence, body);
INSERT INTO meta VALUES ('journal', 'j'), ('table_id', 7);
"""


@pytest.mark.parametrize(
    "row",
    [
        "inputs VALUES (1, NULL, NULL, NULL, NULL, NULL)",
        "inputs VALUES (1, 'ok', '', 'end', 0, '{}')",
        "inputs VALUES (1, 'ok', '', 0, 0, 'x')",
        "inputs VALUES (1, 'ok', '', 0, 0, x'ff')",
        "inputs VALUES (0, 'ok', '', 0, 0, '{}')",
        "inputs VALUES (-9223372036854775807, 'ok', '', 0, 0, '{}')",
        "effects VALUES (1, 1, '', NULL)",
        "events VALUES (-5, 1, 1, 'x', 2, NULL)",
        "checkpoints VALUES (1, NULL)",
        "snapshots VALUES (1, NULL, NULL, 7)",
    ],
)
def test_loose_types_of_a_stranger_are_named(tmp_path: Path, row: str) -> None:
    """Without STRICT, nearly any column may hold anything."""
    connection = sqlite3.connect(tmp_path / "loose")
    connection.executescript(LOOSE)
    undeclared = verify(tmp_path / "loose").problem
    assert undeclared is not None
    assert undeclared.kind == "schema"
    connection.execute("INSERT INTO " + row)
    connection.commit()
    connection.close()
    named = verify(tmp_path / "loose").problem
    assert named is not None
    assert named.kind != "schema"


def test_rows_without_a_number_of_their_own_are_no_journal(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "loose")
    connection.executescript(LOOSE.replace("(n INTEGER PRIMARY KEY", "(n"))
    connection.close()
    with pytest.raises(NoJournal, match="table inputs is not that of a journal"):
        verify(tmp_path / "loose")


def test_a_base_says_where_a_record_begins() -> None:
    good = {"inputs": 6, "effects": 1, "sequence": 5, "hash": "a" * 64, "inputdigest": "b" * 64}
    assert standing_of("here", good) == Standing(6, 1, 5, "a" * 64, "b" * 64)
    for change in ({"inputs": -1}, {"inputs": True}, {"effects": "1"}, {"sequence": None},
                   {"hash": "a" * 63}, {"hash": "A" * 64}, {"inputdigest": 7}):  # fmt: skip
        with pytest.raises(Wrong, match="here: base"):
            standing_of("here", {**good, **change})


@pytest.mark.parametrize("kind", ["pipe", "folder", "other", "empty", "link"])
def test_what_is_no_journal_is_said_at_once(kind: str, tmp_path: Path) -> None:
    place = tmp_path / kind
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "folder":
        place.mkdir()
    elif kind == "other":
        connection = sqlite3.connect(place)
        connection.execute("CREATE TABLE meta (key, value)")
        connection.commit()
        connection.close()
    elif kind == "empty":
        place.touch()
    else:
        place.symlink_to(place)
    with pytest.raises(NoJournal, match=kind), open_source(place):
        pass

"""An export is the journal's own bytes; a part of it proves itself by the checkpoint after it."""

from __future__ import annotations

import io
import json
import sqlite3
from pathlib import Path

import pytest

from controller.core.events import Event
from controller.core.inputs import Arrived, Started
from controller.journal.export import NothingFound, standing_after, write_export
from controller.journal.outside import known_of
from controller.journal.proof.report import Report
from controller.journal.proof.walk import Standing
from controller.journal.proof.witness import Witness
from controller.journal.record import Chain, seal
from controller.journal.seal import Sealer
from controller.journal.selection import Selection
from controller.journal.source import open_source
from controller.journal.store import Entry, Snapshot, Store
from controller.journal.verify import verify
from hal.facts import CardDrawn
from tests.controller.journal.writing import MOMENT_MS

ROUNDS, TURNS_PER_ROUND = 5, 4


async def write_rounds(path: Path, sealer: Sealer, every: int = 6) -> None:
    """Rounds of a bet, two cards and an end; every event names its round, every third turn has no
    event at all; round 3 has the irregularity I1."""
    store = await Store.open(path, "T-1", "dj-wild")
    chain = store.chain
    for number in range(1, ROUNDS * TURNS_PER_ROUND + 1):
        round_number = (number - 1) // TURNS_PER_ROUND + 1
        data: dict[str, object] = {"round": round_number}
        if number == 10:
            data["irregularity"] = "I1"
        item = Started("0.1", "aa", "bb", "") if number == 1 else CardDrawn(number, "down")
        source = "system" if number == 1 else "shoe"
        arrived = Arrived(number, MOMENT_MS + number, number, 1, True, source, None, item)
        events = () if number % 4 == 3 else (Event("card", data),)
        turn = seal(chain, arrived, events, ())
        chain = turn.chain
        statement = (
            (chain.sequence, sealer.checkpoint(chain, MOMENT_MS)) if number % every == 0 else None
        )
        here = chain
        snapshot = Snapshot(here, lambda: b"{}") if number == 12 else None
        await store.commit([Entry(turn)], snapshot, statement)
    await store.close()


@pytest.fixture
async def journal(tmp_path: Path) -> Path:
    await write_rounds(tmp_path / "j", Sealer.from_file(tmp_path / "key"))
    return tmp_path / "j"


def exported(journal: Path, selection: Selection | None = None) -> Path:
    place = journal.with_name("e")
    with open_source(journal) as source, place.open("wb") as file:
        write_export(source, file, selection)
    return place


def checked(path: Path) -> Report:
    report = verify(path, [Sealer.from_file(path.with_name("key")).public_key])
    assert report.problem is None, report.problem
    return report


def lines_of(path: Path, kind: str) -> list[dict[str, object]]:
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    return [line[kind] for line in lines if kind in line]


def test_a_whole_export_names_its_game_and_verifies(journal: Path) -> None:
    path = exported(journal)
    assert lines_of(path, "journal")[0]["game"] == "dj-wild"
    report = checked(path)
    assert (report.inputs, report.events, report.checkpoints, report.sealed) == (20, 15, 3, 14)


def test_the_bytes_of_an_event_are_those_of_the_journal(journal: Path) -> None:
    path = exported(journal)
    connection = sqlite3.connect(journal)
    bodies = [body.encode() for (body,) in connection.execute("SELECT body FROM events")]
    connection.close()
    lines = path.read_bytes().splitlines()
    assert [b'{"event":' + body + b"}" for body in bodies] == [
        line for line in lines if line.startswith(b'{"event"')
    ]


@pytest.mark.parametrize(
    ("selection", "turns", "links"),
    [
        # A round ends in the turn of its last event; then come events up to the checkpoint.
        (Selection(round=1), (1, 4), 2),
        (Selection(round=2), (5, 8), 3),
        (Selection(round=4), (13, 16), 2),
        (Selection(irregularity="I1"), (9, 12), 0),
        (Selection(since=MOMENT_MS + 6, until=MOMENT_MS + 6), (6, 6), 0),
        (Selection(first=6, last=7), (8, 9), 2),
        # The last checkpoint is after input 18.
        (Selection(round=5), (17, 20), 0),
    ],
)
def test_a_part_is_whole_turns_and_the_way_to_the_next_checkpoint(
    journal: Path, selection: Selection, turns: tuple[int, int], links: int
) -> None:
    path = exported(journal, selection)
    numbers = [line["n"] for line in lines_of(path, "input")]
    assert numbers == list(range(turns[0], turns[1] + 1))
    assert len(lines_of(path, "link")) == links
    head = lines_of(path, "journal")[0]
    assert head["part"] == selection.words()
    software = head["software"]
    assert isinstance(software, dict)
    assert (software["version"], software["digest"], software["profile_digest"]) == (
        "0.1", "aa", "bb",
    )  # fmt: skip
    report = checked(path)
    assert report.first == turns[0]
    assert report.sealed == report.last or turns[1] > 18


def test_every_changed_byte_of_a_sealed_part_is_found(journal: Path, tmp_path: Path) -> None:
    path = exported(journal, Selection(round=2))
    whole, damaged = path.read_bytes(), tmp_path / "d"
    key = Sealer.from_file(tmp_path / "key").public_key
    start = whole.index(b"\n") + 1
    for at in range(start, len(whole) - 1, 41):
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert verify(damaged, [key]).problem is not None, at


def test_a_part_that_is_taken_out_of_the_middle_of_another_record_does_not_verify(
    journal: Path, tmp_path: Path
) -> None:
    path = exported(journal, Selection(round=2))
    forged = tmp_path / "f"
    text = path.read_bytes()
    head = json.loads(text.splitlines()[0])["journal"]
    for name in ("hash", "inputdigest"):
        digest = str(head["base"][name]).encode()
        other = digest[1:] + digest[:1]
        forged.write_bytes(text.replace(digest, other, 1))
        assert verify(forged).problem is not None


def test_an_export_of_an_export_is_the_same(journal: Path, tmp_path: Path) -> None:
    for selection in (None, Selection(round=2), Selection(round=5)):
        path = exported(journal, selection)
        again = io.BytesIO()
        with open_source(path) as source:
            write_export(source, again)
        assert again.getvalue() == path.read_bytes()


def test_a_part_after_the_last_checkpoint_says_that_it_is_not_signed(journal: Path) -> None:
    with open_source(journal) as source:
        assert not write_export(source, io.BytesIO(), Selection(first=15)).sealed
        assert write_export(source, io.BytesIO(), Selection(last=3)).sealed


def test_a_part_agrees_with_the_record_that_it_was_taken_from(journal: Path) -> None:
    path, witness = exported(journal, Selection(round=2)), Witness()
    witness.add(known_of(journal), "the journal")
    report = verify(path, [], witness)
    assert (report.problem, report.witnessed) == (None, report.last)
    assert report.last < 15


def test_nothing_found_is_said(journal: Path) -> None:
    with open_source(journal) as source, pytest.raises(NothingFound, match="round 77"):
        write_export(source, io.BytesIO(), Selection(round=77))


def test_the_record_stands_where_the_next_event_says(journal: Path) -> None:
    with open_source(journal) as source:
        standing = Standing()
        for turn in source.turns():
            if turn.events:
                assert json.loads(turn.events[0])["prevhash"] == standing.head
            standing = standing_after(standing, turn)
    assert (standing.inputs, standing.events) == (20, 15)
    assert standing != Chain("", "")


def pruned(journal: Path, inputs: int) -> None:
    """As the daemon leaves it: a base, its statement, the snapshot there, and no older rows."""
    connection = sqlite3.connect(journal)
    (body,) = connection.execute(
        "SELECT body FROM checkpoints WHERE json_extract(body, '$.inputs') = ?", (inputs,)
    ).fetchone()
    said = json.loads(body)
    connection.execute("INSERT INTO base VALUES (?, ?)", (inputs, body))
    connection.execute("DELETE FROM inputs WHERE n <= ?", (inputs - 2,))
    connection.execute("DELETE FROM events WHERE sequence <= ?", (said["sequence"],))
    connection.commit()
    connection.close()


def test_a_pruned_journal_begins_at_its_signed_base(journal: Path) -> None:
    pruned(journal, 12)
    assert checked(journal).first == 13
    path = exported(journal)
    assert lines_of(path, "journal")[0]["base"] != {}
    assert len(lines_of(path, "snapshot")) == 1
    report = checked(path)
    assert (report.first, report.inputs, report.sealed) == (13, 8, 14)
    again = io.BytesIO()
    with open_source(path) as source:
        write_export(source, again)
    assert again.getvalue() == path.read_bytes()


def test_a_base_that_nobody_signed_is_none(journal: Path, tmp_path: Path) -> None:
    pruned(journal, 12)
    other = Sealer.from_file(tmp_path / "other").public_key
    problem = verify(journal, [other]).problem
    assert problem is not None
    assert (problem.place, problem.kind) == ("checkpoint after input 12", "signature")
    path = exported(journal)
    lines = path.read_bytes().splitlines(keepends=True)
    without = tmp_path / "w"
    without.write_bytes(b"".join([lines[0], *lines[3:]]))
    problem = verify(without).problem
    assert problem is not None
    assert (problem.place, problem.kind) == ("input 13", "base")

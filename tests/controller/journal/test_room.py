"""The room's copy is read as its program writes it: verified by itself, and as a witness."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.room import is_room, verify_room
from controller.journal.seal import Sealer
from controller.journal.source import NoJournal
from controller.recorder.archive import Archive, Batch
from controller.recorder.follower import Head
from controller.recorder.records import read_record
from controller.recorder.sqlite_database import SqliteDatabase
from tests.controller.journal.forging import JOURNAL, at_event, export_of, with_true_end
from tests.controller.journal.writing import MIX

ITEMS = MIX * 2


def write_room(path: Path, *chains: tuple[str, list[bytes]]) -> None:
    """A closed copy of these journals' events."""

    async def write() -> None:
        archive = Archive(lambda: SqliteDatabase(path))
        await archive.load()
        for journal, bodies in chains:
            held = [read_record("T-1", body) for body in bodies]
            first, last = held[0], held[-1]
            head = Head(journal, "T-1", first.sequence - 1, last.sequence, last.hash, False)
            await archive.commit(Batch(1, held, heads={journal: head}))
        await archive.close()

    asyncio.run(write())


def events_of(lines: list[bytes]) -> list[bytes]:
    return [line[9:-2] for line in lines if line.startswith(b'{"event":')]


@pytest.fixture
def room(tmp_path: Path) -> Path:
    other = "cd" * 16
    write_room(
        tmp_path / "room",
        (JOURNAL, events_of(export_of(ITEMS))),
        (other, events_of(export_of(ITEMS, journal=other))[3:]),
    )
    return tmp_path / "room"


def test_each_journal_of_the_copy_is_verified(room: Path) -> None:
    assert is_room(room)
    whole, later = verify_room(room)
    assert (whole.journal, whole.events, whole.last, whole.problem) == (JOURNAL, 10, 10, None)
    assert (later.events, later.last, later.problem) == (7, 10, None)


def test_reading_leaves_no_trace(room: Path) -> None:
    before = room.stat()
    verify_room(room)
    after = room.stat()
    assert (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size)
    assert [file.name for file in room.parent.iterdir()] == ["room"]


@pytest.mark.parametrize(
    ("change", "place", "kind"),
    [
        ("DELETE FROM events WHERE sequence = 4", "event 4", "gap"),
        ("UPDATE events SET body = replace(body, 'cards', 'carts') WHERE sequence = 4",
         "event 5", "hash"),
        ("UPDATE events SET severity = 5 WHERE sequence = 6", "event 6", "column"),
        ("UPDATE events SET hash = '' WHERE sequence = 6", "event 6", "column"),
        ("UPDATE events SET body = '{}' WHERE sequence = 1", "the first event", "identity"),
    ],
)  # fmt: skip
def test_a_changed_copy_is_found_out(
    room: Path, change: str, place: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    connection = sqlite3.connect(room)
    connection.execute(change.replace("= 4", "IN (4, 5)") if "carts" in change else change)
    connection.commit()
    connection.close()
    problem = verify_room(room)[0].problem
    assert problem is not None
    assert (problem.place, problem.kind) == (place, kind)
    assert main(["journal", "verify", str(room), "--json"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert told[0]["problem"] is not None


def test_the_copy_is_a_witness(room: Path, tmp_path: Path) -> None:
    lines = export_of(ITEMS)
    whole, short = tmp_path / "whole", tmp_path / "short"
    whole.write_bytes(b"".join(lines))
    short.write_bytes(b"".join(with_true_end(lines[: at_event(lines, 9)])))
    assert main(["journal", "verify", str(whole), "--against", str(room)]) == 0
    assert main(["journal", "verify", str(short), "--against", str(room)]) == 1
    assert main(["journal", "verify", str(room), "--against", str(whole)]) == 1


def test_a_checkpoint_among_the_events_is_checked_with_the_table_s_key(tmp_path: Path) -> None:
    """As the table publishes it: an event that bears a statement about the place before it."""
    from controller.core.codec import plain
    from controller.core.events import Event
    from controller.core.inputs import Arrived, Open
    from controller.journal.record import Chain, seal

    sealer = Sealer.from_file(tmp_path / "key")
    chain, bodies = Chain(JOURNAL, "T-1"), []
    for number in range(1, 7):
        event = Event("card")
        if number == 5:
            sealed = sealer.sealed(chain, 0)
            data = {"checkpoint": plain(sealed.checkpoint), "public_key": sealed.public_key}
            event = Event("journal.checkpoint", data)
        arrived = Arrived(number, number, number, 1, True, "floorperson", "f", Open())
        turn = seal(chain, arrived, (event,), ())
        chain = turn.chain
        bodies += [one.body for one in turn.events]
    write_room(tmp_path / "room", (JOURNAL, bodies))
    (report,) = verify_room(tmp_path / "room", [sealer.public_key])
    assert (report.problem, report.sealed, report.keys) == (None, 4, [sealer.key_id])
    (unpinned,) = verify_room(tmp_path / "room")
    assert (unpinned.sealed, unpinned.keys) == (4, [sealer.key_id])
    other = Sealer.from_file(tmp_path / "other").public_key
    (report,) = verify_room(tmp_path / "room", [other])
    assert report.problem is not None
    assert report.problem.kind == "signature"


def test_what_is_no_copy_is_none(tmp_path: Path, room: Path) -> None:
    assert not is_room(tmp_path)
    assert not is_room(tmp_path / "none")
    connection = sqlite3.connect(room)
    connection.execute("DROP TABLE journals")
    connection.close()
    with pytest.raises(NoJournal, match="no table journals"):
        verify_room(room)


def test_a_copy_whose_recorder_runs_is_known_from_its_first_moment(tmp_path: Path) -> None:
    database = SqliteDatabase(tmp_path / "room.sqlite")
    assert is_room(tmp_path / "room.sqlite"), "all of it but the name still stands in the log"
    database.close()

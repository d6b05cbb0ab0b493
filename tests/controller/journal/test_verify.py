"""Whatever is changed in a journal or an export, the first wrong record is named."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.cli import main
from controller.core.inputs import Arrived
from controller.journal.record import seal
from controller.journal.seal import Sealer
from controller.journal.source import NoJournal
from controller.journal.store import Entry, Store
from controller.journal.verify import verify
from hal.facts import CardDrawn, Drawn
from tests.controller.journal.writing import MIX, MOMENT_MS, Writer, write_journal


@pytest.fixture
async def journal(tmp_path: Path) -> Path:
    sealer = Sealer.from_file(tmp_path / "key")
    await write_journal(tmp_path / "j", MIX * 3, sealer)
    return tmp_path / "j"


@pytest.fixture
def export(journal: Path, tmp_path: Path) -> Path:
    assert main(["journal", "export", str(journal), "--output", str(tmp_path / "e.jsonl")]) == 0
    return tmp_path / "e.jsonl"


@pytest.fixture(scope="module")
def plain_export(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Path]:
    """An export without a checkpoint, and a place for damaged copies of it."""
    folder = tmp_path_factory.mktemp("export")
    asyncio.run(write_journal(folder / "j"))
    main(["journal", "export", str(folder / "j"), "--output", str(folder / "e")])
    return (folder / "e").read_bytes(), folder / "changed"


def test_a_sound_journal_and_its_export_are_in_order(journal: Path, export: Path) -> None:
    for path in (journal, export):
        report = verify(path)
        assert report.problem is None
        assert (report.inputs, report.events, report.effects, report.checkpoints) == (18, 15, 3, 1)


@pytest.mark.parametrize(
    ("change", "place", "kind"),
    [
        ("UPDATE events SET body = replace(body, 'card', 'carp') WHERE sequence = 2",
         "event 2", "hash"),
        ("UPDATE events SET body = body || ' ' WHERE sequence = 3", "event 3", "not-canonical"),
        ("UPDATE events SET hash = substr(hash, 2) || substr(hash, 1, 1) WHERE sequence = 4",
         "event 4", "column"),
        ("UPDATE events SET severity = 5 WHERE sequence = 4", "event 4", "column"),
        ("UPDATE events SET input = 1 WHERE sequence = 4", "event 4", "column"),
        ("DELETE FROM events WHERE sequence = 3", "event 3", "gap"),
        ("DELETE FROM events WHERE sequence = 15", "event 15", "gap"),
        ("DELETE FROM inputs WHERE n = 5", "input 5", "gap"),
        ("DELETE FROM inputs WHERE n = 18", "input 18", "truncated"),
        ("DELETE FROM effects WHERE number = 1", "effect 1", "gap"),
        ("DELETE FROM effects WHERE number = 3", "effect 3", "gap"),
        ("UPDATE inputs SET digest = substr(digest, 2) || substr(digest, 1, 1) WHERE n = 7",
         "input 7", "inputdigest"),
        ("UPDATE inputs SET outcome = 'lost' WHERE n = 7", "input 7", "column"),
        ("UPDATE inputs SET body = replace(body, '\"index\":1', '\"index\":9') WHERE n = 2",
         "input 2", "inputdigest"),
        ("UPDATE inputs SET body = replace(body, '\"n\":2', '\"n\":3') WHERE n = 2", "input 2",
         "gap"),
        ("UPDATE inputs SET sequence = 4 WHERE n = 4", "event 4", "column"),
        ("UPDATE effects SET body = replace(body, '1', '2') WHERE number = 1", "input 3",
         "inputdigest"),
        ("UPDATE snapshots SET body = replace(body, '0', '1')", "snapshot after input 10",
         "snapshot"),
        ("UPDATE meta SET value = 'ffff' WHERE key = 'journal'", "event 1", "identity"),
        ("UPDATE meta SET value = 'T-2' WHERE key = 'table_id'", "event 1", "identity"),
        ("UPDATE checkpoints SET body = replace(body, '\"effects\":3', '\"effects\":4')",
         "checkpoint after input 18", "checkpoint"),
        ("UPDATE events SET body = 'null' WHERE sequence = 5", "event 5", "unreadable"),
        ("UPDATE inputs SET body = '[1.5]' WHERE n = 5", "input 5", "unreadable"),
        ("INSERT INTO events SELECT 16, 18, '', 0, hash, body FROM events WHERE sequence = 1",
         "table events", "count"),
    ],
)  # fmt: skip
def test_a_changed_record_is_named(journal: Path, change: str, place: str, kind: str) -> None:
    connection = sqlite3.connect(journal)
    assert connection.execute(change).rowcount > 0
    connection.commit()
    connection.close()
    problem = verify(journal).problem
    assert problem is not None
    assert (problem.place, problem.kind) == (place, kind)
    assert main(["journal", "verify", str(journal)]) == 1


def test_a_whole_new_chain_after_a_changed_event_contradicts_the_checkpoint(
    journal: Path, export: Path, tmp_path: Path
) -> None:
    lines = export.read_bytes().splitlines(keepends=True)
    cut = [line for line in lines if b'"input":{' not in line or b'"n":18' not in line]
    forged = tmp_path / "forged.jsonl"
    forged.write_bytes(b"".join(line for line in cut if b'"sequence":"000000000015"' not in line))
    problem = verify(forged).problem
    assert problem is not None
    assert (problem.place, problem.kind) == ("event 15", "truncated")


def test_every_single_line_missing_or_twice_is_found(export: Path, tmp_path: Path) -> None:
    lines = export.read_bytes().splitlines(keepends=True)
    damaged = tmp_path / "damaged.jsonl"
    for i in range(1, len(lines)):
        for other in ([], [lines[i], lines[i]]):
            damaged.write_bytes(b"".join([*lines[:i], *other, *lines[i + 1 :]]))
            # The last but one is a checkpoint: a chain may end without one, or say it twice.
            if i != len(lines) - 2:
                assert verify(damaged).problem is not None, (i, len(other))


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_changed_byte_of_an_export_is_found(
    plain_export: tuple[bytes, Path], data: st.DataObject
) -> None:
    whole, place = plain_export
    start = whole.index(b"\n") + 1
    # The end of the last line may be written in any way.
    at = data.draw(st.integers(start, len(whole) - 2))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != whole[at]))
    place.write_bytes(whole[:at] + bytes([byte]) + whole[at + 1 :])
    assert verify(place).problem is not None


def test_any_flipped_byte_of_a_body_in_the_file_is_found(journal: Path, tmp_path: Path) -> None:
    whole = journal.read_bytes()
    damaged = tmp_path / "damaged"
    for mark in (b'"type":"card"', b'"index":1', b'"type":"draw_number"', b'"prevhash":"'):
        at = whole.index(mark) + len(mark) - 2
        damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert verify(damaged).problem is not None, mark


def test_a_file_cut_short_is_damaged_or_short_and_never_in_order(
    journal: Path, tmp_path: Path
) -> None:
    whole = journal.read_bytes()
    damaged = tmp_path / "damaged"
    for size in range(1024, len(whole), 1024):
        damaged.write_bytes(whole[:size])
        try:
            assert verify(damaged).problem is not None, size
        except NoJournal:
            continue


def test_a_log_cut_short_at_any_place_loses_only_its_end(tmp_path: Path) -> None:
    async def write() -> None:
        store = await Store.open(tmp_path / "live", "T-1")
        writer = Writer(store.chain)
        for source, item in MIX:
            await store.commit([writer.entry(source, item)])
        for name in ("live", "live-wal"):
            shutil.copyfile(tmp_path / name, tmp_path / f"kept{name[4:]}")
        await store.close()

    asyncio.run(write())
    log = (tmp_path / "kept-wal").read_bytes()
    seen = set()
    for size in range(len(log), 0, -521):
        (tmp_path / "kept-wal").write_bytes(log[:size])
        try:
            report = verify(tmp_path / "kept")
        except NoJournal:
            # Not even the file's own tables are left.
            continue
        assert report.problem is None
        seen.add(report.inputs)
    assert seen >= {0, 3, 6}


def test_it_needs_nothing_but_python() -> None:
    program = (
        "import sys; import controller.journal.verify; "
        "print(sorted(m.split('.')[0] for m in sys.modules))"
    )
    said = subprocess.run(
        [sys.executable, "-S", "-c", program], capture_output=True, text=True, check=True
    )
    assert "cryptography" not in said.stdout


def test_the_report_of_the_command_is_one_json_object(
    journal: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["journal", "verify", str(journal), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["events"], said["problem"]) == (15, None)


@pytest.mark.parametrize(("boot", "sound"), [(1, False), (2, True)])
async def test_a_mark_of_a_fault_ends_its_run(tmp_path: Path, boot: int, sound: bool) -> None:
    """A replay passes over such an input: a decision without events could be undone by it."""
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    entries = [writer.entry("shoe", CardDrawn(1, "down"))]
    for number, of_boot in ((2, 1), (3, 1), (4, boot)):
        arrived = Arrived(number, MOMENT_MS, number, of_boot, True, "shoe", None, Drawn(4, 1))
        turn = seal(writer.chain, arrived, (), ())
        writer.chain = turn.chain
        entries.append(Entry(turn, "ok" if number == 4 else "fault"))
    await store.commit(entries)
    await store.close()
    assert main(["journal", "export", str(tmp_path / "j"), "--output", str(tmp_path / "e")]) == 0
    for path in (tmp_path / "j", tmp_path / "e"):
        problem = verify(path).problem
        told = None if problem is None else (problem.place, problem.kind)
        assert told == (None if sound else ("input 3", "column"))

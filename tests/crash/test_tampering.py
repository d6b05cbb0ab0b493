"""Whoever changes a record is found out, and the words say what was done."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.outside import known_of
from controller.journal.proof.report import Problem
from controller.journal.proof.witness import Witness
from controller.journal.seal import Sealer
from controller.journal.verify import verify
from hal.facts import CardDrawn
from tests.controller.journal.forging import (
    Lines,
    at_event,
    export_of,
    with_true_end,
    write_sealed,
)
from tests.controller.journal.writing import MIX

ITEMS = MIX * 3


@pytest.fixture(scope="module")
def sealer(tmp_path_factory: pytest.TempPathFactory) -> Sealer:
    return Sealer.from_file(tmp_path_factory.mktemp("keys") / "table.key")


@pytest.fixture(scope="module")
def thief(tmp_path_factory: pytest.TempPathFactory) -> Sealer:
    return Sealer.from_file(tmp_path_factory.mktemp("keys") / "thief.key")


def found(path: Path, sealer: Sealer, witness: Path | None = None) -> Problem:
    known = None
    if witness is not None:
        known = Witness()
        known.add(known_of(witness), witness.name)
    problem = verify(path, [sealer.public_key], known).problem
    assert problem is not None
    return problem


def saved(path: Path, lines: Lines) -> Path:
    path.write_bytes(b"".join(with_true_end(lines)))
    return path


def test_the_untouched_record_is_in_order(tmp_path: Path, sealer: Sealer) -> None:
    path = saved(tmp_path / "e", export_of(ITEMS, sealer))
    report = verify(path, [sealer.public_key])
    assert report.problem is None
    assert (report.events, report.sealed, report.keys) == (15, 15, [sealer.key_id])


def changed(lines: Lines) -> Lines:
    at = at_event(lines, 7)
    return [*lines[:at], lines[at].replace(b'"cards":', b'"carts":'), *lines[at + 1 :]]


def changed_and_hashed_anew(lines: Lines) -> Lines:
    """One event with a hash that fits it, the rest of the chain as it was."""
    forged = export_of((*ITEMS[:7], ("shoe", CardDrawn(9, "down")), *ITEMS[8:]))
    at = at_event(lines, 7)
    return [*lines[:at], forged[at_event(forged, 7)], *lines[at + 1 :]]


def deleted(lines: Lines) -> Lines:
    at = at_event(lines, 7)
    return [*lines[:at], *lines[at + 1 :]]


def inserted(lines: Lines) -> Lines:
    at = at_event(lines, 7)
    return [*lines[:at], lines[at].replace(b'"card"', b'"cord"'), *lines[at:]]


def repeated(lines: Lines) -> Lines:
    at = at_event(lines, 7)
    return [*lines[: at + 1], lines[at], *lines[at + 1 :]]


def reordered(lines: Lines) -> Lines:
    one, other = at_event(lines, 7), at_event(lines, 8)
    lines = list(lines)
    lines[one], lines[other] = lines[other], lines[one]
    return lines


def an_input_changed(lines: Lines) -> Lines:
    at = at_event(lines, 7) - 1
    assert lines[at].startswith(b'{"input"')
    return [*lines[:at], lines[at].replace(b'"index":1', b'"index":4'), *lines[at + 1 :]]


def an_effect_changed(lines: Lines) -> Lines:
    at = next(i for i, line in enumerate(lines) if line.startswith(b'{"effect"'))
    return [*lines[:at], lines[at].replace(b'"draw":1', b'"draw":2'), *lines[at + 1 :]]


def an_input_deleted(lines: Lines) -> Lines:
    at = next(i for i, line in enumerate(lines) if b'"n":8,' in line)
    return [*lines[:at], *lines[at + 1 :]]


def the_signature_changed(lines: Lines) -> Lines:
    at = next(i for i, line in enumerate(lines) if line.startswith(b'{"checkpoint"'))
    old = lines[at][lines[at].index(b'"signature":"') + 13 :][:1]
    new = b"0" if old != b"0" else b"1"
    forged = lines[at].replace(b'"signature":"' + old, b'"signature":"' + new)
    return [*lines[:at], forged, *lines[at + 1 :]]


@pytest.mark.parametrize(
    ("forge", "place", "kind"),
    [
        (changed, "event 7", "hash"),
        (changed_and_hashed_anew, "event 7", "inputdigest"),
        (deleted, "event 7", "gap"),
        (inserted, "event 7", "hash"),
        (repeated, "event 8", "duplicate"),
        (reordered, "event 7", "order"),
        (an_input_changed, "event 7", "inputdigest"),
        (an_effect_changed, "event 3", "inputdigest"),
        (an_input_deleted, "input 8", "gap"),
        (the_signature_changed, "checkpoint after input 6", "signature"),
    ],
)
def test_what_was_done_to_an_export_is_named(
    forge: Callable[[Lines], Lines], place: str, kind: str, tmp_path: Path, sealer: Sealer
) -> None:
    problem = found(saved(tmp_path / "e", forge(export_of(ITEMS, sealer))), sealer)
    assert (problem.place, problem.kind) == (place, kind)


def test_an_export_that_breaks_off_is_short_of_its_last_line(
    tmp_path: Path, sealer: Sealer
) -> None:
    lines = export_of(ITEMS, sealer)
    (tmp_path / "e").write_bytes(b"".join(lines[:-1]))
    problem = found(tmp_path / "e", sealer)
    assert (problem.place, problem.kind) == ("input 19", "truncated")


def test_a_shortened_export_with_a_last_line_that_fits_is_known_to_a_witness(
    tmp_path: Path, sealer: Sealer
) -> None:
    lines = export_of(ITEMS, sealer)
    witness = saved(tmp_path / "w", lines)
    at = at_event(lines, 13) - 1
    short = saved(tmp_path / "e", lines[:at])
    assert verify(short, [sealer.public_key]).problem is None
    problem = found(short, sealer, witness)
    assert (problem.place, problem.kind) == ("event 13", "truncated")
    assert "event 15" in problem.detail


def test_a_checkpoint_beyond_the_end_shows_that_the_end_is_gone(
    tmp_path: Path, sealer: Sealer
) -> None:
    lines = export_of(ITEMS, sealer)
    statement = next(line for line in reversed(lines) if line.startswith(b'{"checkpoint"'))
    short = saved(tmp_path / "e", [*lines[: at_event(lines, 13) - 1], statement])
    problem = found(short, sealer)
    assert (problem.place, problem.kind) == ("event 13", "truncated")


def test_another_key_is_named(tmp_path: Path, sealer: Sealer, thief: Sealer) -> None:
    """A whole history invented and signed is sound in itself; only the key and the witness tell."""
    true = saved(tmp_path / "w", export_of(ITEMS, sealer))
    invented = (*ITEMS[:7], ("shoe", CardDrawn(9, "down")), *ITEMS[8:])
    path = saved(tmp_path / "e", export_of(invented, thief))
    assert verify(path).problem is None
    assert verify(path).unchecked == 3
    problem = found(path, sealer)
    assert (problem.place, problem.kind) == ("checkpoint after input 6", "signature")
    assert thief.key_id in problem.detail
    problem = found(path, thief, true)
    assert (problem.place, problem.kind) == ("event 7", "fork")
    assert "agree up to event 6" in problem.detail


def test_a_record_without_its_checkpoints_is_not_signed(tmp_path: Path, sealer: Sealer) -> None:
    path = saved(tmp_path / "e", export_of(ITEMS))
    assert verify(path).problem is None
    assert found(path, sealer).kind == "signature"


def test_another_journal_of_the_same_table_is_named(tmp_path: Path, sealer: Sealer) -> None:
    witness = saved(tmp_path / "w", export_of(ITEMS, sealer))
    other = saved(tmp_path / "e", export_of(ITEMS, sealer, journal="cd" * 16))
    problem = found(other, sealer, witness)
    assert problem.kind == "foreign"
    assert "cd" * 16 in problem.detail
    assert "ab" * 16 in problem.detail


def test_an_older_copy_of_the_database_is_known_to_its_witness(
    tmp_path: Path, sealer: Sealer
) -> None:
    write_sealed(tmp_path / "j", 12, sealer)
    shutil.copyfile(tmp_path / "j", tmp_path / "older")
    continue_journal(tmp_path / "j", sealer)
    assert verify(tmp_path / "older", [sealer.public_key]).problem is None
    problem = found(tmp_path / "older", sealer, tmp_path / "j")
    assert (problem.place, problem.kind) == ("event 11", "truncated")
    assert "an older copy" in problem.detail


def continue_journal(path: Path, sealer: Sealer) -> None:
    import asyncio

    from controller.journal.store import Store
    from tests.controller.journal.writing import Writer

    async def go_on() -> None:
        store = await Store.open(path, "T-1")
        writer = Writer(store.chain)
        for item in MIX:
            await store.commit([writer.entry(*item)])
        await store.close()

    asyncio.run(go_on())


@pytest.mark.parametrize("reader", ["broker", "store"])
def test_a_reader_that_was_further_shows_that_the_end_is_gone(
    reader: str, tmp_path: Path, sealer: Sealer
) -> None:
    write_sealed(tmp_path / "j", 12, sealer)
    for at, kind in ((10, None), (11, "truncated")):
        edit(tmp_path / "j", "INSERT OR REPLACE INTO cursors VALUES (?, ?)", reader, at)
        problem = verify(tmp_path / "j").problem
        assert (problem and problem.kind) == kind
    assert problem is not None
    assert (problem.place, reader in problem.detail) == ("event 11", True)


def test_a_database_whose_last_turns_were_taken_out_contradicts_its_checkpoint(
    tmp_path: Path, sealer: Sealer
) -> None:
    write_sealed(tmp_path / "j", 12, sealer)
    edit(tmp_path / "j", "DELETE FROM inputs WHERE n > 9")
    edit(tmp_path / "j", "DELETE FROM events WHERE input > 9")
    edit(tmp_path / "j", "DELETE FROM effects WHERE input > 9")
    problem = found(tmp_path / "j", sealer)
    assert (problem.place, problem.kind) == ("input 10", "truncated")


def test_events_as_the_room_saw_them_are_a_witness(tmp_path: Path, sealer: Sealer) -> None:
    lines = export_of(ITEMS, sealer)
    seen = tmp_path / "seen.jsonl"
    seen.write_bytes(b"".join(line[9:-2] + b"\n" for line in lines if line.startswith(b'{"event"')))
    whole, short = saved(tmp_path / "e", lines), saved(tmp_path / "s", lines[: at_event(lines, 9)])
    assert main(["journal", "verify", str(whole), "--against", str(seen)]) == 0
    assert main(["journal", "verify", str(short), "--against", str(seen)]) == 1


def test_statements_alone_are_a_witness(
    tmp_path: Path, sealer: Sealer, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = export_of(ITEMS, sealer)
    said = tmp_path / "checkpoints.jsonl"
    said.write_bytes(
        b"".join(line[14:-2] + b"\n" for line in lines if line.startswith(b'{"checkpoint"'))
    )
    whole, short = saved(tmp_path / "e", lines), saved(tmp_path / "s", lines[: at_event(lines, 9)])
    assert main(["journal", "verify", str(whole), "--against", str(said)]) == 0
    assert main(["journal", "verify", str(short), "--against", str(said)]) == 1
    assert "truncated" in capsys.readouterr().out


def edit(path: Path, change: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(change, values)
    connection.commit()
    connection.close()

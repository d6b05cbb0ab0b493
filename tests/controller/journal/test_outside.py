"""A witness is read as the room keeps it; a damaged one is named, not believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.outside import known_of
from controller.journal.proof.report import Wrong
from controller.journal.seal import Sealer
from controller.journal.source import NoJournal
from tests.controller.journal.forging import at_event, export_of, write_sealed
from tests.controller.journal.writing import MIX


@pytest.fixture
def sealer(tmp_path: Path) -> Sealer:
    return Sealer.from_file(tmp_path / "key")


def test_journal_export_and_events_know_the_same(tmp_path: Path, sealer: Sealer) -> None:
    write_sealed(tmp_path / "j", 12, sealer)
    main(["journal", "export", str(tmp_path / "j"), "--output", str(tmp_path / "e")])
    lines = (tmp_path / "e").read_bytes().splitlines()
    seen = tmp_path / "seen"
    seen.write_bytes(b"\n".join(line[9:-1] for line in lines if line.startswith(b'{"event"')))
    known = [set(known_of(tmp_path / name)) for name in ("j", "e", "seen")]
    assert known[0] == known[1] == known[2]
    assert {one.sequence for one in known[0]} == set(range(1, 11))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{}\n", "line 1: checkpoint: neither an event nor a checkpoint"),
        (b'{"specversion":"1.0"}\n', "line 1: hash"),
        (b'{"hash":"00","sequence":"7"}\n', "line 1: checkpoint"),
    ],
)
def test_a_line_that_says_nothing_is_named(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(Wrong, match=said):
        list(known_of(tmp_path / "w"))


@pytest.mark.parametrize("content", [b"hello\n", b"[]\n", b'{"a":1.5}\n', b"\xff\n", b'{"a":'])
def test_a_file_of_something_else_is_no_witness(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "w").write_bytes(content)
    with pytest.raises(NoJournal, match="w:1: neither"):
        list(known_of(tmp_path / "w"))


def test_a_changed_event_of_a_witness_is_named(tmp_path: Path) -> None:
    lines = export_of(MIX)
    line = lines[at_event(lines, 2)][9:-2].replace(b'"cards":1', b'"cards":2')
    (tmp_path / "w").write_bytes(line + b"\n")
    with pytest.raises(Wrong, match="line 1: hash"):
        list(known_of(tmp_path / "w"))


def test_what_is_no_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none"):
        with pytest.raises(NoJournal):
            list(known_of(path))


def test_a_witness_without_a_word_is_refused(tmp_path: Path, sealer: Sealer) -> None:
    write_sealed(tmp_path / "j", 6, sealer)
    (tmp_path / "w").write_bytes(b"\n")
    assert main(["journal", "verify", str(tmp_path / "j"), "--against", str(tmp_path / "w")]) == 2

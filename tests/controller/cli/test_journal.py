"""`tablectl journal` as a person and a script see it."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from controller.cli import main
from controller.journal.seal import Sealer
from controller.journal.store import Store
from controller.journal.verify import verify
from tests.controller.journal.writing import MIX, Writer, write_journal

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    asyncio.run(write_journal(tmp_path / "j", MIX, Sealer.from_file(tmp_path / "key")))
    return tmp_path / "j"


def test_show_gives_a_line_an_event(journal: Path, capsys: Capture) -> None:
    assert main(["journal", "show", str(journal)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert "startpos.determined" in lines[2]
    assert "number=4" in lines[2]


def test_show_picks_by_sequence_and_type(journal: Path, capsys: Capture) -> None:
    main(["journal", "show", "--journal", str(journal), "--first", "2", "--last", "4", "--json"])
    events = [json.loads(line)["event"] for line in capsys.readouterr().out.splitlines()]
    assert [int(event["sequence"]) for event in events] == [2, 3, 4]
    main(["journal", "show", str(journal), "--type", "card", "--json"])
    assert len(capsys.readouterr().out.splitlines()) == 2
    main(["journal", "show", str(journal), "--all"])
    assert "draw_number" in capsys.readouterr().out


def test_verify_tells_whether_the_key_signed(journal: Path, tmp_path: Path) -> None:
    key, other = tmp_path / "public", tmp_path / "other"
    key.write_text(Sealer.from_file(tmp_path / "key").public_key.hex(), encoding="ascii")
    other.write_text("00" * 32, encoding="ascii")
    assert main(["journal", "verify", str(journal), "--key", str(key)]) == 0
    assert main(["journal", "verify", str(journal), "--key", str(other)]) == 1
    assert main(["journal", "verify", str(journal), "--key", str(tmp_path / "none")]) == 2


def test_export_is_verified_and_never_overwrites(
    journal: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    place = tmp_path / "e.jsonl"
    assert main(["journal", "export", str(journal), "--output", str(place)]) == 0
    assert main(["journal", "export", str(journal), "--output", str(place)]) == 2
    assert verify(place).problem is None
    capfdbinary.readouterr()
    again = tmp_path / "again.jsonl"
    assert main(["journal", "export", str(place), "--output", str(again)]) == 0
    assert again.read_bytes() == place.read_bytes()


def test_a_missing_journal_is_a_usage_error(tmp_path: Path, capsys: Capture) -> None:
    for action in ("show", "tail", "verify", "export"):
        assert main(["journal", action, str(tmp_path / "none")]) == 2
        assert main(["journal", action]) == 2
    assert "No such file" in capsys.readouterr().err


async def test_tail_follows_a_journal_in_use(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    writer = Writer(store.chain)
    await store.commit([writer.entry(*MIX[1])])
    command = (sys.executable, "-m", "controller", "journal", "tail", str(tmp_path / "j"), "--json")
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    assert process.stdout is not None
    for sequence in (1, 2, 3):
        line = await asyncio.wait_for(process.stdout.readline(), 10)
        assert int(json.loads(line)["event"]["sequence"]) == sequence
        await store.commit([writer.entry(*MIX[1])])
    process.send_signal(signal.SIGINT)
    assert await process.wait() == 130
    await store.close()

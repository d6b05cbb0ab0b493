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
    other.write_text(Sealer.from_file(tmp_path / "else").public_key.hex(), encoding="ascii")
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


def test_show_picks_by_round_rule_severity_and_time(journal: Path, capsys: Capture) -> None:
    for options, count in (
        (["--severity", "0"], 5), (["--severity", "1"], 0), (["--round", "7"], 0),
        (["--rule", "633a"], 0), (["--irregularity", "I1"], 0),
        (["--since", "2026-01-05T18:00:00.003Z"], 3), (["--until", "2026-01-05T18:00:00.003Z"], 2),
        (["--all", "--type", "startpos"], 1), (["--all"], 5),
    ):  # fmt: skip
        assert main(["journal", "show", str(journal), "--json", *options]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert sum(line.startswith('{"event"') for line in lines) == count, options
    assert main(["journal", "show", str(journal), "--since", "yesterday"]) == 2
    assert "--since: 'yesterday' is no time" in capsys.readouterr().err


def test_a_part_is_exported_and_verified(journal: Path, tmp_path: Path, capsys: Capture) -> None:
    place = tmp_path / "part.jsonl"
    options = ["--first", "2", "--last", "3", "--output", str(place)]
    assert main(["journal", "export", str(journal), *options]) == 0
    assert main(["journal", "verify", str(place)]) == 0
    said = capsys.readouterr()
    assert "begins at input 2, event 2" in said.out
    assert said.err == ""
    assert (
        main(["journal", "export", str(journal), "--round", "9", "--output", str(tmp_path / "n")])
        == 1
    )
    assert "nothing in the record is of round 9" in capsys.readouterr().err
    assert not (tmp_path / "n").exists()


def test_a_damaged_journal_is_shown_as_far_as_it_can_be(
    journal: Path, tmp_path: Path, capsys: Capture
) -> None:
    whole = journal.read_bytes()
    at = whole.index(b'"specversion"')
    journal.write_bytes(whole[:at] + b"\xff" * 8 + whole[at + 8 :])
    for options in (["show"], ["tail", "--no-follow"]):
        assert main(["journal", *options, str(journal)]) == 1
        assert "damaged" in capsys.readouterr().err
    # The bytes of a damaged record are evidence: an export keeps them as they are.
    assert main(["journal", "export", str(journal), "--output", str(tmp_path / "e")]) == 0
    assert main(["journal", "verify", str(tmp_path / "e")]) == 1


def test_verify_takes_several_files_and_the_worst_counts(
    journal: Path, tmp_path: Path, capsys: Capture
) -> None:
    damaged = tmp_path / "d"
    damaged.write_bytes(journal.read_bytes().replace(b'"cards":2', b'"cards":9'))
    assert main(["journal", "verify", str(journal), str(damaged), "--json"]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [one["problem"] and one["problem"]["place"] for one in told] == [None, "event 5"]

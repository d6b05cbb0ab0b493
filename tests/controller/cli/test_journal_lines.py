"""What is shown of a record is what was asked for, of a part as of the whole."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from pathlib import Path

import pytest

from controller.cli import main
from controller.cli.journal_lines import selection_of, show, tail
from controller.journal.selection import Selection
from tests.controller.journal.writing import MIX, write_journal

NOTHING = {
    "since": None, "until": None, "round": None, "irregularity": None, "type": None, "rule": None,
    "severity": None,
}  # fmt: skip


def test_filters_become_one_selection() -> None:
    assert selection_of(Namespace(**NOTHING)) == Selection()
    asked = {**NOTHING, "since": "1970-01-01T00:00:01Z", "round": 7}
    assert selection_of(Namespace(**asked, first=3, last=4)) == Selection(3, 4, 1000, None, 7)


def test_a_part_shows_its_links_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(write_journal(tmp_path / "j", MIX * 2))
    part = str(tmp_path / "e")
    main(
        ["journal", "export", str(tmp_path / "j"), "--first", "2", "--last", "3", "--output", part]
    )
    capsys.readouterr()
    args = Namespace(**NOTHING, first=None, last=None, json=False, all=False)
    assert show(Path(part), args) == 0
    assert len(capsys.readouterr().out.splitlines()) == 9


def test_a_tail_ends_with_the_newest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asyncio.run(write_journal(tmp_path / "j"))
    args = Namespace(**{**NOTHING, "type": "card"}, n=1, json=False, no_follow=True)
    assert tail(tmp_path / "j", args) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.split()[:3] == ["5", "2026-01-05T18:00:00.006Z", "card"]

"""A journal's turns come whole and in order, a bounded number at a time."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

from controller.journal.turns import turns_in
from tests.controller.journal.writing import MIX, write_journal


def test_turns_come_with_what_they_brought(tmp_path: Path) -> None:
    asyncio.run(write_journal(tmp_path / "j"))
    connection = sqlite3.connect(tmp_path / "j")
    turns = turns_in(connection, 0, 100)
    assert [turn.number for turn in turns] == list(range(1, len(MIX) + 1))
    assert [len(turn.events) for turn in turns] == [1, 1, 0, 1, 1, 1]
    assert [len(turn.effects) for turn in turns] == [0, 0, 1, 0, 0, 0]
    assert turns_in(connection, 2, 2) == turns[2:4]
    assert turns_in(connection, 6, 2) == []
    connection.close()

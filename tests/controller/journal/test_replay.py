"""The journal leads back to the state that was lost, and the same inputs give the same bytes."""

from __future__ import annotations

import dataclasses
import sqlite3
from pathlib import Path

import pytest

from controller.core.events import Event
from controller.core.inputs import Arrived
from controller.journal.program import Program
from controller.journal.replay import Diverged, compare, restore
from controller.journal.source import open_source
from controller.journal.store import Store
from controller.journal.trouble import CorruptJournal
from hal.facts import CardDrawn
from tests.controller.journal.writing import MIX, write_journal
from tests.controller.small_table import SmallState, SmallTurn, run, small_program

CARDS = [("shoe", CardDrawn(1, "down"))] * 9


def other_program() -> Program[SmallState]:
    """A version that says more of a card."""

    def differently(state: SmallState, arrived: Arrived) -> SmallTurn:
        turn = run(state, arrived)
        if isinstance(arrived.item, CardDrawn):
            return dataclasses.replace(turn, events=(*turn.events, Event("alarm.raised")))
        return turn

    return dataclasses.replace(small_program(), run=differently)


async def test_the_state_is_that_of_the_last_snapshot_and_the_turns_after_it(
    tmp_path: Path,
) -> None:
    writer = await write_journal(tmp_path / "j", MIX * 4)
    store = await Store.open(tmp_path / "j", "T-1")
    restored = await restore(store, small_program())
    assert (restored.state, restored.chain) == (writer.state, writer.chain)
    assert restored.replayed == 11
    await store.close()


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE snapshots SET body = replace(body, '1', '2')",
        "UPDATE snapshots SET digest = ''",
        "DELETE FROM snapshots",
    ],
)
async def test_without_a_snapshot_that_can_be_read_it_is_replayed_from_the_start(
    tmp_path: Path, damage: str
) -> None:
    writer = await write_journal(tmp_path / "j", MIX * 4)
    edit(tmp_path / "j", damage)
    store = await Store.open(tmp_path / "j", "T-1")
    restored = await restore(store, small_program())
    assert (restored.state, restored.replayed) == (writer.state, 24)
    await store.close()


async def test_a_state_of_another_shape_is_replayed_from_the_start(tmp_path: Path) -> None:
    writer = await write_journal(tmp_path / "j", CARDS)
    store = await Store.open(tmp_path / "j", "T-1")

    def load(body: bytes) -> SmallState:
        raise ValueError("state: member tables is missing")

    restored = await restore(store, dataclasses.replace(small_program(), load=load))
    assert (restored.state, restored.replayed) == (writer.state, 9)
    await store.close()


async def test_a_program_that_decides_otherwise_does_not_go_on(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j", CARDS)
    store = await Store.open(tmp_path / "j", "T-1")
    with pytest.raises(Diverged, match="input 6, event 2: recorded nothing, replayed"):
        await restore(store, other_program())
    await store.close()


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        ("UPDATE inputs SET body = replace(body, 'card', 'carp') WHERE n = 7", "input 7: cannot"),
        ("UPDATE inputs SET body = '7' WHERE n = 7", "input 7: cannot"),
        ("DELETE FROM inputs WHERE n = 7", "input 8: follows input 6"),
        ("UPDATE inputs SET digest = replace(digest, '0', '1') WHERE n = 7", "input 7: does not"),
    ],
)
async def test_a_damaged_turn_is_named_at_the_start(tmp_path: Path, damage: str, said: str) -> None:
    await write_journal(tmp_path / "j", CARDS)
    edit(tmp_path / "j", damage)
    store = await Store.open(tmp_path / "j", "T-1")
    with pytest.raises(CorruptJournal, match=said):
        await restore(store, small_program())
    await store.close()


async def test_a_whole_journal_replays_to_the_same_bytes(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j", MIX * 4)
    with open_source(tmp_path / "j") as source:
        assert compare(source.turns(), source.journal, source.table_id, small_program()) is None


async def test_the_first_difference_of_a_replay_is_named(tmp_path: Path) -> None:
    await write_journal(tmp_path / "j", MIX * 4)
    with open_source(tmp_path / "j") as source:
        difference = compare(source.turns(), source.journal, source.table_id, other_program())
    assert difference is not None
    assert difference.place == "input 2, event 2"
    assert difference.recorded == b"nothing"


def edit(path: Path, change: str) -> None:
    connection = sqlite3.connect(path)
    assert connection.execute(change).rowcount > 0
    connection.commit()
    connection.close()

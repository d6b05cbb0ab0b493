"""What a start says of itself first, and what it keeps for whoever judges it later."""

from __future__ import annotations

import dataclasses
import hashlib
from pathlib import Path

import pytest

from config.loader import load
from controller.broker_address import BrokerAddress
from controller.core.inputs import PowerLost, Started
from controller.core.recording import TakenOver, Unrecorded
from controller.core.state import TableState
from controller.core.table import new_state
from controller.demo.stage import Stage
from controller.identity import host_boot, program_digest
from controller.journal.replay import Restored
from controller.journal.store import Store
from controller.program import dump_state
from controller.start import Start, first_words, program_of_document, start_of


async def a_start(home: Path) -> Start:
    stage = Stage(home, "dj-wild", BrokerAddress("127.0.0.1", 9), 1.0, 1, ())
    return await start_of(load(stage.config))


async def test_a_start_goes_by_its_file_its_program_and_this_boot(tmp_path: Path) -> None:
    start = await a_start(tmp_path)
    assert (start.run.host, start.run.program) == (host_boot(), program_digest())
    bound = program_of_document(start.run.book)
    assert bound.first() == new_state(start.book)
    assert start.closed.table["phase"] == "closed"


@pytest.mark.parametrize("end", ["first", "clean", "crash", "power"])
async def test_it_says_how_the_one_before_ended(tmp_path: Path, end: str) -> None:
    start = await a_start(tmp_path)
    store = await Store.open(tmp_path / "j", "demo", run=start.run)
    store.previous_end = end
    where = Restored(new_state(start.book), store.chain, 0)
    first = await first_words(store, start, where, None)
    said = first[0]
    assert isinstance(said, Started)
    assert said.previous_end == end
    assert said.book == hashlib.sha256(start.run.book).hexdigest()
    assert (PowerLost() in first) is (end == "power")
    await store.close()


async def test_another_programs_state_is_kept_and_what_it_decided_otherwise_is_said(
    tmp_path: Path,
) -> None:
    start = await a_start(tmp_path)
    store = await Store.open(tmp_path / "j", "demo", run=start.run)
    state: TableState = new_state(start.book)
    where = Restored(state, store.chain, 3, "old")
    assert len(await first_words(store, start, where, None)) == 1
    (run,) = await store.runs()
    assert run.state is not None
    assert await store.document(run.state) == dump_state(state)
    differs = dataclasses.replace(where, differs="input 3, event 1")
    struck = Unrecorded("full", "no space")
    first = await first_words(store, start, differs, struck)
    assert first[1:] == [TakenOver("old", run.state, "input 3, event 1"), struck]
    await store.close()

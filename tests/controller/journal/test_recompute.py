"""A record is judged by the rules that it holds, from wherever it can be begun with."""

from __future__ import annotations

import asyncio
import dataclasses
import hashlib
import json
import sqlite3
from pathlib import Path

import pytest

from controller.cli import main
from controller.core.codec import canonical
from controller.core.events import Event
from controller.core.inputs import Arrived, Started
from controller.journal.program import Program
from controller.journal.recompute import NoBook, Recomputed, recompute
from controller.journal.record import Chain, seal
from controller.journal.schema import Run
from controller.journal.seal import Sealer
from controller.journal.source import open_source
from controller.journal.store import Entry, Snapshot, Store
from hal.facts import CardDrawn
from tests.controller.journal.writing import MOMENT_MS
from tests.controller.small_table import SmallState, SmallTurn, run, small_program

# A book of the small table is the name of the event that a card gives.
BOOKS = (b'{"card":"card"}', b'{"card":"cut.made"}')


def bound(document: bytes) -> Program[SmallState]:
    name = json.loads(document)["card"]

    def decide(state: SmallState, arrived: Arrived) -> SmallTurn:
        turn = run(state, arrived)
        if not isinstance(arrived.item, CardDrawn):
            return turn
        return dataclasses.replace(turn, events=(Event(name, {"cards": turn.state.cards}),))

    return dataclasses.replace(small_program(), run=decide)


class Runs:
    """Runs of a journal, each a start and some cards."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = SmallState()
        self.sealer = Sealer.from_file(path.with_name("key"))

    async def run(self, cards: int, book: bytes, program: str = "aa") -> None:
        store = await Store.open(self.path, "T-1", "", Run("host", program, book))
        digest = hashlib.sha256(book).hexdigest()
        started = Started("0.1", program, "", store.journal, store.previous_end, digest)
        items = [("system", started)] + [
            ("shoe", CardDrawn(i, "down")) for i in range(1, cards + 1)
        ]
        chain = store.chain
        for source, item in items:
            chain = await self._commit(store, chain, source, item, bound(book))
        await store.close()

    async def _commit(
        self, store: Store, chain: Chain, source: str, item: object, program: Program[SmallState]
    ) -> Chain:
        number = chain.inputs + 1
        arrived = Arrived(number, MOMENT_MS + number, number, store.boot, True, source, None, item)
        turn = program.run(self.state, arrived)
        sealed = seal(chain, turn.arrived, turn.events, turn.effects)
        self.state = turn.state
        state, chain = turn.state, sealed.chain
        statement = (chain.sequence, self.sealer.checkpoint(chain, MOMENT_MS))
        snapshot = Snapshot(chain, lambda: program.dump(state))
        await store.commit([Entry(sealed)], snapshot, statement if number % 4 == 0 else None)
        return chain


def again(path: Path, program: Program[SmallState] | None = None) -> Recomputed:
    with open_source(path) as source:
        return recompute(source, program, bound)


def exported(path: Path, *options: str) -> Path:
    place = path.with_name("e" + "".join(options))
    assert main(["journal", "export", str(path), "--output", str(place), *options]) == 0
    assert main(["journal", "verify", str(place)]) == 0
    return place


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    runs = Runs(tmp_path / "j")
    asyncio.run(runs.run(5, BOOKS[0]))
    asyncio.run(runs.run(4, BOOKS[1]))
    return tmp_path / "j"


def test_each_run_is_decided_by_its_own_book(journal: Path) -> None:
    for path in (journal, exported(journal)):
        done = again(path)
        assert [(one.first, one.decided) for one in done.stretches] == [(1, 6), (7, 5)]
        assert (done.differing, done.passed_over) == (None, 0)


def test_rules_that_are_named_take_the_place_of_the_record_s_own(journal: Path) -> None:
    done = again(journal, bound(BOOKS[0]))
    assert done.differing is not None
    assert "input 8, event 1" in str(done.differing.difference)
    assert (done.differing.first, done.decided) == (7, 7)


def test_a_record_without_its_rules_asks_for_them(tmp_path: Path) -> None:
    runs = Runs(tmp_path / "j")
    asyncio.run(runs.run(2, BOOKS[0]))
    edit(tmp_path / "j", "DELETE FROM documents")
    with pytest.raises(NoBook, match=r"its book .* --game or --table"):
        again(tmp_path / "j")


def test_a_changed_decision_is_found_though_its_chain_is_sound(tmp_path: Path) -> None:
    """Somebody with the key and the program may write any chain; the rules say otherwise."""
    runs = Runs(tmp_path / "j")
    asyncio.run(runs.run(3, BOOKS[0]))
    runs.state = dataclasses.replace(runs.state, cards=7)
    asyncio.run(runs.run(3, BOOKS[0]))
    assert main(["journal", "verify", str(tmp_path / "j")]) == 0
    differing = again(tmp_path / "j").differing
    assert differing is not None
    assert str(differing.difference).startswith("input 6, event 1: recorded")


def pruned(path: Path, inputs: int) -> None:
    edit(
        path, "INSERT INTO base SELECT json_extract(body, '$.inputs'), body FROM checkpoints"
        " WHERE json_extract(body, '$.inputs') = ?", inputs,
    )  # fmt: skip
    edit(path, "DELETE FROM inputs WHERE n <= ?", inputs)
    edit(path, "DELETE FROM events WHERE input <= ?", inputs)
    edit(path, "DELETE FROM snapshots WHERE input < ?", inputs)


def test_a_pruned_record_is_decided_from_the_state_at_its_base(journal: Path) -> None:
    pruned(journal, 8)
    for path in (journal, exported(journal)):
        done = again(path)
        assert (done.differing, done.passed_over, done.decided) == (None, 0, 3)
        assert done.stretches[0].first == 9


def test_a_pruned_record_without_that_state_says_what_it_did_not_decide(journal: Path) -> None:
    pruned(journal, 8)
    edit(journal, "DELETE FROM snapshots")
    assert (again(journal).decided, again(journal).passed_over) == (0, 3)


def test_a_part_that_begins_in_the_middle_cannot_be_decided(journal: Path) -> None:
    part = exported(journal, "--first", "3", "--last", "4")
    assert (again(part).decided, again(part).passed_over) == (0, 2)
    assert main(["replay", "--journal", str(part)]) == 2
    whole = exported(journal, "--last", "4")
    assert (again(whole).decided, again(whole).passed_over) == (4, 0)


def test_after_other_software_a_record_is_decided_from_the_state_it_took_over(
    tmp_path: Path,
) -> None:
    runs = Runs(tmp_path / "j")
    asyncio.run(runs.run(3, BOOKS[1], "old"))
    # The book was lost on the way: what was decided by it cannot come out the same any more.
    edit(tmp_path / "j", "UPDATE documents SET body = ?, digest = ?",
         BOOKS[0].decode(), hashlib.sha256(BOOKS[0]).hexdigest())  # fmt: skip
    asyncio.run(runs.run(3, BOOKS[0], "new"))
    edit(tmp_path / "j", "UPDATE documents SET kind = kind")
    state = canonical({"boots": 1, "cards": 3, "draws": 0, "effects": 0, "locked": False,
                       "mono_ms": 4, "timers": {}})  # fmt: skip
    digest = hashlib.sha256(state).hexdigest()
    edit(tmp_path / "j", "INSERT INTO documents VALUES (?, 'state', ?)", digest, state.decode())
    edit(tmp_path / "j", "UPDATE runs SET state = ? WHERE boot = 2", digest)
    for path in (tmp_path / "j", exported(tmp_path / "j")):
        done = again(path, bound(BOOKS[0]))
        assert [(one.first, one.program, one.decided) for one in done.stretches] == [
            (1, "old", 1), (5, "new", 4),
        ]  # fmt: skip
        assert done.differing is done.stretches[0]


def edit(path: Path, change: str, *values: object) -> None:
    connection = sqlite3.connect(path)
    connection.execute(change, values)
    connection.commit()
    connection.close()

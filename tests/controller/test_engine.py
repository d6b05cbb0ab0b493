"""The order of the loop: nothing that loosens, shows, answers or leaves precedes its record."""

from __future__ import annotations

import asyncio
import functools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.core.codec import canonical
from controller.core.inputs import Feathered, Idle, Resume, Spread
from controller.engine import INPUTS_PER_BATCH_MAX, ProgramFault
from controller.group_commit import INPUTS_PER_SNAPSHOT
from controller.journal.seal import Sealer, checkpoint_is_signed
from controller.journal.source import open_source
from controller.journal.store import Store
from controller.journal.verify import verify
from hal.facts import CardDrawn, Drawn, Jam, Power
from hal.ports import Heard
from tests.controller.bench import Bench, bench
from tests.controller.small_table import SmallState

CARD = CardDrawn(1, "down")


async def events_of(store: Store) -> list[str]:
    return [event.type for event in await store.events_after(0, 10_000)]


@contextmanager
def stalled_disk(store: Store) -> Iterator[None]:
    """The journal's own thread waits, as it does in a sync that does not return."""
    go_on = threading.Event()
    stall = asyncio.create_task(store._worker.do(go_on.wait))
    try:
        yield
    finally:
        go_on.set()
        stall.add_done_callback(asyncio.Task.result)


async def test_what_is_offered_is_durable_in_order_and_acknowledged(tmp_path: Path) -> None:
    receipts: list[int] = []
    async with bench(tmp_path / "j") as table:
        for number in range(200):
            table.hear(CARD, functools.partial(receipts.append, number))
        await table.settle()
        assert receipts == list(range(200))
        assert table.engine.state.cards == 200
        assert await events_of(table.store) == ["power.restored", *["card"] * 200]


async def test_a_state_survives_any_number_of_restarts(tmp_path: Path) -> None:
    for boot in range(1, 4):
        async with bench(tmp_path / "j") as table:
            for _ in range(150):
                table.hear(CARD)
            await table.settle()
            assert table.store.boot == boot
            assert (table.engine.state.cards, table.engine.state.boots) == (150 * boot, boot)


async def test_a_stalled_disk_stalls_neither_the_loop_nor_a_lock(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        receipts: list[str] = []
        await table.settle()
        with stalled_disk(table.store):
            table.hear(CARD, lambda: receipts.append("card"))
            await asyncio.sleep(0.01)
            table.hear(Jam(), lambda: receipts.append("jam"))
            lags_s = []
            for _ in range(40):
                before = time.perf_counter()
                await asyncio.sleep(0.01)
                lags_s.append(time.perf_counter() - before - 0.01)
            assert (table.panel.red, table.shoe.locked) == ("on", True)
            assert receipts == []
            # Nine of ten, since other programs on the machine have their share of the worst.
            assert sorted(lags_s)[35] < 0.02
        await table.settle()
        assert receipts == ["card", "jam"]


async def test_nothing_is_loosened_before_it_is_durable(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        table.hear(Jam())
        await table.settle()
        with stalled_disk(table.store):
            answer = asyncio.create_task(table.command(Resume("mended"), "c1"))
            await asyncio.sleep(0.05)
            assert (table.panel.red, table.shoe.locked, answer.done()) == ("on", True, False)
        assert (await answer).result == "accepted"
        assert (table.panel.red, table.shoe.locked) == ("off", False)


async def test_a_lock_decided_ahead_stays_while_an_older_turn_is_adopted(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        table.hear(Jam())
        await table.settle()
        table.notes.clear()
        with stalled_disk(table.store):
            table.intake.offer_command("floorperson", "ann", Resume("x"), None, lambda a: None)
            await asyncio.sleep(0.01)
            table.hear(Jam())
            await asyncio.sleep(0.01)
        await table.settle()
        assert ("shoe", "unlocked") not in table.notes


async def test_a_number_is_durable_before_it_is_lit(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        await table.command(Spread("up"), "c1")
        assert table.source.asked == [1]
        with stalled_disk(table.store):
            table.intake.offer(Heard("rng", Drawn(5, 1), 0))
            await asyncio.sleep(0.05)
            assert table.panel.digit == " "
        await table.settle()
        assert table.panel.digit == "5"
    async with bench(tmp_path / "j") as again:
        assert (again.panel.digit, again.source.asked) == ("5", [])


async def test_a_draw_without_an_answer_is_asked_for_again_after_a_restart(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        await table.command(Spread("up"), "c1")
    async with bench(tmp_path / "j") as again:
        assert again.source.asked == [1]


async def test_the_same_command_id_has_the_same_answer_and_no_second_effect(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        first = await table.command(Spread("up"), "c1")
        assert await table.command(Spread("up"), "c1") == first
        await table.command(Spread("up"), "c1", by="bob")
        asked = table.source.asked
        both = await asyncio.gather(*[table.command(Spread("up"), "c2") for _ in range(5)])
        assert len(set(both)) == 1
        assert asked == [1, 2, 3]
        assert (await events_of(table.store)).count("input.refused") == 5
    async with bench(tmp_path / "j") as again:
        assert await again.command(Spread("up"), "c1") == first
        assert again.source.asked == [3]


async def test_a_timer_fires_once_and_again_after_a_restart(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        await table.command(Idle(), None)
        await asyncio.sleep(0.08)
        await table.settle()
        assert (await events_of(table.store)).count("idle.ended") == 1
        await table.command(Idle(), None)
    async with bench(tmp_path / "j") as again:
        assert again.engine.state.timers.keys() == {"idle"}
        await asyncio.sleep(0.08)
        await again.settle()
        assert (await events_of(again.store)).count("idle.ended") == 2


async def test_an_input_that_breaks_the_program_is_kept_marked_and_passed_over(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path / "j", running=False) as table:
        told: list[str] = []
        table.hear(CARD, lambda: told.append("before"))
        refused = asyncio.create_task(table.command(Feathered(True), "c1"))
        await asyncio.sleep(0)
        table.hear(CARD, lambda: told.append("after"))
        with pytest.raises(ProgramFault, match="input 3: AssertionError"):
            await asyncio.wait_for(table.engine.run(), 5)
        assert told == ["before"]
        assert (await refused).result == "refused"
        assert (table.panel.red, table.shoe.locked) == ("on", True)
        turns = await table.store.turns_after(0, 100)
        assert [turn.outcome for turn in turns] == ["ok", "ok", "fault", "fault"]
    async with bench(tmp_path / "j") as again:
        assert again.engine.state.cards == 1


async def test_a_poisonous_fact_is_acknowledged_so_that_it_is_not_sent_again(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path / "j", running=False) as table:
        told: list[str] = []
        table.hear(Power("poison"), lambda: told.append("poison"))
        table.hear(CARD, lambda: told.append("after"))
        with pytest.raises(ProgramFault):
            await asyncio.wait_for(table.engine.run(), 5)
        assert told == ["poison"]


async def test_what_its_source_may_not_state_is_recorded_as_unreadable(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        table.hear(Feathered(True))
        table.hear(CardDrawn(10_000, "down"))
        table.hear(CardDrawn(9_999, "down"))
        await table.settle()
        assert (await events_of(table.store))[1:] == ["input.refused", "input.refused", "card"]
    async with bench(tmp_path / "j") as again:
        assert again.engine.state.cards == 1


async def test_a_failed_commit_locks_and_tells_nobody_until_it_is_written(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        told: list[str] = []
        await table.settle()
        await fail_writes(table)
        table.hear(CARD, lambda: told.append("card"))
        await until(lambda: bool(table.troubles))
        assert told == []
        assert (table.panel.red, table.shoe.locked, table.engine.state.cards) == ("on", True, 0)
        await fail_writes(table, "OFF")
        await until(lambda: table.troubles[-1] is None)
        assert (told, table.engine.state.cards) == (["card"], 1)
        assert (table.panel.red, table.shoe.locked) == ("off", False)
        assert [one.code for one in table.troubles if one] == ["gone"]
        bodies = [turn.body for turn in await table.store.turns_after(0, 100)]
        why = [number for number, body in enumerate(bodies) if b'"type":"unrecorded"' in body]
        card = next(number for number, body in enumerate(bodies) if b'"type":"card"' in body)
        # What struck is recorded behind what it delayed, and before anything is let go on.
        assert why == [card + 1]


async def test_a_disk_that_refuses_from_the_start_does_not_keep_the_start(tmp_path: Path) -> None:
    async with bench(tmp_path / "j", running=False) as table:
        table.hear(CARD)
    async with bench(tmp_path / "j", refusing=True) as again:
        assert (again.panel.red, again.shoe.locked) == ("on", True)
        await fail_writes(again, "OFF")
        await again.settle()
        assert (again.panel.red, again.shoe.locked) == ("off", False)


async def test_a_slow_write_is_told_while_it_lasts_and_recorded_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.group_commit.SLOW_S", 0.05)
    async with bench(tmp_path / "j") as table:
        await table.settle()
        stalled = threading.Event()
        waiting = asyncio.ensure_future(table.store._worker.do(lambda: stalled.wait(10)))
        table.hear(CARD)
        await until(lambda: bool(table.troubles))
        assert table.troubles[-1] is not None
        assert table.troubles[-1].code == "slow"
        # A lock needs no disk: it leads its record.
        table.hear(Jam())
        await until(lambda: table.shoe.locked is True)
        assert table.engine.state.cards == 0
        stalled.set()
        await waiting
        await table.settle()
        assert table.troubles[-1] is None
        bodies = [turn.body for turn in await table.store.turns_after(0, 100)]
        said = [json.loads(body) for body in bodies if b'"type":"unrecorded"' in body]
        assert [one["code"] for one in said] == ["slow"]
        assert said[0]["lasted_ms"] >= 50


async def until(so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not so():
            await asyncio.sleep(0.01)


async def test_the_chain_is_signed_at_the_start_on_the_hour_and_at_the_end(tmp_path: Path) -> None:
    sealer = Sealer.from_file(tmp_path / "key")
    async with bench(tmp_path / "j", signer=sealer.sealed) as table:
        table.engine.seal()
        table.hear(CARD)
        await table.settle()
        table.engine.seal()
        table.engine.seal()
        await table.settle()
    with open_source(tmp_path / "j") as source:
        turns, rows = list(source.turns()), source.checkpoints()
    kinds = [json.loads(turn.body)["type"] for turn in turns]
    # The second call had nothing new to sign, for a checkpoint's own input is no news.
    assert kinds == [
        "started", "checkpoint", "card", "done", "checkpoint", "done", "stopped",
    ]  # fmt: skip
    assert len(rows) == 3
    assert all(checkpoint_is_signed(body, sealer.public_key) for body in rows)
    inside = json.loads(turns[1].body)
    assert canonical(inside["checkpoint"]) == rows[0]
    assert bytes.fromhex(inside["public_key"]) == sealer.public_key
    # It speaks of all before it; the last one of the end itself.
    assert [json.loads(body)["inputs"] for body in rows] == [1, 4, 7]
    assert verify(tmp_path / "j").problem is None


async def test_a_checkpoint_is_due_after_so_many_events_and_keeps_its_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("controller.sealing.EVENTS_PER_CHECKPOINT", 4)
    sealer = Sealer.from_file(tmp_path / "key")
    async with bench(tmp_path / "j", signer=sealer.sealed) as table:
        for _ in range(30):
            table.hear(CARD)
        await table.settle()
    with open_source(tmp_path / "j") as source:
        assert source.connection is not None
        said = [json.loads(body) for body in source.checkpoints()]
        kept = source.connection.execute("SELECT input FROM snapshots ORDER BY input").fetchall()
    assert [one["sequence"] for one in said][:3] == [4, 9, 14]
    # Each has the state that a pruned journal would begin with.
    assert [number for (number,) in kept] == [one["inputs"] for one in said], said


async def test_a_snapshot_that_cannot_be_written_locks_and_leaves_nothing_half_done(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path / "j", running=False) as table:

        def dump(state: SmallState) -> bytes:
            raise KeyError("a bug")

        table.engine._disk._dump = dump
        for _ in range(INPUTS_PER_SNAPSHOT):
            table.hear(CARD)
        with pytest.raises(KeyError):
            await asyncio.wait_for(table.engine.run(), 5)
        assert (table.panel.red, table.shoe.locked) == ("on", True)
    async with bench(tmp_path / "j") as again:
        # The batches before the one with the snapshot are there, whole.
        assert again.engine.state.cards == INPUTS_PER_SNAPSHOT - INPUTS_PER_BATCH_MAX


async def fail_writes(table: Bench, how: str = "ON") -> None:
    """SQLite itself refuses to write, as on a medium that became read-only."""
    await table.store._worker.do(
        lambda: table.store._connection.execute(f"PRAGMA query_only = {how}")
    )


async def test_a_stop_is_the_last_input_and_the_journal_ends_clean(tmp_path: Path) -> None:
    async with bench(tmp_path / "j") as table:
        table.hear(CARD)
        table.engine.stop()
        table.hear(CARD)
        await asyncio.sleep(0.05)
        assert table.engine.state.cards == 1
    async with bench(tmp_path / "j", running=False) as again:
        assert again.store.previous_end == "clean"
        turns = await again.store.turns_after(0, 100)
        assert b'"type":"stopped"' in turns[-2].body

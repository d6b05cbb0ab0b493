"""The record is signed and pruned on time, and its room is that of disk and budget."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from pathlib import Path

import pytest

from controller.clock import ClockState
from controller.core.outputs import Outputs
from controller.core.recording import RecordFilling, Unrecorded
from controller.journal.pruning import Size
from controller.journal.store import Store
from controller.journal.tables import BROKER, STORE
from controller.record_keeping import MS_PER_DAY, Keeping, RecordKeeping
from controller.watch import RESERVE_OCTETS
from tests.controller.journal.test_pruning import EVER, sealed_journal
from tests.controller.journal.writing import MOMENT_MS

KEEPING = Keeping(retention_days=30, budget_octets=10**12, checkpoint_s=1, recorder=False)


class LaterClock:
    """Some days after the journal was written."""

    def __init__(self, days: int) -> None:
        self.days = days

    def wall_ms(self) -> int:
        return MOMENT_MS + self.days * MS_PER_DAY + 500

    def mono_ns(self) -> int:
        return 0

    def look(self) -> ClockState:
        return ClockState(True, 0)


def untold(item: RecordFilling) -> None:
    """What the room says of itself is not looked at."""


def keeper(
    store: Store, days: int = 31, keeping: Keeping = KEEPING, synchronised: bool = True
) -> RecordKeeping:
    return RecordKeeping(
        store, keeping, LaterClock(days), lambda: None, lambda: synchronised, untold
    )


async def kept_after(path: Path, one: RecordKeeping, store: Store) -> object:
    while await one.prune_piece():
        pass
    return one.status()["kept_after"]


@pytest.mark.parametrize(
    ("days", "synchronised", "cursors", "recorder", "goes"),
    [
        (31, True, {BROKER: 99}, False, True),
        (29, True, {BROKER: 99}, False, False),
        (31, False, {BROKER: 99}, False, False),
        (31, True, {}, False, False),
        # Where a store is named, what the broker took is not delivered.
        (31, True, {BROKER: 99}, True, False),
        (31, True, {STORE: 99}, True, True),
    ],
)
async def test_what_is_old_and_safe_elsewhere_goes(
    tmp_path: Path, days: int, synchronised: bool, cursors: dict[str, int], recorder: bool,
    goes: bool,
) -> None:  # fmt: skip
    await sealed_journal(tmp_path / "j", 4)
    store = await Store.open(tmp_path / "j", "T-1")
    for name, sequence in cursors.items():
        await store.set_cursor(name, sequence)
    keeping = Keeping(30, 10**12, 1, recorder)
    one = keeper(store, days, keeping, synchronised)
    assert bool(await kept_after(tmp_path, one, store)) is goes
    await store.close()


async def test_what_was_delivered_is_noted_together_with_what_goes(tmp_path: Path) -> None:
    await sealed_journal(tmp_path / "j", 4)
    store = await Store.open(tmp_path / "j", "T-1")
    await store.set_cursor(BROKER, store.chain.sequence)
    while await store.prune(store.chain.sequence, EVER):
        pass
    # As a power cut leaves it: without the cursors that an orderly end writes.
    for name in ("j", "j-wal"):
        shutil.copyfile(tmp_path / name, tmp_path / f"cut{name[1:]}")
    await store.close()
    cut = await Store.open(tmp_path / "cut", "T-1")
    assert cut.base is not None
    assert cut.cursor(BROKER) == cut.chain.sequence
    await cut.close()


async def test_its_room_is_the_least_of_disk_and_budget(tmp_path: Path) -> None:
    await sealed_journal(tmp_path / "j", 4)
    store = await Store.open(tmp_path / "j", "T-1")
    size = await store.size()
    assert size.used > 0
    small = keeper(store, keeping=Keeping(30, size.used + 1000, 1, False))
    large = keeper(store)
    for one in (small, large):
        watching = asyncio.create_task(one.watch_size())
        async with asyncio.timeout(10):
            while one.status()["used_bytes"] == 0:
                await asyncio.sleep(0.01)
        watching.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await watching
    assert small.room(tmp_path) == (1000, True)
    free, writable = large.room(tmp_path)
    assert free > 1000
    assert writable
    with pytest.raises(OSError, match="No such file"):
        large.room(tmp_path / "nowhere")
    small._size = Size(size.used + 1001, 0)
    assert small.room(tmp_path) == (0, True)
    await store.close()


async def test_a_room_that_fills_is_told_before_the_table_holds_and_once(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    whole = 1_000_000
    keeping, told = Keeping(30, whole + RESERVE_OCTETS, 1, False), list[RecordFilling]()
    one = RecordKeeping(store, keeping, LaterClock(0), lambda: None, lambda: True, told.append)
    for used, percent in (
        (0, 0), (799_999, 79), (800_000, 80), (810_000, 81), (760_000, 76), (949_999, 94),
        (950_000, 95), (910_000, 91), (900_000, 90), (760_000, 76), (750_000, 75), (800_000, 80),
        (whole, 100), (whole + RESERVE_OCTETS + 1, 100), (0, 0),
    ):  # fmt: skip
        one._size = Size(used, 0)
        assert one.filled_percent() == percent
        one._look_at_room(percent)
        assert one.status()["filled_percent"] == percent
    assert [item.percent for item in told] == [None, 80, 95, None, 80, 100, None]
    await store.close()


async def test_a_start_in_a_room_that_is_full_says_so_at_once(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    keeping, told = Keeping(30, RESERVE_OCTETS + 1, 1, False), asyncio.Queue[RecordFilling]()
    one = RecordKeeping(
        store, keeping, LaterClock(0), lambda: None, lambda: True, told.put_nowait
    )  # fmt: skip
    watching = asyncio.create_task(one.watch_size())
    async with asyncio.timeout(10):
        assert await told.get() == RecordFilling(100)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    await store.close()


async def test_trouble_is_shown_until_it_is_over_and_known_in_health(tmp_path: Path) -> None:
    store = await Store.open(tmp_path / "j", "T-1")
    one = keeper(store)
    assert one.shown(Outputs()) == Outputs()
    one.struck(Unrecorded("full", "no space"))
    assert one.shown(Outputs()).alarms["record"]["code"] == "full"
    assert one.status()["trouble"] == "full"
    one.struck(None)
    assert one.shown(Outputs()) == Outputs()
    assert (one.status()["trouble"], one.status()["previous_end"]) == (None, "first")
    await store.close()


async def test_it_signs_and_prunes_by_itself(tmp_path: Path) -> None:
    await sealed_journal(tmp_path / "j", 4)
    store = await Store.open(tmp_path / "j", "T-1")
    await store.set_cursor(BROKER, 99)
    signed = asyncio.Event()
    keeping = Keeping(30, 10**12, 0, False)
    one = RecordKeeping(store, keeping, LaterClock(31), signed.set, lambda: True, untold)
    works = [asyncio.create_task(one.sign()), asyncio.create_task(one.prune())]
    async with asyncio.timeout(10):
        await signed.wait()
        while store.base is None:
            await asyncio.sleep(0.01)
    for work in works:
        work.cancel()
    await asyncio.gather(*works, return_exceptions=True)
    await store.close()

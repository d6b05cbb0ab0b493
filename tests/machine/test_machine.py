"""A whole machine: boots to a served table, deals, loses its supply ten times, and verifies."""

from __future__ import annotations

import asyncio
import os
import random
import shutil
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from config.loader import load
from controller.broker import demo_broker
from controller.demo import crew as crew_module
from controller.demo.summary import check_journal, check_replay, check_seals
from controller.demo.view import TableView
from controller.journal.seal import Sealer
from tests.machine.image import KEPT, TABLE, UNIT, copy_out, image_of
from tests.machine.machine import PROGRAM, UP_S_MAX, Machine
from tests.machine.package import built
from tests.machine.table import Around, around, running, table_file

NEEDED = (PROGRAM, "mmdebstrap", "mke2fs", "debugfs", "unshare", "mosquitto")
pytestmark = [
    pytest.mark.machine,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, NEEDED)),
        reason=f"a machine needs root and {', '.join(NEEDED)}",
    ),
]

CUTS = int(os.environ.get("MACHINE_CUTS", "10"))
SEED = 11
# Of play between two failures of the supply, drawn: from the first frames after the start to some
# rounds later.
PLAYED_S = (1.0, 20.0)
HEARD_S_MAX = 120.0
RECORD = f"/var/lib/table-controller/{TABLE}"
CHECK = f"table-controller-verify@{TABLE}.service"
ROUNDS_FIRST = 2
ENDLESS = 1_000_000
# adjtimex(2), as a time service does it: status PLL without UNSYNC, an error of 1 ms.
SYNCHRONISE = """python3 -c "
import ctypes, struct
timex = bytearray(208)
struct.pack_into('@I', timex, 0, 0x10 | 0x4 | 0x8)
struct.pack_into('@qqi', timex, 24, 1000, 1000, 0x1)
block = (ctypes.c_char * 208).from_buffer(timex)
print('clock', ctypes.CDLL(None).adjtimex(block))
"
"""


@dataclass(slots=True)
class Figures:
    """What a run took, for docs/install.md."""

    up_s: list[float] = field(default_factory=list)
    seen: list[str] = field(default_factory=list)

    def write(self, file: Path) -> None:
        """One line a figure."""
        starts = ", ".join(f"{seconds:.0f}" for seconds in self.up_s)
        file.write_text("\n".join([f"supply to served, s: {starts}", *self.seen, ""]))


@pytest.fixture
async def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Around]:
    """A machine that is off, without adapters; broker, devices and people are there."""
    # People wait for an emulated processor as long as it takes.
    monkeypatch.setattr(crew_module, "STUCK_S_MAX", UP_S_MAX)
    async with demo_broker() as broker:
        config = table_file(tmp_path, broker)
        image = await asyncio.to_thread(image_of, built(), config, tmp_path)
        machine = Machine(image, tmp_path)
        one = around(machine, broker)
        try:
            async with running(one):
                yield one
        finally:
            await machine.close()


async def test_a_table_is_served_and_its_record_outlives_ten_failures_of_the_supply(
    table: Around, tmp_path: Path
) -> None:
    figures = Figures()
    await _switch_on(table, figures)
    await _adapters_that_come_later_are_heard(table)
    await _the_clock_can_be_read(table)
    figures.seen.append(
        (await table.machine.run(f"systemd-analyze security {UNIT} | tail -1")).strip()
    )
    await table.crew.play(ROUNDS_FIRST)
    await _cut_again_and_again(table, figures)
    await table.machine.off()
    copy_out(table.machine.image, f"{RECORD}/journal.sqlite", tmp_path / "journal.sqlite")
    copy_out(table.machine.image, f"{RECORD}/seal.key", tmp_path / "seal.key")
    # Out of the disk it is anybody's, and such a key is refused.
    (tmp_path / "seal.key").chmod(0o600)
    _judge(table, tmp_path, figures)
    figures.write(KEPT / "figures.txt")


async def _switch_on(table: Around, figures: Figures) -> None:
    loop = asyncio.get_running_loop()
    began_s, before = loop.time(), table.audience.last
    await table.machine.start()
    served = await table.view.until(lambda state: state.sequence > before, UP_S_MAX)
    assert served, table.machine.console.read_text(errors="replace")[-3000:]
    figures.up_s.append(loop.time() - began_s)


async def _adapters_that_come_later_are_heard(table: Around) -> None:
    """Neither was there when the unit started; the account's groups open them (faults, T08)."""
    assert "ttyUSB" not in await table.machine.run("ls /dev")
    for name in ("shuffler", "shoe"):
        await table.machine.plug(name)
        table.machine.plugged.add(name)
        heard = await table.view.until(_is_up(name), HEARD_S_MAX)
        assert heard, await table.machine.run(f"ls -l /dev/table; journalctl --no-pager -u {UNIT}")


def _is_up(name: str) -> Callable[[TableView], bool]:
    return lambda state: name in state.devices and state.device(name).link == "up"


async def _the_clock_can_be_read(table: Around) -> None:
    """The sandbox lets the state of the clock through: what a time service says is recorded."""
    assert "clock 0" in await table.machine.run(SYNCHRONISE)
    await table.machine.until(
        f"tablectl journal show {RECORD}/journal.sqlite --all | grep -w synchronised || true",
        "synchronised",
    )


async def _cut_again_and_again(table: Around, figures: Figures) -> None:
    chance = random.Random(SEED)
    playing = asyncio.create_task(table.crew.play(ENDLESS))
    for _ in range(CUTS):
        await asyncio.wait((playing,), timeout=chance.uniform(*PLAYED_S))
        assert not playing.done(), playing.result()
        await table.machine.cut()
        table.terminals.give_up()
        table.view.forget()
        await _switch_on(table, figures)
        told = await table.machine.until(
            f"systemctl start {CHECK}; systemctl show -P Result -P ExecMainStatus {CHECK}", "\n"
        )
        assert told.split()[-2:] == ["success", "0"], told
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    await table.crew.play(table.crew.finished)


def _judge(table: Around, home: Path, figures: Figures) -> None:
    """The record that the disk holds: whole, signed, and decided again to the same."""
    journal = home / "journal.sqlite"
    report, trouble = check_journal(journal)
    assert report is not None
    assert trouble == ""
    assert check_seals(journal, Sealer.from_file(home / "seal.key").public_key) == ""
    assert check_replay(journal, load(home / "table.toml").setup()) == ""
    assert table.audience.last <= report.events
    counts = table.audience.counts
    figures.seen.append(
        f"{CUTS} failures of the supply, {table.crew.finished} rounds, {report.events} events,"
        f" power.restored {counts['power.restored']}; verified after each and at the end"
    )

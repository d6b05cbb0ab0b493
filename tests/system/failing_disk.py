"""A daemon on a disk that fails on demand, a broker, and one who watches its retained levels."""

from __future__ import annotations

import asyncio
import contextlib
import json
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from controller.broker import demo_broker
from controller.demo.stage import FLOOR, TABLE, Stage
from controller.demo.terminal import Terminals
from controller.demo.view import View
from controller.journal.source import open_source
from controller.messages import Topics
from tests.system.table_process import TableProcess, table_process

SHIM = Path(__file__).with_name("disk_shim.c")
# A loaded machine is slow; nothing here is a measurement.
WAIT_S_MAX = 30.0


def compiled(home: Path) -> Path:
    """The shim as a library. Skips where there is no compiler: it is C or nothing."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        pytest.skip("the failing disk is a C library, and there is no compiler")
    library = home / "disk_shim.so"
    subprocess.run(
        [compiler, "-shared", "-fPIC", "-O1", "-o", str(library), str(SHIM), "-ldl"], check=True
    )
    return library


@dataclass
class Table:
    """One daemon with its disk; `view` is what a terminal at the broker sees."""

    stage: Stage
    process: TableProcess
    orders: Path
    view: View
    terminals: Terminals

    def disk(self, order: str) -> None:
        """From now on: none, full, readonly, sync or stall."""
        fresh = self.orders.with_suffix(".new")
        fresh.write_text(order)
        fresh.replace(self.orders)

    async def until(self, so: Callable[[], bool]) -> None:
        """Wait for a condition."""
        try:
            async with asyncio.timeout(WAIT_S_MAX):
                while not so():
                    await asyncio.sleep(0.05)
        except TimeoutError:
            log = self.process.log.read_text()[-3000:]
            raise AssertionError(f"{self.view.state}\n{log}") from None

    def fault(self, number: int) -> None:
        """The shuffler says something that has to be recorded."""
        self.stage.shuffler.fault_on(f"F{number}", 1)

    def code(self) -> str:
        """Of the trouble with the record, empty where there is none."""
        state = self.view.state
        alarm = None if state is None else state.alarms.get("record")
        return "" if alarm is None else alarm.code

    def holds(self) -> list[str]:
        """Codes of the questions that are open."""
        return [] if self.view.state is None else [one.code for one in self.view.state.holds]

    async def resume(self) -> bool:
        """A floorperson lets play go on; whether that was accepted."""
        return await self.terminals.send(FLOOR, "resume", reason="looked at")


@contextlib.asynccontextmanager
async def table(home: Path, shim: bool = True) -> AsyncIterator[Table]:
    """Broker, devices and terminals run; the daemon is started by the test."""
    async with demo_broker() as broker:
        stage = Stage(home, "dj-wild", broker.address, 100.0, 1, ())
        orders = home / "orders"
        extra = {"DISK_SHIM_ORDERS": str(orders)}
        if shim:
            extra["LD_PRELOAD"] = str(compiled(home))
        view = View()
        terminals = Terminals(broker.address, Topics("tables", TABLE), view)
        works = (terminals.run(), stage.shuffler.run(), stage.shoe.run())
        tasks = [asyncio.create_task(work) for work in works]
        try:
            async with table_process(home, stage.config, extra) as process:
                yield Table(stage, process, orders, view, terminals)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


def inputs_of(journal: Path) -> list[dict[str, object]]:
    """What the journal holds, each input once."""
    with open_source(journal) as source:
        return [json.loads(turn.body) for turn in source.turns()]

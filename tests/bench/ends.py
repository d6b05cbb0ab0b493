"""How long an end takes, whatever stalls: `python -m tests.bench.ends`, a line each stall."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import socket
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from controller.broker import demo_broker
from controller.broker_address import BrokerAddress
from controller.journal.verify import verify
from tests.system import table_process as rig
from tests.system.test_daemon import STALL, Babble, a_stage, recorded

STALLS = ("nothing", "broker frozen", "broker silent", "serial", "sync", "device floods")
# On a machine that is busy with other work a start may take long; only the end is measured.
READY_S_MAX = 120.0
# Devices greeted, levels told; then something stalls.
SETTLE_S = 1.5
# Behind so many events the intake is full.
FLOOD_EVENTS = 6_000


@contextlib.asynccontextmanager
async def stalled(stall: str, home: Path) -> AsyncIterator[tuple[rig.TableProcess, Path]]:
    """A daemon of which just now `stall` stalls, and its journal."""
    async with contextlib.AsyncExitStack() as stack:
        broker = await stack.enter_async_context(demo_broker())
        address, extra, mark = broker.address, {}, home / "stalled"
        if stall == "broker silent":
            mute = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
            address = BrokerAddress("127.0.0.1", mute.getsockname()[1])
        if stall == "sync":
            (home / "sitecustomize.py").write_text(STALL)
            path = f"{home}{os.pathsep}{Path.cwd()}"
            extra = {"STALLED": str(mark), "PYTHONPATH": path}
        stage = a_stage(home, address)
        if stall == "serial":
            ends = os.openpty()
            for end in ends:
                stack.callback(os.close, end)
            (home / "shoe").symlink_to(os.ttyname(ends[1]))
        babble = Babble(home) if stall == "device floods" else None
        table = await stack.enter_async_context(rig.table_process(home, stage.config, extra))
        await table.start()
        await asyncio.sleep(SETTLE_S)
        if stall == "broker frozen":
            broker.freeze()
            stack.callback(broker.thaw)
        if stall == "sync":
            mark.touch()
            stack.callback(mark.unlink)
        if babble is not None:
            babble.begin()
            stack.callback(babble.acknowledged)
            while babble.said < FLOOD_EVENTS:
                await asyncio.sleep(0.01)
        yield table, stage.journal


async def main(times: int) -> None:
    """Print seconds, exit codes and last inputs of each stall."""
    rig.READY_S_MAX = READY_S_MAX
    for stall in STALLS:
        seconds, codes, last = [], set(), set()
        for _ in range(times):
            with tempfile.TemporaryDirectory() as folder:
                async with stalled(stall, Path(folder)) as (table, journal):
                    code, took_s = await table.end()
                problem = verify(journal).problem
                assert problem is None, problem
                last.add(str(recorded(journal)[-1]["type"]))
            seconds.append(took_s)
            codes.add(code)
        middle, most = statistics.median(seconds), max(seconds)
        said = f"{stall:14} median {middle:.2f} s, longest {most:.2f} s, exit {sorted(codes)}"
        sys.stdout.write(f"{said}, last input {', '.join(sorted(last))}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.ends", description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="ends a stall (default: 5)")
    asyncio.run(main(parser.parse_args().times))

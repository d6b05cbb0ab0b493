"""The virtual rig: pseudo-terminals, a simulated hand on mock pins, a daemon that is forked."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from controller.broker_address import BrokerAddress
from controller.demo.hands import Hands
from controller.journal.source import open_source
from hal.sim.panel import BENCH_PINS
from hal.sim.wire import PtyEnd
from tests.hil.pit import HEARD_S_MAX
from tests.hil.rig import ENDED_S_MAX, Rig
from tests.hil.sentences import Script
from tests.hil.tablefile import Board, table_file, toml_of

# A contact rests for 30 ms before it counts, and is then on record within a sync of the disk.
LOOK_S = 0.02


class Nursery:
    """The process that forks daemons."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.hil.nursery"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={key: value for key, value in os.environ.items() if key != "NOTIFY_SOCKET"},
        )  # fmt: skip

        # Here, and not in the loop: its imports take seconds on a busy machine.
        assert self._process.stdout is not None
        self._process.stdout.readline()

    def fork(self, **asked: str) -> int:
        """A daemon; gives its process id."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(asked) + "\n")
        process.stdin.flush()
        return int(process.stdout.readline())

    def close(self) -> None:
        """End it; each daemon is ended by its own rig."""
        self._process.communicate(timeout=ENDED_S_MAX)


class VirtualRig(Rig):
    """One table for one case; everything of it lives in `home`."""

    def __init__(
        self, home: Path, script: Script, broker: BrokerAddress, nursery: Nursery, table: str
    ) -> None:
        """Nothing runs yet."""
        ends = {name: PtyEnd(home / name) for name in ("shuffler", "shoe")}
        super().__init__(script, broker, table, ends)
        self.home = home
        self._hands = Hands(home / "hand")
        self._nursery = nursery
        self._pid = 0
        self._profile = ""
        if script.law is not None:
            (home / "profile.toml").write_text(toml_of(script.law), encoding="utf-8")
            self._profile = str(home / "profile.toml")
        board = Board(
            {name: f"{home}/{name}" for name in ends}, BENCH_PINS.lines, "mock", str(home),
            f"{home}/hand",
        )  # fmt: skip
        text = table_file(script, table, broker, board)
        (home / "table.toml").write_text(text, encoding="utf-8")

    async def start(self) -> None:
        """Fork the daemon."""
        self._pid = self._nursery.fork(
            config=f"{self.home}/table.toml", log=f"{self.home}/daemon.log",
            number=f"{self.home}/number", profile=self._profile,
        )  # fmt: skip

    async def end(self, number: int) -> None:
        """Signal it, and wait for its end."""
        self._hands.close()
        pid, self._pid = self._pid, 0
        if not pid:
            return
        with suppress(ProcessLookupError):
            descriptor = os.pidfd_open(pid)
            ended = asyncio.Event()
            asyncio.get_running_loop().add_reader(descriptor, ended.set)
            try:
                os.kill(pid, number)
                await asyncio.wait_for(ended.wait(), ENDED_S_MAX)
            finally:
                asyncio.get_running_loop().remove_reader(descriptor)
                os.close(descriptor)

    async def press(self, button: str) -> None:
        """With a finger that bounces."""
        self.presses += 1
        said = "button" if button == "rng" else "pressed"
        before = self._recorded(said)
        await self._hands.press(button)
        await self._until_recorded(said, before)

    async def cover(self, device: str, on: bool) -> None:
        """With a switch that bounces."""
        self.presses += 1
        before = self._recorded("cover")
        await self._hands.cover(device, on)
        await self._until_recorded("cover", before)

    def load_generator(self, number: int) -> None:
        """Tell the daemon's nursery, which loaded it."""
        (self.home / "number").write_text(str(number))

    def log(self) -> str:
        """The end of its log."""
        file = self.home / "daemon.log"
        return file.read_text()[-2000:] if file.exists() else ""

    async def _until_recorded(self, kind: str, before: int) -> None:
        try:
            async with asyncio.timeout(HEARD_S_MAX):
                while self._recorded(kind) == before:
                    await asyncio.sleep(LOOK_S)
        except TimeoutError:
            raise AssertionError(f"{kind}: the panel does not hear it") from None

    def _recorded(self, kind: str) -> int:
        """How many inputs of a type are on record."""
        with open_source(self.home / "journal.sqlite") as source:
            return sum(json.loads(turn.body)["type"] == kind for turn in source.turns())

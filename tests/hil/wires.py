"""The wired rig of a rig file: serial adapters, GPIO jumpers, a daemon on the table's own board."""

from __future__ import annotations

import asyncio
import shlex

from controller.broker_address import BrokerAddress
from hal.port import PortSettings
from hal.sim.wire import PortEnd
from tests.hil.rig import ENDED_S_MAX, Rig
from tests.hil.rigfile import RigFile
from tests.hil.sentences import Script
from tests.hil.tablefile import Board, table_file

# A person's tenth of a second, and ten times the 30 ms after which a contact counts.
PRESSED_S = 0.1
HEARD_S = 0.3


class WiredRig(Rig):
    """One table for one script. The generator is the board's own and cannot be told a number."""

    def __init__(self, wiring: RigFile, script: Script, broker: BrokerAddress, table: str) -> None:
        """Nothing runs yet."""
        ends = {name: PortEnd(PortSettings(port)) for name, port in wiring.serial.items()}
        super().__init__(script, broker, table, ends)
        self._wiring = wiring
        self._home = f"{wiring.home}/{table}"
        self._process: asyncio.subprocess.Process | None = None
        self._pid = 0
        self._jumpers = Jumpers(wiring.jumpers)
        board = Board(wiring.ports, wiring.pins, wiring.factory, self._home)
        seen = BrokerAddress(wiring.broker, broker.port)
        self._file = table_file(script, table, seen, board)

    async def start(self) -> None:
        """Put the table's file on its board and run the daemon there."""
        home, command = shlex.quote(self._home), shlex.join(self._wiring.command)
        # The shell becomes the daemon, so that its process id is the one that is killed.
        script = (
            f"mkdir -p {home} && cat > {home}/table.toml && echo $$"
            f" && exec {command} run --config {home}/table.toml 2>> {home}/daemon.log"
        )
        self._process = await asyncio.create_subprocess_exec(
            *self._on_board(script),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(self._file.encode())
        self._process.stdin.close()
        async with asyncio.timeout(ENDED_S_MAX):
            self._pid = int(await self._process.stdout.readline())

    async def end(self, number: int) -> None:
        """Signal it on its board, and wait for its end."""
        process, self._process = self._process, None
        if process is None:
            return
        kill = await asyncio.create_subprocess_exec(*self._on_board(f"kill -{number} {self._pid}"))
        await asyncio.wait_for(kill.wait(), ENDED_S_MAX)
        await asyncio.wait_for(process.wait(), ENDED_S_MAX)

    async def press(self, button: str) -> None:
        """Close the jumper's contact for as long as a person does."""
        self.presses += 1
        self._jumpers.close(button)
        await asyncio.sleep(PRESSED_S)
        self._jumpers.open(button)
        await asyncio.sleep(HEARD_S)

    async def cover(self, device: str, on: bool) -> None:
        """Close or open the cover's contact."""
        self.presses += 1
        (self._jumpers.close if on else self._jumpers.open)(f"cover_{device}")
        await asyncio.sleep(HEARD_S)

    def load_generator(self, number: int) -> None:
        """Not on a board."""
        raise AssertionError("a board's generator cannot be told its number")

    def _on_board(self, script: str) -> tuple[str, ...]:
        ssh = self._wiring.ssh
        return (*ssh, script) if ssh else ("sh", "-c", script)


class Jumpers:
    """Contacts to ground on lines of this board: low is closed, not driven is open."""

    def __init__(self, lines: dict[str, int]) -> None:
        """Lines are claimed when they are first used."""
        self._lines = lines
        self._pins: dict[str, object] = {}

    def close(self, purpose: str) -> None:
        """Pull the line to ground."""
        pin = self._pin(purpose)
        pin.function = "output"  # type: ignore[attr-defined]
        pin.state = 0  # type: ignore[attr-defined]

    def open(self, purpose: str) -> None:
        """Let the line go: the table's pull-up takes it."""
        self._pin(purpose).function = "input"  # type: ignore[attr-defined]

    def _pin(self, purpose: str) -> object:
        if purpose not in self._pins:
            # Only here: a rig without jumpers needs no pins.
            from gpiozero import Device

            if Device.pin_factory is None:
                Device.pin_factory = Device._default_pin_factory()
            self._pins[purpose] = Device.pin_factory.pin(self._lines[purpose])
        return self._pins[purpose]

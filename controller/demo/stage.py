"""The stage of a demo: simulated devices on pseudo-terminals and the real daemon as a process."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.broker_address import BrokerAddress, is_loopback
from controller.demo.bad_disk import BadDisk
from controller.demo.faults import OF_THE_BENCH, OF_THE_DISK
from controller.journal.seal import Sealer
from hal.sim.panel import BENCH_PINS
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler
from hal.sim.wire import PtyEnd

TABLE = "demo"
# The people of the demo, in the roster of its file.
DEALER, FLOOR, ROOM = "chen", "rivera", "eye-1"
KEY = "K-17"
END_S_MAX = 6.0
# What the file of a table says of its game, beside the name.
HOUSES = {
    "blackjack": 'decks = 6\nbatches = 2\ndeal = "manual_shoe"\n',
    "minibaccarat": 'decks = 8\nbatches = 1\ndeal = "manual_shoe"\nrounds_after_cover = 1\n',
}
# A game whose cards are shown as they come is dealt from a shoe that reads them.
READING = ("minibaccarat",)


class Stage:
    """Everything that is not under test, and the process that is."""

    def __init__(
        self, home: Path, game: str, broker: BrokerAddress, speed: float, seed: int,
        faults: Sequence[str], seats: int = 6,
    ) -> None:  # fmt: skip
        """`home` is a directory of the demo's own; nothing runs yet. Of the `faults` the daemon's
        process gets what lives in it: those of panel, generator and disk."""
        self.home = home
        self.journal = home / "journal.sqlite"
        self.hand = home / "hand"
        self.config = home / "table.toml"
        self.log = home / "daemon.log"
        self.starts = 0
        self.shuffler = Shuffler(PtyEnd(home / "shuffler"), speed, seed)
        self.shoe = Shoe(PtyEnd(home / "shoe"), speed, seed + 1, reads=game in READING)
        self.disk = BadDisk(home)
        self._has_bad_disk = not OF_THE_DISK.isdisjoint(faults)
        self._process: asyncio.subprocess.Process | None = None
        of_the_bench = [name for name in faults if name in OF_THE_BENCH]
        self.config.write_text(self._toml(game, broker, of_the_bench, seats), encoding="utf-8")

    @property
    def pid(self) -> int | None:
        """The daemon's process, while it runs."""
        return None if self._process is None else self._process.pid

    async def start_daemon(self) -> None:
        """Start the daemon's process; it is ready when its state is published."""
        self.starts += 1
        with self.log.open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                *_guard(),
                sys.executable, "-m", *self._program(), "run", "--config", str(self.config),
                stdin=asyncio.subprocess.DEVNULL, stdout=log, stderr=log,
                # Ctrl-C at the terminal is the demo's to handle: the daemon ends in order.
                start_new_session=True, env=_environment(),
            )  # fmt: skip

    def _program(self) -> tuple[str, ...]:
        if self._has_bad_disk:
            return ("controller.demo.bad_disk", str(self.disk.home))
        return ("controller",)

    async def kill_daemon(self) -> None:
        """The supply fails: no last word."""
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGKILL)
            await self._process.wait()
            self._process = None

    async def stop_daemon(self) -> int:
        """End it as systemd does; gives the exit code, -9 where it did not end in time."""
        process = self._process
        if process is None:
            return 0
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGTERM)
        try:
            async with asyncio.timeout(END_S_MAX):
                await process.wait()
        except TimeoutError:
            await self.kill_daemon()
            return -signal.SIGKILL
        self._process = None
        return process.returncode or 0

    def daemon_has_ended(self) -> bool:
        """It ended without being asked to."""
        return self._process is not None and self._process.returncode is not None

    def public_key(self) -> bytes:
        """Of the key that signs the checkpoints."""
        return Sealer.from_file(self.home / "seal.key").public_key

    def _toml(
        self, game: str, broker: BrokerAddress, of_the_bench: Sequence[str], seats: int
    ) -> str:
        absent = {"seat_7"} if game == "fortune-asia-poker" else {"seat_7", "rng"}
        lines = sorted(BENCH_PINS.lines.items())
        pins = "\n".join(f"{name} = {line}" for name, line in lines if name not in absent)
        faults = ", ".join(f'"{name}"' for name in of_the_bench)
        return f"""# Written by `tablectl demo`.
[table]
id = "{TABLE}"
seats = {seats}
[game]
name = "{game}"
{HOUSES.get(game, "")}[shuffler]
port = "{self.home}/shuffler"
driver = "tdp1"
[shoe]
port = "{self.home}/shoe"
driver = "tdp1"
[panel]
factory = "mock"
key_id = "{KEY}"
[panel.pins]
{pins}
[mqtt]
{_mqtt(broker)}
[journal]
path = "{self.journal}"
key = "{self.home}/seal.key"
[roster]
{DEALER} = {{ role = "dealer" }}
{FLOOR} = {{ role = "floorperson", key = "{KEY}" }}
{ROOM} = {{ role = "surveillance" }}
[bench]
hand = "{self.hand}"
faults = [{faults}]
"""


def _mqtt(broker: BrokerAddress) -> str:
    lines = [f'host = "{broker.host}"', f"port = {broker.port}", f'protocol = "{broker.version}"']
    if broker.username is not None:
        lines.append(f'username = "{broker.username}"')
    if broker.password_file is not None:
        lines.append(f'password_file = "{broker.password_file}"')
    if broker.tls:
        lines.append("[mqtt.tls]")
        files = (("ca", broker.cafile), ("certificate", broker.certificate), ("key", broker.key))
        lines += [f'{name} = "{path}"' for name, path in files if path is not None]
    elif not is_loopback(broker.host):
        lines.append("allow_plaintext = true")
    # People of a demo work at the speed of its devices.
    lines.insert(0, "commands_per_minute = 60000")
    return "\n".join(lines)


def _guard() -> list[str]:
    """What ends the daemon in order where the demo itself is killed."""
    guard = shutil.which("setpriv")
    return [] if guard is None else [guard, "--pdeathsig", "TERM"]


def _environment() -> dict[str, str]:
    """Without a notification socket: this daemon is nobody's service."""
    return {name: value for name, value in os.environ.items() if name != "NOTIFY_SOCKET"}

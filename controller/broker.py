"""A broker for the demo, on loopback, gone with it: mosquitto where it is installed, else amqtt.

`python -m controller.broker PORT` runs the embedded one (MQTT 3.1.1 only) in this process.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from controller.broker_address import BrokerAddress, Version

# Debian puts the daemon where a plain user's PATH does not look.
MORE_PLACES = "/usr/local/sbin:/usr/sbin"
START_S_MAX = 10
END_S_MAX = 5
KNOCK_S = 0.02
STARTS_MAX = 3
ALLOW_ALL = "topic readwrite #\n"
# Everything may be read, nothing written but the table's status: a broker that refuses events.
ALLOW_STATUS = "topic readwrite +/+/status\ntopic read #\n"
NOTHING_INSTALLED = (
    "no broker: install mosquitto (sudo apt-get install mosquitto), or the embedded one "
    "(pip install 'table-controller[demo]'), or name one with --broker URL"
)


class NoBroker(Exception):
    """None is installed, or it does not start; the message says what to do."""


class DemoBroker:
    """One broker process on a loopback port that stays its own through stop and start."""

    def __init__(self, home: Path) -> None:
        """Prepare in the directory `home`. Raises NoBroker where none is installed."""
        self._home = home
        self._program = shutil.which(
            "mosquitto", path=os.environ.get("PATH", os.defpath) + os.pathsep + MORE_PLACES
        )
        if self._program is None and importlib.util.find_spec("amqtt") is None:
            raise NoBroker(NOTHING_INSTALLED)
        self._port = _free_port()
        self._process: asyncio.subprocess.Process | None = None

    @property
    def kind(self) -> str:
        """`mosquitto` or `amqtt`."""
        return "amqtt" if self._program is None else "mosquitto"

    @property
    def address(self) -> BrokerAddress:
        """Where it listens, and which MQTT it speaks."""
        version: Version = "3.1.1" if self._program is None else "5"
        return BrokerAddress("127.0.0.1", self._port, version)

    async def start(self) -> None:
        """Run it until it accepts connections. Raises NoBroker."""
        self._process = await asyncio.create_subprocess_exec(
            *self._command(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
            # Ctrl-C at the terminal is the demo's to handle: the broker ends last.
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(START_S_MAX):
                await self._accepts(self._process)
        except TimeoutError:
            await self.stop()
            raise NoBroker(f"{self.kind} does not accept connections") from None

    async def stop(self) -> None:
        """End it, and wait until it has ended."""
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        self._signal(process, signal.SIGCONT)
        self._signal(process, signal.SIGTERM)
        try:
            async with asyncio.timeout(END_S_MAX):
                await process.wait()
        except TimeoutError:
            self._signal(process, signal.SIGKILL)
            await process.wait()

    def refuse_events(self, refused: bool) -> bool:
        """Refuse every publication but the status, or none; False where this broker cannot."""
        if self._program is None or self._process is None:
            return False
        self._write_acl(ALLOW_STATUS if refused else ALLOW_ALL)
        self._signal(self._process, signal.SIGHUP)
        return True

    def freeze(self) -> None:
        """Stop it without closing anything: a half-open link."""
        if self._process is not None:
            self._signal(self._process, signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        if self._process is not None:
            self._signal(self._process, signal.SIGCONT)

    def _command(self) -> list[str]:
        # Ends with us even where we are killed.
        guard = shutil.which("setpriv")
        prefix = [] if guard is None else [guard, "--pdeathsig", "TERM"]
        if self._program is None:
            return [*prefix, sys.executable, "-m", "controller.broker", str(self._port)]
        config = self._home / "mosquitto.conf"
        acl = self._write_acl(ALLOW_ALL)
        config.write_text(
            f"listener {self._port} 127.0.0.1\nallow_anonymous true\nacl_file {acl}\n"
            # Nagle's algorithm costs 42 ms on the first message after a subscription (measured).
            "set_tcp_nodelay true\npersistence false\nmax_queued_messages 100000\n"
        )
        self._readable(config)
        return [*prefix, self._program, "-c", str(config)]

    def _write_acl(self, text: str) -> Path:
        acl = self._home / "acl"
        acl.write_text(text)
        self._readable(acl)
        return acl

    def _readable(self, path: Path) -> None:
        # Started by root, mosquitto becomes its own user before it reads; nothing here is secret.
        self._home.chmod(0o755)
        path.chmod(0o644)

    async def _accepts(self, process: asyncio.subprocess.Process) -> None:
        while process.returncode is None:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", self._port)
                writer.close()
                return
            await asyncio.sleep(KNOCK_S)
        raise NoBroker(f"{self.kind} ends at its start with code {process.returncode}")

    @staticmethod
    def _signal(process: asyncio.subprocess.Process, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)


@contextlib.asynccontextmanager
async def demo_broker() -> AsyncIterator[DemoBroker]:
    """A broker that runs for the body's duration. Raises NoBroker."""
    with tempfile.TemporaryDirectory(prefix="table-broker-") as home:
        for attempt in range(1, STARTS_MAX + 1):
            broker = DemoBroker(Path(home))
            try:
                await broker.start()
                break
            except NoBroker:
                # Someone may have taken the port between the look and the start.
                if attempt == STARTS_MAX:
                    raise
        try:
            yield broker
        finally:
            await broker.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def _serve_embedded(port: int) -> None:
    from amqtt.broker import Broker

    broker = Broker(
        {
            "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
            "plugins": {
                "amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}
            },
        }
    )
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    await broker.start()
    await ended.wait()
    await broker.shutdown()


if __name__ == "__main__":
    asyncio.run(_serve_embedded(int(sys.argv[1])))

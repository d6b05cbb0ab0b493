"""A real mosquitto on a random loopback port, with the configuration that a test gives."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Self

from controller.broker_address import BrokerAddress, Version

WHERE = "/usr/local/sbin:/usr/sbin:/usr/bin:/bin"
MISSING = (
    "these tests need a real broker, and mosquitto is not installed: "
    "on Debian and Raspberry Pi OS run `sudo apt-get install mosquitto mosquitto-clients`"
)


def program(name: str) -> str:
    """The path of a mosquitto program, or an end of the session in words."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":" + WHERE)
    if found is None:
        raise RuntimeError(MISSING)
    return found


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Mosquitto:
    """One broker process; stopped, killed, frozen and restarted on the same port."""

    # Beside its configuration: a test that fails wants every packet in the log.
    words: tuple[str, ...] = ("-v",)
    # A session of its own has its own share of a busy machine, as a service has.
    own_session = False

    def __init__(self, home: Path, *lines: str) -> None:
        """Keep the lines of its configuration; nothing runs before `start`."""
        self.home = home
        self.port = free_port()
        self.lines = lines or ("allow_anonymous true",)
        self.process: subprocess.Popen[bytes] | None = None

    def address(
        self, version: Version = "5", username: str | None = None, password: str | None = None
    ) -> BrokerAddress:
        """Where it listens."""
        return BrokerAddress("127.0.0.1", self.port, version, username=username, password=password)

    @property
    def url(self) -> str:
        """The same as text."""
        return f"mqtt://127.0.0.1:{self.port}"

    def head(self) -> list[str]:
        """What stands before the lines."""
        return [f"listener {self.port} 127.0.0.1", "set_tcp_nodelay true"]

    def start(self) -> None:
        """Run it and wait until it accepts."""
        config = self.home / "mosquitto.conf"
        head = self.head()
        if os.geteuid() == 0:
            # It would drop to its own user, who cannot read a test's private directory.
            head.append("user root")
        config.write_text("\n".join([*head, *self.lines, ""]))
        out = (self.home / "mosquitto.log").open("ab")
        self.process = subprocess.Popen(
            [program("mosquitto"), *self.words, "-c", str(config)], stdout=out, stderr=out,
            start_new_session=self.own_session,
        )  # fmt: skip
        out.close()
        for _ in range(200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port)):
                return
            time.sleep(0.02)
        raise RuntimeError((self.home / "mosquitto.log").read_text()[-2000:])

    @contextlib.contextmanager
    def running(self) -> Iterator[Self]:
        """Run it for the body's duration."""
        self.start()
        try:
            yield self
        finally:
            self.stop()

    def reload(self) -> None:
        """Read the ACL and password files again."""
        self.signal(signal.SIGHUP)

    def freeze(self) -> None:
        """Stop it without closing anything: the half-open link."""
        self.signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self.signal(signal.SIGCONT)

    def kill(self) -> None:
        """End it without a farewell."""
        self.signal(signal.SIGKILL)
        self._reap()

    def stop(self) -> None:
        """End it in order."""
        if self.process is not None and self.process.poll() is None:
            self.thaw()
            self.signal(signal.SIGTERM)
        self._reap()

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        assert self.process is not None
        self.process.send_signal(number)

    def _reap(self) -> None:
        if self.process is not None:
            self.process.wait(timeout=10)
            self.process = None


class Wire:
    """A way to the broker that a test can cut while the broker and all others live on."""

    def __init__(self, broker: Mosquitto) -> None:
        """Lead to `broker`; listens from `laid` on."""
        self.port = free_port()
        self._broker = broker
        self._writers: list[asyncio.StreamWriter] = []

    def cut(self) -> None:
        """Reset every connection that is on it now."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    @contextlib.asynccontextmanager
    async def laid(self) -> AsyncIterator[None]:
        """Carry connections for the body's duration."""
        async with await asyncio.start_server(self._join, "127.0.0.1", self.port):
            yield
            self.cut()

    async def _join(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, forth = await asyncio.open_connection("127.0.0.1", self._broker.port)
        self._writers += [back, forth]
        await asyncio.gather(self._carry(near, forth), self._carry(far, back))

    async def _carry(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while octets := await source.read(512):
                sink.write(octets)
                await sink.drain()
        sink.transport.abort()


async def until(true: object, seconds: float = 5.0) -> None:
    """Wait until `true()` holds, or fail in words."""
    assert callable(true)
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.01)


@contextlib.asynccontextmanager
async def running(home: Path, *lines: str) -> AsyncIterator[Mosquitto]:
    """A broker for the body's duration."""
    with Mosquitto(home, *lines).running() as broker:
        yield broker

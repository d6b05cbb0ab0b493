"""A daemon as systemd runs it: its own process, a notification socket, a table's file."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path

# A busy machine; how long a start takes on a quiet one is the benchmark's to say.
READY_S_MAX = 60.0


class TableProcess:
    """One daemon and what it tells its supervisor."""

    def __init__(self, home: Path, config: Path, extra: Mapping[str, str] | None = None) -> None:
        """Nothing runs before `start`."""
        self._config = config
        self._address = home / "notify"
        self._extra = dict(extra or {})
        self.log = home / "daemon.log"
        self.words: list[str] = []
        self.process: asyncio.subprocess.Process | None = None
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._address.unlink(missing_ok=True)
        self._socket.bind(str(self._address))

    async def start(self, stdin: int = asyncio.subprocess.DEVNULL, *options: str) -> float:
        """Run until it says that it is ready; gives the seconds that it took."""
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                sys.executable, "-m", "controller", "run", "--config", str(self._config), *options,
                stdin=stdin, stdout=log, stderr=log,
                env={**os.environ, "NOTIFY_SOCKET": str(self._address), **self._extra},
            )  # fmt: skip
        await self.told("READY=1")
        return loop.time() - began_s

    async def told(self, word: str) -> None:
        """Wait until the daemon has told `word`."""
        assert self.process is not None
        loop = asyncio.get_running_loop()
        ended = asyncio.create_task(self.process.wait())
        try:
            while word not in self.words:
                heard = asyncio.create_task(loop.sock_recv(self._socket, 4096))
                await asyncio.wait(
                    (heard, ended), timeout=READY_S_MAX, return_when=asyncio.FIRST_COMPLETED
                )
                if not heard.done():
                    heard.cancel()
                    raise AssertionError(f"no {word}: {self.log.read_text()[-2000:]}")
                self.words += heard.result().decode().split("\n")
        finally:
            ended.cancel()

    async def logged(self, words: str) -> None:
        """Wait until the daemon's log has `words`."""
        async with asyncio.timeout(READY_S_MAX):
            while words not in self.log.read_text():
                await asyncio.sleep(0.05)

    async def end(self, number: int = signal.SIGTERM) -> tuple[int, float]:
        """Send a signal; the exit code and the seconds until it had ended."""
        assert self.process is not None
        loop = asyncio.get_running_loop()
        began_s = loop.time()
        self.process.send_signal(number)
        code = await asyncio.wait_for(self.process.wait(), 15)
        return code, loop.time() - began_s

    async def close(self) -> None:
        """Whatever still runs is killed."""
        self._socket.close()
        if self.process is not None and self.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()


@contextlib.asynccontextmanager
async def table_process(
    home: Path, config: Path, extra: Mapping[str, str] | None = None
) -> AsyncIterator[TableProcess]:
    """A daemon for the body's duration."""
    one = TableProcess(home, config, extra)
    try:
        yield one
    finally:
        await one.close()

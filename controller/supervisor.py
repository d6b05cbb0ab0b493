"""Tells systemd how the daemon is; feeds its watchdog only while loop and journal make progress."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import Awaitable, Callable, Mapping

from controller.clock import SystemClock

# sd_watchdog_enabled(3) asks for half of the limit; a third leaves room for one late ping.
PINGS_PER_LIMIT = 3


class Supervisor:
    """The notification protocol of sd_notify(3), over the socket that systemd names.

    Without such a socket every call does nothing, so that the daemon runs anywhere.
    """

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        variables = os.environ if environment is None else environment
        self._address = _address(variables.get("NOTIFY_SOCKET", ""))
        self.watchdog_us = _watchdog_us(variables)
        # Whether what was begun last came as far as `ready`.
        self.began = False

    def ready(self, status: str) -> None:
        """The table is served from here on."""
        self.began = True
        self._tell(f"READY=1\nSTATUS={_line(status)}")

    def status(self, text: str) -> None:
        """One line for `systemctl status`."""
        self._tell(f"STATUS={_line(text)}")

    def reloading(self) -> None:
        """The table's file is taken up; `ready` follows. The stamp is what Type=notify-reload of
        later systemd asks for."""
        self._tell(f"RELOADING=1\nMONOTONIC_USEC={SystemClock().mono_ns() // 1000}")

    def stopping(self) -> None:
        """The end has begun."""
        self._tell("STOPPING=1")

    async def feed(self, progress: Callable[[], Awaitable[None]]) -> None:
        """Feed the watchdog until cancelled; returns at once where systemd asks for none.

        `progress` returns when the journal has worked off what was asked of it (`Store.ping`);
        while it does not, nothing is fed and systemd restarts the daemon. What it raises passes.
        """
        if not self.watchdog_us:
            return
        while True:
            await progress()
            self._tell("WATCHDOG=1")
            await asyncio.sleep(self.watchdog_us / 1_000_000 / PINGS_PER_LIMIT)

    def _tell(self, message: str) -> None:
        if self._address is None:
            return
        # A supervisor that does not listen must not stop the table.
        with (
            contextlib.suppress(OSError),
            socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel,
        ):
            channel.setblocking(False)
            channel.sendto(message.encode(), self._address)


def _address(named: str) -> str | None:
    # A leading @ stands for the NUL of an abstract address; other kinds (vsock) are not ours.
    if named.startswith("@"):
        return f"\0{named[1:]}"
    return named if named.startswith("/") else None


def _watchdog_us(variables: Mapping[str, str]) -> int:
    """Microseconds of WATCHDOG_USEC, if it is meant for this process; else 0."""
    limit, whose = variables.get("WATCHDOG_USEC", ""), variables.get("WATCHDOG_PID", "")
    if not limit.isdecimal() or (whose and whose != str(os.getpid())):
        return 0
    return int(limit)


def _line(text: str) -> str:
    return text.replace("\n", " ")

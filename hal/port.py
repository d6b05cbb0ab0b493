"""Opening what a line hangs on, serial port or TCP serial server; the only importer of pyserial.

A port is held twice: flock keeps out programs that ask politely, TIOCEXCL those that do not.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import re
import socket
import termios
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from hal.errors import AddressError, PortBusy, PortError, PortMissing, PortUnusable

BAUD_DEFAULT: Final = 115_200
# Start bit, eight data bits, stop bit: 8N1 of interfaces, section 7.
BITS_AN_OCTET: Final = 10
CONNECT_S_MAX: Final = 5.0
# A serial server that lost its power answers nothing: noticed within 5 + 3 x 2 s.
KEEPALIVE: Final = (
    (socket.TCP_KEEPIDLE, 5), (socket.TCP_KEEPINTVL, 2), (socket.TCP_KEEPCNT, 3),
)  # fmt: skip
_NUMBERED = re.compile(r"/dev/tty(USB|ACM)\d+\Z")
_TCP = "tcp://"


@dataclass(frozen=True, slots=True)
class PortSettings:
    """Where a device hangs: a path, best below /dev/serial/by-id, or `tcp://host:port`.

    `dtr` and `rts` are the levels held while open; some boards reset on them. Raises AddressError.
    """

    port: str
    baud: int = BAUD_DEFAULT
    dtr: bool = True
    rts: bool = True

    def __post_init__(self) -> None:
        """Refuse what can never be opened."""
        if self.port.startswith(_TCP):
            tcp_address(self.port)
        elif not self.port.startswith("/"):
            raise AddressError(f"{self.port!r}: expected an absolute path or tcp://host:port")
        if self.baud <= 0:
            raise AddressError(f"baud {self.baud}: expected a positive number")

    def frame_ms(self, octets: int) -> int:
        """How long a frame of so many octets takes on this line, rounded up to the next ms."""
        return octets * BITS_AN_OCTET * 1000 // self.baud + 1


@dataclass(frozen=True, slots=True)
class OpenPort:
    """An open, non-blocking descriptor; `device` is the kernel's number of its node, or None."""

    descriptor: int
    device: int | None
    close: Callable[[], None]

    def drop_output(self) -> None:
        """Throw away what the kernel holds for a peer that takes nothing; also unblocks a close."""
        with suppress(termios.error, OSError):
            termios.tcflush(self.descriptor, termios.TCOFLUSH)


def warning_of(port: str) -> str | None:
    """Why a port of the configuration is unwise, in words; None: it is not."""
    if _NUMBERED.match(port):
        return (
            f"{port} is counted in the order of plugging; name the adapter by its path below "
            "/dev/serial/by-id or by a udev link"
        )
    return None


def tcp_address(port: str) -> tuple[str, int]:
    """Host and port of `tcp://host:port`. Raises AddressError."""
    try:
        parts = urlsplit(port)
        host, number = parts.hostname, parts.port
    except ValueError as error:
        raise AddressError(f"{port!r}: {error}") from None
    if not host or not number or parts.path or parts.query or parts.username is not None:
        raise AddressError(f"{port!r}: expected tcp://host:port")
    return host, number


def moved(settings: PortSettings, port: OpenPort) -> bool:
    """Whether the path names another device than the one that is open. A missing path is not."""
    if port.device is None:
        return False
    try:
        return Path(settings.port).stat().st_rdev != port.device
    except OSError:
        return False


async def open_port(settings: PortSettings) -> OpenPort:
    """Open without ever blocking the loop. Raises PortError."""
    if settings.port.startswith(_TCP):
        return await _open_tcp(settings.port)
    opening = asyncio.get_running_loop().run_in_executor(None, _open_serial, settings)
    try:
        return await asyncio.shield(opening)
    except asyncio.CancelledError:
        # The thread cannot be stopped: what it opens after us is closed by it.
        opening.add_done_callback(_close_unwanted)
        raise


def _close_unwanted(opening: asyncio.Future[OpenPort]) -> None:
    if not opening.cancelled() and opening.exception() is None:
        opening.result().close()


async def _open_tcp(port: str) -> OpenPort:
    host, number = tcp_address(port)
    loop = asyncio.get_running_loop()
    line: socket.socket | None = None
    try:
        async with asyncio.timeout(CONNECT_S_MAX):
            found = await loop.getaddrinfo(host, number, type=socket.SOCK_STREAM)
            family, kind, protocol, _, address = found[0]
            line = socket.socket(family, kind, protocol)
            line.setblocking(False)
            await loop.sock_connect(line, address)
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for option, value in KEEPALIVE:
            line.setsockopt(socket.IPPROTO_TCP, option, value)
    except (OSError, asyncio.CancelledError) as error:
        if line is not None:
            line.close()
        if isinstance(error, asyncio.CancelledError):
            raise
        raise PortUnusable(f"{port}: {str(error) or 'no answer'}") from error
    return OpenPort(line.fileno(), None, line.close)


def _open_serial(settings: PortSettings) -> OpenPort:
    """In a worker thread: an adapter answers its configuration when it likes."""
    import serial

    port = serial.Serial(exclusive=True, timeout=0, write_timeout=0)
    port.port, port.baudrate = settings.port, settings.baud
    port.dtr, port.rts = settings.dtr, settings.rts
    try:
        port.open()
    except (OSError, ValueError) as error:
        raise _why_not(settings.port, error) from error
    try:
        descriptor = port.fileno()
        fcntl.ioctl(descriptor, termios.TIOCEXCL)
        _tell_hangup_from_nothing(descriptor)
        termios.tcflush(descriptor, termios.TCIOFLUSH)
        device = os.fstat(descriptor).st_rdev
    except (OSError, termios.error) as error:
        port.close()
        raise _why_not(settings.port, error) from error
    return OpenPort(descriptor, device, lambda: _close_serial(descriptor, port.close))


def _tell_hangup_from_nothing(descriptor: int) -> None:
    """VMIN 1: an empty read then means hang-up, never just nothing (pyserial leaves VMIN 0)."""
    attributes = termios.tcgetattr(descriptor)
    attributes[6][termios.VMIN] = 1
    termios.tcsetattr(descriptor, termios.TCSANOW, attributes)


def _close_serial(descriptor: int, close: Callable[[], None]) -> None:
    """Without output left to drain: the kernel would wait up to 30 s for a peer that is gone."""
    with suppress(termios.error, OSError):
        termios.tcflush(descriptor, termios.TCOFLUSH)
        fcntl.ioctl(descriptor, termios.TIOCNXCL)
    with suppress(OSError):
        close()


def _why_not(path: str, error: Exception) -> PortError:
    number = getattr(error, "errno", None)
    if number in (errno.ENOENT, errno.ENXIO, errno.ENODEV):
        return PortMissing(f"{path}: nothing is plugged in there")
    if number in (errno.EAGAIN, errno.EBUSY):
        holder = holder_of(path)
        return PortBusy(f"{path}: in use by {holder or 'another process'}")
    if number in (errno.EACCES, errno.EPERM):
        return PortUnusable(f"{path}: no permission; the group dialout may open serial ports")
    return PortUnusable(f"{path}: {error}")


def holder_of(path: str) -> str | None:
    """`process N (name)` that holds the lock of a port, where the kernel tells it."""
    try:
        node = Path(path).stat()
        locks = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    wanted = (os.major(node.st_dev), os.minor(node.st_dev), node.st_ino)
    for line in locks:
        fields = line.split()
        if len(fields) < 6 or fields[1] != "FLOCK":
            continue
        major, minor, inode = fields[5].split(":")
        if (int(major, 16), int(minor, 16), int(inode)) == wanted:
            return f"process {fields[4]} ({_name_of(fields[4])})"
    return None


def _name_of(process: str) -> str:
    try:
        return Path("/proc", process, "comm").read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        return "name unknown"

"""Raw randomness of the board and its conditioning: the only module that reads either.

Two sources, one used at a time and named in the record: the board's own generator (`/dev/hwrng`)
where there is one, or the kernel's. Whatever the raw source, each block that numbers are taken
from is HMAC-SHA-512 under a key of 64 fresh octets of the kernel, over the block before, a counter
and the raw octets. A broken or hostile raw source cannot weaken it (the key is secret from it),
and a weak kernel cannot either (then the raw octets carry the entropy, and HMAC condenses it).
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import threading
import time
from pathlib import Path
from typing import Protocol

HARDWARE = Path("/dev/hwrng")
# A generator that gives nothing for this long has stopped; the slowest of the boards needs 1 ms.
READ_S_MAX = 2.0
# The kernel's hwrng answers "not yet" in between; a short rest costs a slow source nothing.
RETRY_S = 0.005
# The key of a block is as long as SHA-512's output, so that nothing is lost or stretched.
KEY_OCTETS = 64


class SourceError(Exception):
    """The raw source cannot be opened or read; the message says which and why."""


class RawSource(Protocol):
    """Where raw octets come from. Used by one worker thread; `stop` comes from another."""

    name: str

    def fill(self, buffer: bytearray) -> None:
        """Overwrite all of `buffer`; may block for READ_S_MAX at most. Raises SourceError."""
        ...

    def stop(self) -> None:
        """End a read that waits; the next `fill` raises."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...


class KernelSource:
    """The kernel's generator, which waits once after a boot until it was seeded."""

    name = "kernel"

    def fill(self, buffer: bytearray) -> None:
        """Overwrite all of `buffer`."""
        fill_from_kernel(buffer)

    def stop(self) -> None:
        """Nothing waits here."""

    def close(self) -> None:
        """Nothing is held here."""


class HardwareSource:
    """A character device that gives raw octets. Raises SourceError when it cannot be opened."""

    def __init__(self, path: Path = HARDWARE) -> None:
        self.name = f"hwrng:{path}"
        self._stopped = threading.Event()
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as trouble:
            raise SourceError(f"{self.name}: {trouble.strerror}") from trouble

    def fill(self, buffer: bytearray) -> None:
        """Overwrite all of `buffer`. Raises SourceError when the device fails or falls silent."""
        deadline = time.monotonic() + READ_S_MAX
        view, got = memoryview(buffer), 0
        while got < len(buffer):
            got += self._read_some(view[got:])
            if got < len(buffer) and (time.monotonic() > deadline or self._stopped.wait(RETRY_S)):
                raise SourceError(f"{self.name}: {got} of {len(buffer)} octets, then silence")

    def stop(self) -> None:
        """End a read that waits."""
        self._stopped.set()

    def close(self) -> None:
        """Close the device; again is no harm."""
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _read_some(self, view: memoryview) -> int:
        try:
            return os.readv(self._descriptor, [view])
        except BlockingIOError:
            return 0
        except OSError as trouble:
            raise SourceError(f"{self.name}: {trouble.strerror}") from trouble


def fill_from_kernel(buffer: bytearray | memoryview) -> None:
    """Overwrite all of `buffer` from the kernel; never on the loop's thread, it waits at boot."""
    view, got = memoryview(buffer), 0
    while got < len(view):
        some = os.getrandom(len(view) - got)
        view[got : got + len(some)] = some
        got += len(some)


def wipe(buffer: bytearray) -> None:
    """Overwrite a buffer of ours. Copies inside the interpreter are freed, not overwritten."""
    buffer[:] = bytes(len(buffer))


def open_source(wanted: str) -> RawSource:
    """The source of a table's `[rng] source`: `auto`, `kernel` or the path of a device.

    `auto` takes the board's generator where it gives octets, the kernel otherwise; a device that
    is named must be there. Raises SourceError.
    """
    if wanted == "kernel":
        return KernelSource()
    if wanted != "auto":
        return HardwareSource(Path(wanted))
    try:
        source = HardwareSource()
    except SourceError:
        return KernelSource()
    try:
        # The device file is there without any generator behind it on most machines.
        source.fill(bytearray(1))
    except SourceError:
        source.close()
        return KernelSource()
    return source


class Conditioner:
    """Turns raw blocks into blocks that numbers may be taken from; state is 64 octets."""

    def __init__(self) -> None:
        self._before = bytearray(KEY_OCTETS)
        self._count = 0

    def block(self, raw: bytearray) -> bytearray:
        """64 octets that depend on `raw`, on the kernel and on all blocks before."""
        key = bytearray(KEY_OCTETS)
        fill_from_kernel(key)
        self._count += 1
        mixed = hmac.new(key, self._before, hashlib.sha512)
        mixed.update(self._count.to_bytes(8, "big"))
        mixed.update(raw)
        self._before[:] = mixed.digest()
        # What is handed out must not be what is kept: one does not tell the other.
        given = bytearray(hmac.digest(self._before, b"number", "sha512"))
        wipe(key)
        return given

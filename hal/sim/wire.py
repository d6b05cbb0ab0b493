"""The wire of a simulated device: a pseudo-terminal or any port, and everything that wires do.

Cruelty is drawn from a seeded generator: the same seed spoils the same frames.
"""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import random
import struct
import termios
import time
import tty
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final, Protocol

from hal.link import Link
from hal.port import PortSettings
from hal.protocols.framing import FRAME_OCTETS_MAX

READ_OCTETS_MAX: Final = 4096
# Half a second of a full line at 115,200 baud; a device does not buffer more either.
PIECES_MAX: Final = 512
# What a silent device keeps for its burst, in frames; the oldest are overwritten.
HELD_FRAMES_MAX: Final = 256
# Linux, <asm-generic/ioctls.h>: whether a terminal is exclusive.
TIOCGEXCL: Final = 0x80045440
EXCLUSIVE_CHECK_S: Final = 0.25
# Where the kernel keeps pseudo-terminals.
TERMINALS: Final = Path("/dev/pts")
SPLIT_PAUSE_S: Final = 0.012
NOISE_OCTETS_MAX: Final = 40

Hear = Callable[[bytes], None]
Watch = Callable[[bytes, int], None]


class End(Protocol):
    """The device's end of a line."""

    def open(self, hear: Hear) -> None:
        """Begin; octets of the host go to `hear`."""
        ...

    def close(self) -> None:
        """Pull the plug."""
        ...

    def write(self, octets: bytes) -> int:
        """Send without waiting; gives how many octets the line took, the rest is lost."""
        ...


class PtyEnd:
    """A pseudo-terminal whose host side hangs at `path`, a symbolic link as udev would make it."""

    def __init__(self, path: Path) -> None:
        """Nothing is there before `open`."""
        self.path = path
        self._master = self._slave = -1
        self._check: asyncio.TimerHandle | None = None

    def open(self, hear: Hear) -> None:
        """Plug in: a new terminal each time, as a re-plugged adapter gets a new number.

        Raises OSError; FileExistsError where something else than such a terminal's link is there.
        """
        loop = asyncio.get_running_loop()
        if not _is_free(self.path):
            raise FileExistsError(errno.EEXIST, "something else is there", str(self.path))
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        beside = self.path.with_name(self.path.name + ".new")
        with suppress(FileNotFoundError):
            beside.unlink()
        beside.symlink_to(os.ttyname(self._slave))
        beside.replace(self.path)
        loop.add_reader(self._master, self._readable, hear)
        self._check = loop.call_later(EXCLUSIVE_CHECK_S, self._free_dead_hold)

    def close(self) -> None:
        """Pull the plug: the host's descriptor is dead from now on."""
        if self._master < 0:
            return
        asyncio.get_running_loop().remove_reader(self._master)
        if self._check is not None:
            self._check.cancel()
        with suppress(FileNotFoundError):
            self.path.unlink()
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = -1

    def write(self, octets: bytes) -> int:
        """What the terminal does not take is lost, as on a line without flow control."""
        if self._master < 0:
            return 0
        try:
            return os.write(self._master, octets)
        except OSError:
            return 0

    @property
    def is_held(self) -> bool:
        """Whether a host has opened the port for itself alone, as the controller does."""
        if self._slave < 0:
            return False
        held = fcntl.ioctl(self._slave, TIOCGEXCL, struct.pack("i", 0))
        return bool(struct.unpack("i", held)[0])

    def _readable(self, hear: Hear) -> None:
        try:
            octets = os.read(self._master, READ_OCTETS_MAX)
        except OSError:
            return
        hear(octets)

    def _free_dead_hold(self) -> None:
        """A real port forgets TIOCEXCL when its last user dies; a pty does not while we hold it."""
        self._check = asyncio.get_running_loop().call_later(EXCLUSIVE_CHECK_S, self._free_dead_hold)
        with suppress(OSError):
            if self.is_held:
                fcntl.flock(self._slave, fcntl.LOCK_SH | fcntl.LOCK_NB)
                fcntl.ioctl(self._slave, termios.TIOCNXCL)
                fcntl.flock(self._slave, fcntl.LOCK_UN)


def _is_free(path: Path) -> bool:
    """Whether a terminal's link may be put there: a file or a real port is nobody's to replace, the
    link of a simulator that was killed is."""
    if path.is_symlink():
        return path.readlink().is_relative_to(TERMINALS)
    return not path.exists()


class PortEnd:
    """Any port that a host is wired to: the device's end of a null-modem cable or a TCP server."""

    def __init__(self, settings: PortSettings) -> None:
        """The link of the product serves the simulator as well."""
        self.link = Link(settings, self, FRAME_OCTETS_MAX)
        self._hear: Hear | None = None
        self._task: asyncio.Task[None] | None = None

    def open(self, hear: Hear) -> None:
        """Open, and re-open when it is lost."""
        self._hear = hear
        self._task = asyncio.get_running_loop().create_task(self.link.run())

    def close(self) -> None:
        """Leave the port."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    def write(self, octets: bytes) -> int:
        """All or nothing: the link queues whole frames."""
        return len(octets) if self.link.write(octets) else 0

    def opened(self) -> None:
        """Nothing to do: the device speaks by itself."""

    def received(self, octets: bytes, mono_ns: int) -> None:
        """Octets of the host."""
        if self._hear is not None:
            self._hear(octets)

    def idled(self, mono_ns: int) -> None:
        """Nothing to do: a device does not judge its host's silence."""

    def lost(self, why: str, mono_ns: int) -> None:
        """Nothing to do: the device speaks on into the void."""


@dataclass(slots=True)
class Cruelty:
    """What happens to each frame: odds from 0 to 1; `split` and `triple` are for every frame."""

    lost: float = 0.0
    bad_check: float = 0.0
    noise: float = 0.0
    split: bool = False
    triple: bool = False


class Wire:
    """A device's line with its cruelty. `run` pumps; `send` never waits."""

    def __init__(self, end: End, hear: Hear, seed: int = 0) -> None:
        """`hear` gets what the host sends.

        `watch`, if set, is told each frame as it left, with the monotonic time of its last octet.
        """
        self.cruelty = Cruelty()
        self.sent = self.spoiled = self.overrun_octets = 0
        self._end = end
        self._hear = hear
        self._chance = random.Random(seed)
        self.watch: Watch | None = None
        self._pieces: asyncio.Queue[tuple[float, bytes, bytes | None]] = asyncio.Queue(PIECES_MAX)
        self._held: list[bytes] | None = None

    async def run(self) -> None:
        """Plug in and pump until cancelled; then pull the plug."""
        self._end.open(self._hear)
        try:
            while True:
                pause_s, octets, whole = await self._pieces.get()
                if pause_s:
                    await asyncio.sleep(pause_s)
                self.overrun_octets += len(octets) - self._end.write(octets)
                if whole is not None and self.watch is not None:
                    self.watch(whole, time.monotonic_ns())
        finally:
            self._end.close()

    def send(self, frame: bytes) -> None:
        """One frame of the device, with whatever the wire does to it."""
        self.sent += 1
        if self._held is not None:
            self._held.append(frame)
            del self._held[:-HELD_FRAMES_MAX]
            return
        copies = 3 if self.cruelty.triple else 1
        for _ in range(copies):
            self._spoil(frame)

    async def hush(self, seconds: float) -> None:
        """Silence, then everything at once."""
        self._held = []
        await asyncio.sleep(seconds)
        frames, self._held = self._held, None
        for frame in frames:
            self.send(frame)

    async def unplug(self, seconds: float) -> None:
        """Pull the plug and put it back; what the device says meanwhile is lost."""
        self._end.close()
        await asyncio.sleep(seconds)
        self._end.open(self._hear)

    def spit(self, octets: bytes) -> None:
        """Octets that are no frame: a boot loader's greeting."""
        self._put(0.0, octets)

    def _spoil(self, frame: bytes) -> None:
        cruelty, chance = self.cruelty, self._chance
        if chance.random() < cruelty.noise:
            self.spoiled += 1
            self._put(0.0, chance.randbytes(chance.randint(1, NOISE_OCTETS_MAX)))
        if chance.random() < cruelty.lost:
            self.spoiled += 1
            return
        if chance.random() < cruelty.bad_check:
            self.spoiled += 1
            at = chance.randrange(1, len(frame) - 2)
            frame = frame[:at] + bytes((frame[at] ^ 1 << chance.randrange(7),)) + frame[at + 1 :]
        if cruelty.split:
            cuts = sorted(chance.sample(range(1, len(frame)), 3))
            edges = [0, *cuts, len(frame)]
            for start, stop in pairwise(edges):
                whole = frame if stop == len(frame) else None
                self._put(SPLIT_PAUSE_S * chance.random(), frame[start:stop], whole)
        else:
            self._put(0.0, frame, frame)

    def _put(self, pause_s: float, octets: bytes, whole: bytes | None = None) -> None:
        try:
            self._pieces.put_nowait((pause_s, octets, whole))
        except asyncio.QueueFull:
            self.overrun_octets += len(octets)

"""The simulated wire does what wires do, the same again for the same seed."""

import asyncio
import contextlib
import errno
import fcntl
import os
import termios
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hal.port import PortSettings
from hal.protocols.framing import Framer, framed
from hal.sim.wire import HELD_FRAMES_MAX, PortEnd, PtyEnd, Wire
from tests.hal.wires import Pty, until


class Tin:
    """An end that keeps what is written."""

    def __init__(self) -> None:
        self.writes: list[bytes] = []

    def open(self, hear: object) -> None:
        self.writes.append(b"<open>")

    def close(self) -> None:
        self.writes.append(b"<close>")

    def write(self, octets: bytes) -> int:
        self.writes.append(octets)
        return len(octets)


@contextlib.asynccontextmanager
async def wired(
    end: Tin | PtyEnd | PortEnd, heard: list[bytes] | None = None
) -> AsyncIterator[Wire]:
    wire = Wire(end, (heard if heard is not None else []).append, seed=3)
    running = asyncio.create_task(wire.run())
    await asyncio.sleep(0)
    try:
        yield wire
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


FRAME = framed(b"TDP1|shoe|00F0|00A1|STACK|n=2;cards=5")


async def test_a_kind_wire_carries_frames_as_they_are() -> None:
    tin = Tin()
    async with wired(tin) as wire:
        wire.send(FRAME)
        await until(lambda: tin.writes == [b"<open>", FRAME])
    assert tin.writes[-1] == b"<close>"


async def test_each_cruelty_does_what_it_says() -> None:
    tin = Tin()
    async with wired(tin) as wire:
        wire.cruelty.lost = 1.0
        wire.send(FRAME)
        wire.cruelty.lost, wire.cruelty.triple = 0.0, True
        wire.send(FRAME)
        await until(lambda: tin.writes[1:] == [FRAME] * 3)
        wire.cruelty.triple, wire.cruelty.bad_check = False, 1.0
        wire.send(FRAME)
        await until(lambda: len(tin.writes) == 5)
        assert not any(isinstance(part, bytes) for part in Framer().feed(tin.writes[4]))
        wire.cruelty.bad_check, wire.cruelty.split = 0.0, True
        wire.send(FRAME)
        await until(lambda: b"".join(tin.writes[5:]) == FRAME)
        assert len(tin.writes) == 9
        wire.cruelty.split, wire.cruelty.noise = False, 1.0
        wire.send(FRAME)
        await until(lambda: len(tin.writes) == 11)
        assert tin.writes[10] == FRAME


async def test_silence_ends_in_a_burst_of_at_most_what_a_device_keeps() -> None:
    tin = Tin()
    async with wired(tin) as wire:
        hush = asyncio.create_task(wire.hush(0.1))
        await asyncio.sleep(0)
        for _ in range(HELD_FRAMES_MAX + 5):
            wire.send(FRAME)
        await asyncio.sleep(0.05)
        assert tin.writes == [b"<open>"]
        await hush
        await until(lambda: len(tin.writes) == 1 + HELD_FRAMES_MAX)


async def test_a_pulled_plug_is_a_dead_descriptor_and_a_new_terminal(tmp_path: Path) -> None:
    path = tmp_path / "port"
    heard: list[bytes] = []
    async with wired(PtyEnd(path), heard) as wire:
        host = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        os.write(host, b"to the device")
        await until(lambda: b"".join(heard) == b"to the device")
        plug = asyncio.create_task(wire.unplug(0.1))
        await until(lambda: not path.is_symlink())
        try:
            dead = os.read(host, 10) == b""
        except OSError as error:
            dead = error.errno == errno.EIO
        assert dead
        await plug
        assert path.is_symlink()
        os.close(host)
    assert not path.is_symlink()


async def test_what_is_no_terminal_of_a_simulator_is_not_replaced(tmp_path: Path) -> None:
    file, port, left = tmp_path / "file", tmp_path / "port", tmp_path / "left"
    file.write_text("precious")
    port.symlink_to("/dev/null")
    left.symlink_to("/dev/pts/2147483647")
    for path in (file, port):
        with pytest.raises(FileExistsError, match="something else is there"):
            PtyEnd(path).open(lambda octets: None)
    assert file.read_text() == "precious"
    assert port.readlink() == Path("/dev/null")
    end = PtyEnd(left)
    end.open(lambda octets: None)
    end.close()
    assert not left.is_symlink()


async def test_a_full_terminal_loses_octets_instead_of_blocking(tmp_path: Path) -> None:
    async with wired(PtyEnd(tmp_path / "port")) as wire:
        for _ in range(400):
            wire.send(b"x" * 1000)
        await until(lambda: wire.overrun_octets > 100_000)


async def test_a_hold_left_by_a_killed_host_is_freed(tmp_path: Path) -> None:
    path = tmp_path / "port"
    async with wired(PtyEnd(path)):
        host = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        fcntl.flock(host, fcntl.LOCK_EX)
        fcntl.ioctl(host, termios.TIOCEXCL)
        await asyncio.sleep(0.4)
        probe = os.open(path, os.O_RDWR | os.O_NOCTTY) if os.getuid() == 0 else host
        assert fcntl.ioctl(probe, 0x80045440, b"\0\0\0\0") != b"\0\0\0\0"
        fcntl.flock(host, fcntl.LOCK_UN)
        await asyncio.sleep(0.4)
        assert fcntl.ioctl(probe, 0x80045440, b"\0\0\0\0") == b"\0\0\0\0"
        os.close(host)


async def test_any_port_serves_as_the_devices_end(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    heard: list[bytes] = []
    end = PortEnd(PortSettings(str(pty.path)))
    async with wired(end, heard) as wire:
        await until(lambda: end.link.is_open)
        wire.send(FRAME)
        await until(lambda: pty.hear() == FRAME)
        pty.say(b"ask")
        await until(lambda: heard == [b"ask"])
    await asyncio.sleep(0.05)
    pty.unplug()

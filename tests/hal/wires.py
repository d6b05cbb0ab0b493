"""What tests of the line share: a pty to play the device on, frames, and a patient wait."""

import asyncio
import os
import tty
from collections.abc import Callable
from pathlib import Path

from hal.protocols.tdp1 import Frame, encode


class Pty:
    """A device's end of a pseudo-terminal, driven by the test itself; `path` is the host's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.master, self.slave = os.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        new = path.with_name(path.name + ".new")
        new.symlink_to(os.ttyname(self.slave))
        new.replace(path)

    def say(self, octets: bytes) -> None:
        assert os.write(self.master, octets) == len(octets)

    def hear(self) -> bytes:
        try:
            return os.read(self.master, 65536)
        except BlockingIOError:
            return b""

    def unplug(self) -> None:
        os.close(self.master)
        os.close(self.slave)


def event(seq: int, boot: int = 0x1A2B, cards: int = 5, device: str = "shoe") -> bytes:
    """A STACK frame whose stack number is `seq`, so that order can be read off the facts."""
    fields = {"n": str(seq % 10000), "cards": str(cards)}
    return encode(Frame(device, boot, seq % 0x10000, "STACK", fields))


def beat(next_seq: int, boot: int = 0x1A2B, device: str = "shoe", **more: str) -> bytes:
    return encode(Frame(device, boot, next_seq % 0x10000, "HB", {"state": "READY", **more}))


def hello(next_seq: int, boot: int = 0x1A2B, serial: str = "S1", device: str = "shoe") -> bytes:
    fields = {"make": "M", "model": "X", "serial": serial, "fw": "1"}
    return encode(Frame(device, boot, next_seq % 0x10000, "HELLO", fields))


async def until(is_so: Callable[[], bool], seconds: float = 5.0) -> None:
    """Wait for something to become true; fails in words of the caller's expression otherwise."""
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.005)

"""A device that prints lines, on a pseudo-terminal: asked, heard, locked, and missed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hal import facts
from hal.device import SerialDevice, new_boot
from hal.port import PortSettings
from hal.ports import Heard
from hal.protocols.lines import LineTalk, driver_of
from hal.session import Pin
from tests.hal.protocols.test_lines import TALK, talk
from tests.hal.wires import Pty, until

HELLO = b"QUINCE Q9 #77 V1.2\r\n"
QUINCE = facts.Identity("Quince", "Q9", "77", "1.2", TALK.digest)


class Bench:
    """The device's end of the line, and what the real device behind the other end told."""

    def __init__(self, path: Path, of: LineTalk, pin: Pin | None) -> None:
        self.pty = Pty(path)
        self.heard: list[Heard] = []
        self.asked = b""
        settings = PortSettings(str(path), of.baud)
        self.device = SerialDevice("shuffler", settings, self._sink, driver_of(of, 7), pin)

    def _sink(self, heard: Heard) -> None:
        self.heard.append(heard)
        if heard.receipt is not None:
            heard.receipt()

    def facts(self) -> list[object]:
        return [one.fact for one in self.heard]

    async def told(self, fact: object) -> None:
        await until(lambda: fact in self.facts(), 20)

    async def ask(self, line: bytes, times: int = 1) -> None:
        """Wait until the host has said a line so often."""

        def is_said() -> bool:
            self.asked += self.pty.hear()
            return self.asked.count(line) >= times

        await until(is_said, 20)


@contextlib.asynccontextmanager
async def bench(path: Path, of: LineTalk, pin: Pin | None = None) -> AsyncIterator[Bench]:
    it = Bench(path, of, pin)
    running = asyncio.create_task(it.device.run())
    try:
        await until(lambda: it.device.status()["open"] is True, 20)
        yield it
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        with contextlib.suppress(OSError):
            it.pty.unplug()


async def test_octets_of_a_run_come_through_the_port_as_facts(tmp_path: Path) -> None:
    async with bench(tmp_path / "port", talk(silence_ms=600_000)) as it:
        await it.ask(b"V\r\n?\r\n")
        it.pty.say(HELLO + b"LAMP G\r\n")
        await it.told(facts.Lamp("green"))
        it.pty.say(b"beep\r\nSHUFFLING\r\nSHUFFLED  53 CARDS\r\nOUT 53\r\n")
        await it.told(facts.Ejected("A", 53))
        run = [one for one in it.facts() if not isinstance(one, facts.Noise)][-4:]
        assert run == [
            facts.ShufflerLoaded("A"), facts.CycleStarted(1, "shuffle"),
            facts.CycleEnded(1, "shuffle", "ok", 53, "A"), facts.Ejected("A", 53),
        ]  # fmt: skip
        assert QUINCE in it.facts()
        assert [one.mark for one in it.heard if one.fact == facts.Ejected("A", 53)] != [None]
        await until(lambda: any(isinstance(one, facts.Noise) for one in it.facts()), 20)


async def test_it_is_asked_again_and_again_while_its_port_is_open(tmp_path: Path) -> None:
    async with bench(tmp_path / "port", talk(poll_ms=100, silence_ms=600_000)) as it:
        await it.ask(b"?\r\n", times=4)
        assert it.asked.startswith(b"V\r\n?\r\n")
        assert it.asked.count(b"V\r\n") == 1


async def test_it_is_locked_in_its_own_words_and_again_when_the_port_is_back(
    tmp_path: Path,
) -> None:
    path = tmp_path / "port"
    async with bench(path, talk(silence_ms=600_000)) as it:
        it.device.lock(True)
        await it.ask(b"L\r\n")
        it.device.lock(False)
        await it.ask(b"U\r\n")
        it.pty.unplug()
        it.pty = Pty(path)
        it.asked = b""
        await it.ask(b"V\r\n?\r\nU\r\n")


async def test_one_that_says_nothing_any_more_is_not_heard(tmp_path: Path) -> None:
    async with bench(tmp_path / "port", talk(silence_ms=700)) as it:
        it.pty.say(b"LAMP G\r\n")
        await it.told(facts.Link(up=True))
        await it.told(facts.Link(up=False))
        it.pty.say(b"LAMP G\r\n")
        await until(lambda: it.facts().count(facts.Link(up=True)) == 2, 20)


async def test_another_device_than_the_pinned_one_is_not_believed(tmp_path: Path) -> None:
    pin = Pin("Quince", "Q9", "78")
    async with bench(tmp_path / "port", talk(silence_ms=600_000), pin) as it:
        it.pty.say(HELLO + b"SHUFFLING\r\n")
        await it.told(facts.IdentityChanged("Quince", "Q9", "77"))
        it.pty.say(HELLO.replace(b"77", b"78") + b"LAMP R\r\n")
        await it.told(facts.Lamp("red"))
        assert facts.CycleStarted(1, "shuffle") not in it.facts()


@pytest.mark.parametrize("resume", [None, "0007:0001", "FFFF:0000"])
def test_a_new_boot_is_never_that_of_the_record(resume: str | None) -> None:
    for _ in range(200):
        boot = new_boot(resume)
        assert 0 <= boot <= 0xFFFF
        assert resume is None or boot != int(resume[:4], 16)

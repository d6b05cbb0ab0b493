"""From the line to the sink and back: facts with receipts, acknowledgements, locks held."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hal import facts
from hal.device import SerialDevice, mark_of, number_of
from hal.errors import AddressError
from hal.port import PortSettings
from hal.ports import Heard
from hal.protocols.framing import Framer
from hal.session import Number
from tests.hal.wires import Pty, beat, event, hello, until


class Table:
    """A device on a pty that the test plays, and what its sink got."""

    def __init__(self, path: Path, resume: str | None = None) -> None:
        self.pty = Pty(path)
        self.heard: list[Heard] = []
        self.device = SerialDevice(
            "shoe", PortSettings(str(path)), self.heard.append, resume=resume
        )
        self._framer = Framer()
        self.requests: list[str] = []

    @property
    def facts(self) -> list[object]:
        return [heard.fact for heard in self.heard]

    def asked(self) -> list[str]:
        """TYPE|fields of every host frame so far."""
        for body in self._framer.feed(self.pty.hear()):
            assert isinstance(body, bytes)
            self.requests.append(body.decode().split("|", 4)[4])
        return self.requests


@contextlib.asynccontextmanager
async def table(path: Path, resume: str | None = None) -> AsyncIterator[Table]:
    it = Table(path, resume)
    running = asyncio.create_task(it.device.run())
    try:
        await until(lambda: bool(it.device.status()["open"]))
        yield it
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        it.pty.unplug()


async def test_an_event_is_acknowledged_after_its_receipt_and_never_before(tmp_path: Path) -> None:
    async with table(tmp_path / "shoe") as it:
        it.pty.say(hello(7) + event(7))
        await until(lambda: len(it.heard) == 3)
        link, identity, stack = it.heard
        assert (link.fact, link.receipt) == (facts.Link(True), None)
        assert isinstance(identity.fact, facts.Identity)
        assert (stack.source, stack.fact) == ("shoe", facts.StackDispensed(7, 5))
        assert stack.mark == "1A2B:0007"
        it.pty.say(event(7))
        await asyncio.sleep(0.05)
        assert it.asked() == ["STATUS|"]
        assert stack.receipt is not None
        stack.receipt()
        await until(lambda: it.asked()[1:] == ["ACK|boot=1A2B;seq=0007"])
        it.pty.say(event(7))
        await until(lambda: it.asked()[2:] == ["ACK|boot=1A2B;seq=0007"])
        assert len(it.heard) == 3
        assert it.device.status()["repeats"] == 2


async def test_a_lock_is_a_level_held_over_reboot_replug_and_disagreement(tmp_path: Path) -> None:
    async with table(tmp_path / "shoe") as it:
        it.device.lock(True)
        it.device.lock(True)
        await until(lambda: it.asked() == ["STATUS|", "LOCK|"])
        it.pty.say(beat(0, lock="1"))
        await asyncio.sleep(0.05)
        assert it.asked()[2:] == []
        it.pty.say(beat(0, lock="0"))
        await until(lambda: it.asked()[2:] == ["LOCK|"])
        it.pty.say(hello(0, boot=0xBEEF))
        await until(lambda: it.asked()[3:] == ["STATUS|", "LOCK|"])
        it.pty.unplug()
        await until(lambda: it.device.status()["open"] is False)
        it.pty = Pty(tmp_path / "shoe")
        await until(lambda: it.asked()[5:] == ["STATUS|", "LOCK|"])


async def test_silence_is_told_by_the_device_itself(tmp_path: Path) -> None:
    async with table(tmp_path / "shoe") as it:
        it.pty.say(beat(0))
        await until(lambda: it.facts == [facts.Link(True)])
        await until(lambda: it.facts == [facts.Link(True), facts.Link(False)], 3)
        it.pty.say(beat(2))
        await until(lambda: it.facts[2:] == [facts.Link(True), facts.FactsMissing(2)], 3)


async def test_boot_text_before_the_first_frame_states_nothing(tmp_path: Path) -> None:
    async with table(tmp_path / "shoe") as it:
        it.pty.say(b"\xffloader 1.1 [? for help]\r\n" * 11 + event(0))
        await until(lambda: it.facts == [facts.Link(True), facts.StackDispensed(0, 5)])
        assert it.device.status()["noise"] == 11 * 24


async def test_a_frame_cut_by_silence_and_one_cut_by_the_plug_are_noise(tmp_path: Path) -> None:
    async with table(tmp_path / "shoe") as it:
        it.pty.say(hello(0) + event(0)[:11])
        await until(lambda: facts.Noise(11, "broken_off") in it.facts)
        it.pty.say(event(0)[:7])
        await asyncio.sleep(0.02)
        it.pty.unplug()
        await until(lambda: it.device.status()["noise"] == 18)
        it.pty = Pty(tmp_path / "shoe")


async def test_a_daemon_that_starts_again_is_not_told_an_event_twice(tmp_path: Path) -> None:
    async with table(tmp_path / "shoe", resume="1A2B:0007") as it:
        it.pty.say(event(7) + event(8))
        await until(lambda: it.facts == [facts.Link(True), facts.StackDispensed(8, 5)])
        assert it.asked()[1:] == ["ACK|boot=1A2B;seq=0007"]


async def test_a_failure_of_the_sink_ends_run_also_from_a_timer(tmp_path: Path) -> None:
    def fail(heard: Heard) -> None:
        raise AssertionError("a bug")

    device = SerialDevice("shoe", PortSettings(str(tmp_path / "gone")), fail)
    async with asyncio.timeout(4):
        with pytest.raises(AssertionError, match="a bug"):
            await device.run()


def test_marks_are_read_back_and_nothing_else_is() -> None:
    assert number_of(mark_of(Number(0x1A2B, 7))) == Number(0x1A2B, 7)
    assert number_of(None) is None
    for wrong in ("", "1A2B", "1A2B:7", "1a2b:0007", "10000:0000", "-001:0000"):
        with pytest.raises(AddressError):
            number_of(wrong)

"""The line never blocks and never spins: unplugged, stalled, renumbered, noisy or far away."""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from hal import link as link_module
from hal.link import WRITE_OCTETS_MAX, Link
from hal.port import PortSettings
from tests.hal.wires import Pty, until


class Listener:
    """Keeps what the link told."""

    def __init__(self) -> None:
        self.heard = b""
        self.told: list[str] = []
        self.on_octets: Callable[[], None] = lambda: None

    def opened(self) -> None:
        self.told.append("opened")

    def received(self, octets: bytes, mono_ns: int) -> None:
        assert abs(time.monotonic_ns() - mono_ns) < 1e9
        self.heard += octets
        self.on_octets()

    def idled(self, mono_ns: int) -> None:
        self.told.append("idled")

    def lost(self, why: str, mono_ns: int) -> None:
        self.told.append("lost")


@contextlib.asynccontextmanager
async def linked(port: str, baud: int = 115200) -> AsyncIterator[tuple[Link, Listener]]:
    listener = Listener()
    link = Link(PortSettings(port, baud), listener, 240, jitter=lambda: 0.0)
    running = asyncio.create_task(link.run())
    try:
        yield link, listener
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


@contextlib.contextmanager
def longest_block() -> Iterator[list[float]]:
    """Measures how long the loop could not run a callback."""
    loop = asyncio.get_running_loop()
    worst, last = [0.0], loop.time()

    def ring() -> None:
        nonlocal last, handle
        worst[0] = max(worst[0], loop.time() - last - 0.005)
        last = loop.time()
        handle = loop.call_later(0.005, ring)

    handle = loop.call_later(0.005, ring)
    yield worst
    handle.cancel()


async def test_octets_come_as_they_were_sent_and_silence_is_told_once(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    async with linked(str(pty.path)) as (link, listener):
        await until(lambda: link.is_open)
        pty.say(b"abc")
        await until(lambda: listener.heard == b"abc")
        await asyncio.sleep(0.3)
        assert listener.told == ["opened", "idled"]
        pty.say(b"d")
        await until(lambda: listener.told == ["opened", "idled", "idled"])
    pty.unplug()


async def test_an_unplugged_line_is_lost_once_and_does_not_spin(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    async with linked(str(pty.path)) as (link, listener):
        await until(lambda: link.is_open)
        # The link goes first: another program may get the terminal's number at once.
        pty.path.unlink()
        pty.unplug()
        await until(lambda: "lost" in listener.told)
        began, wakeups = time.process_time(), link.counters.wakeups
        await asyncio.sleep(1.0)
        assert listener.told == ["opened", "lost"]
        assert link.counters.wakeups - wakeups == 0
        assert time.process_time() - began < 0.1
        assert link.counters.failures >= 1
        assert "nothing is plugged in" in link.last_error
        again = Pty(tmp_path / "port")
        await until(lambda: link.is_open, 6)
        again.say(b"back")
        await until(lambda: listener.heard == b"back")
        again.unplug()


async def test_a_renumbered_adapter_is_found_while_the_old_name_is_held(tmp_path: Path) -> None:
    old = Pty(tmp_path / "port")
    async with linked(str(old.path)) as (link, listener):
        await until(lambda: link.is_open)
        new = Pty(tmp_path / "port")
        await until(lambda: link.counters.opens == 2, 6)
        new.say(b"new")
        await until(lambda: listener.heard == b"new")
        assert listener.told == ["opened", "lost", "opened"]
    old.unplug()
    new.unplug()


async def test_a_stalled_peer_blocks_nothing_and_is_called_deaf_while_it_is_still_heard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "WRITE_DEADLINE_S", 0.3)
    pty = Pty(tmp_path / "port")
    async with linked(str(pty.path)) as (link, listener):
        await until(lambda: link.is_open)
        with longest_block() as worst:
            for _ in range(64):
                link.write(b"x" * 1024)
            await until(lambda: link.deaf)
        assert worst[0] < 0.1
        assert link.counters.write_stalls == 1
        assert link.counters.writes_dropped > 0
        pty.say(b"I still talk")
        await until(lambda: listener.heard == b"I still talk")
        assert listener.told[0] == "opened"
        assert "lost" not in listener.told
        pty.hear()
        link.write(b"now?")
        await until(lambda: pty.hear().endswith(b"now?"))
        assert not link.deaf
    pty.unplug()


async def test_writes_leave_in_their_order_even_before_the_loop_ran(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    async with linked(str(pty.path)) as (link, _):
        await until(lambda: link.is_open)
        assert all(link.write(word) for word in (b"one ", b"two ", b"three"))
        got = b""
        while len(got) < 13:
            await asyncio.sleep(0.005)
            got += pty.hear()
        assert got == b"one two three"
        filled = 0
        # Fill the kernel's buffer so that the last three are queued, then read it all.
        while not link._queue:
            link.write(b"." * 512)
            filled += 512
        link.write(b"first ")
        link.write(b"second ")
        link.write(b"third")
        got = b""
        while len(got) < filled + 18:
            await asyncio.sleep(0.005)
            got += pty.hear()
        assert got == b"." * filled + b"first second third"
    pty.unplug()


@pytest.mark.parametrize(("octets", "taken"), [(WRITE_OCTETS_MAX, True), (2049, False)])
async def test_the_queue_of_writes_is_bounded(tmp_path: Path, octets: int, taken: bool) -> None:
    pty = Pty(tmp_path / "port")
    async with linked(str(pty.path)) as (link, _):
        await until(lambda: link.is_open)
        assert link.write(b"x" * octets) is taken
    pty.unplug()
    assert not link.write(b"after the end")


async def test_a_line_that_is_hushed_takes_no_work_and_still_speaks(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    async with linked(str(pty.path)) as (link, listener):
        await until(lambda: link.is_open)
        pty.say(b"abc")
        await until(lambda: listener.heard == b"abc")
        link.hush()
        wakeups = link.counters.wakeups
        pty.say(b"flood" * 100)
        assert link.write(b"farewell")
        await until(lambda: pty.hear().endswith(b"farewell"))
        assert (link.counters.wakeups, listener.heard) == (wakeups, b"abc")
        # Nor is another line of the device heard, should it be plugged in again meanwhile.
        again = Pty(tmp_path / "port")
        again.say(b"more")
        await until(lambda: link.counters.opens == 2, 6)
        link.write(b"still here")
        await until(lambda: again.hear().endswith(b"still here"))
        assert listener.heard == b"abc"
        again.unplug()
    pty.unplug()


async def test_losses_one_after_another_are_tried_again_ever_later(tmp_path: Path) -> None:
    accepted: list[float] = []

    async def kick(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.append(time.monotonic())
        writer.close()

    server = await asyncio.start_server(kick, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with linked(f"tcp://127.0.0.1:{port}"):
        await asyncio.sleep(2.0)
    server.close()
    gaps = [later - sooner for sooner, later in pairwise(accepted)]
    assert 2 <= len(accepted) <= 6
    assert gaps == sorted(gaps)


async def test_a_raw_tcp_serial_server_serves_as_a_line() -> None:
    got = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"hello from afar")
        got.extend(await reader.readexactly(4))
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with linked(f"tcp://127.0.0.1:{port}") as (link, listener):
        await until(lambda: listener.heard == b"hello from afar")
        assert link.write(b"ping")
        await until(lambda: "lost" in listener.told)
        assert bytes(got) == b"ping"
    server.close()


async def test_a_failure_of_the_listener_ends_the_line_and_is_not_swallowed(tmp_path: Path) -> None:
    def fail() -> None:
        raise AssertionError("a bug")

    pty = Pty(tmp_path / "port")
    listener = Listener()
    listener.on_octets = fail
    link = Link(PortSettings(str(pty.path)), listener, 240)
    running = asyncio.create_task(link.run())
    await until(lambda: link.is_open)
    pty.say(b"x")
    with pytest.raises(AssertionError, match="a bug"):
        await running
    assert not link.is_open
    pty.unplug()

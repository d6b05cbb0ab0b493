"""A line is kept as it came, passed on as it came, and played back as it was kept."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from hal.device import SerialDevice
from hal.port import PortSettings
from hal.ports import Heard
from hal.sim import tape
from hal.sim.capture import HEAD, Piece, line_of, pieces_of
from hal.sim.tape import HostTakesNothing, Player, Tap
from hal.sim.wire import PtyEnd
from tests.hal.wires import Pty, beat, event, hello, until


@contextlib.asynccontextmanager
async def capturing(port: Path, host: Path | None = None) -> AsyncIterator[tuple[Tap, list[Piece]]]:
    kept: list[Piece] = []
    end = None if host is None else PtyEnd(host)
    tap = Tap(PortSettings(str(port)), kept.append, end)
    running = asyncio.create_task(tap.run())
    try:
        await until(lambda: tap.link.is_open, 20)
        yield tap, kept
        assert not running.done()
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


def of(kept: list[Piece], source: str) -> bytes:
    return b"".join(piece.octets for piece in kept if piece.source == source)


async def test_each_read_is_kept_with_its_time(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    async with capturing(tmp_path / "port") as (_, kept):
        for count, octets in enumerate((b"one\r\n", b"tw", b"o\r\n"), 1):
            pty.say(octets)
            await until(lambda wanted=count: len(kept) > wanted, 20)
        assert [piece.octets for piece in kept] == [b"opened", b"one\r\n", b"tw", b"o\r\n"]
        assert [piece.at_us for piece in kept] == sorted(piece.at_us for piece in kept)
        pty.unplug()
        await until(lambda: kept[-1].source == "!", 20)
        assert kept[-1].octets


async def test_between_device_and_host_both_ways_are_passed_on_and_kept(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    facts: list[object] = []

    def sink(heard: Heard) -> None:
        facts.append(heard.fact)
        if heard.receipt is not None:
            heard.receipt()

    async with capturing(tmp_path / "port", tmp_path / "tap") as (_, kept):
        device = SerialDevice("shoe", PortSettings(str(tmp_path / "tap")), sink)
        listening = asyncio.create_task(device.run())
        await until(lambda: b"STATUS" in of(kept, ">"), 20)
        pty.say(hello(1) + event(1) + beat(2))
        await until(lambda: len(facts) >= 3, 20)
        await until(lambda: b"ACK" in of(kept, ">"), 20)
        told = b""

        def reached() -> bool:
            nonlocal told
            told += pty.hear()
            return told == of(kept, ">")

        await until(reached, 20)
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        assert of(kept, "<") == hello(1) + event(1) + beat(2)


async def test_what_was_kept_is_heard_again_as_it_was(tmp_path: Path) -> None:
    said = [hello(1), event(1)[:9], event(1)[9:], event(2), beat(3)]
    pieces = [Piece(at * 20_000, "<", octets) for at, octets in enumerate(said)]
    pieces.insert(1, Piece(1, ">", b"STATUS"))
    file = [HEAD, *map(line_of, pieces)]
    facts: list[object] = []
    end = PtyEnd(tmp_path / "port")
    player = Player(pieces_of(file), end)
    end.open(player.hear)
    device = SerialDevice(
        "shoe", PortSettings(str(tmp_path / "port")), lambda heard: facts.append(heard.fact)
    )
    listening = asyncio.create_task(device.run())
    try:
        await asyncio.wait_for(player.until_host(), 20)
        await player.run()
        await until(lambda: len(facts) >= 4, 20)
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
        end.close()
    assert [type(fact).__name__ for fact in facts[:4]] == [
        "Link", "Identity", "StackDispensed", "StackDispensed",
    ]  # fmt: skip
    assert player.said_octets == sum(map(len, said))


class Ear:
    """An end that takes `most` octets at once, and notes when."""

    def __init__(self, most: int = 4096) -> None:
        self.most = most
        self.took: list[bytes] = []
        self.at_s: list[float] = []

    def open(self, hear: object) -> None: ...

    def close(self) -> None: ...

    def write(self, octets: bytes) -> int:
        taken = octets[: self.most]
        if taken:
            self.took.append(taken)
            self.at_s.append(asyncio.get_running_loop().time())
        return len(taken)


@pytest.mark.parametrize("speed", [1.0, 4.0])
async def test_distances_are_kept_or_divided(speed: float) -> None:
    ear = Ear()
    pieces = [Piece(9_000_000, "<", b"a"), Piece(9_400_000, "<", b"b"), Piece(9_400_000, "<", b"c")]
    await Player(pieces, ear, speed).run()
    assert ear.took == [b"a", b"b", b"c"]
    # What stands before the first word is not waited for; a busy machine is late, never early.
    assert ear.at_s[1] - ear.at_s[0] >= 0.39 / speed


async def test_a_host_that_is_slow_gets_all_of_it() -> None:
    ear = Ear(most=3)
    await Player([Piece(0, "<", b"abcdefgh")], ear).run()
    assert b"".join(ear.took) == b"abcdefgh"


async def test_a_host_that_takes_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tape, "TAKE_S_MAX", 0.05)
    with pytest.raises(HostTakesNothing, match="nobody has taken"):
        await Player([Piece(0, "<", b"abc")], Ear(most=0)).run()


async def test_an_error_of_the_file_ends_the_capture(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")

    def full(_piece: Piece) -> None:
        raise OSError(28, "No space left on device")

    tap = Tap(PortSettings(str(tmp_path / "port")), full)
    with pytest.raises(OSError, match="No space"):
        async with asyncio.timeout(20):
            await tap.run()
    pty.unplug()

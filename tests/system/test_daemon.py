"""The daemon as a process: ready without a broker, ended in time whatever stalls."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import socket
import sys
import threading
from pathlib import Path

import pytest

from controller.broker import demo_broker
from controller.broker_address import BrokerAddress
from controller.demo.audience import Audience
from controller.demo.latency import Latency
from controller.demo.stage import TABLE, Stage
from controller.demo.terminal import Terminals
from controller.demo.view import View
from controller.journal.source import open_source
from controller.journal.verify import verify
from controller.messages import Topics
from hal.protocols.tdp1 import Frame, encode
from tests.hal.wires import Pty, beat, hello
from tests.system.table_process import table_process

NOWHERE = BrokerAddress("127.0.0.1", 9)
# Faults T06.
STOP_S_MAX = 5.0
BABBLE_EVENTS_MAX = 60_000


def a_stage(home: Path, broker: BrokerAddress = NOWHERE, game: str = "fortune-asia-poker") -> Stage:
    return Stage(home, game, broker, 100.0, 1, ())


def recorded(journal: Path) -> list[dict[str, object]]:
    with open_source(journal) as source:
        return [json.loads(turn.body) for turn in source.turns()]


async def test_it_is_ready_without_a_broker_and_without_devices(tmp_path: Path) -> None:
    stage = a_stage(tmp_path)
    async with table_process(tmp_path, stage.config) as table:
        await table.start()
        code, took_s = await table.end(signal.SIGINT)
    assert (code, took_s < STOP_S_MAX) == (0, True)
    inputs = recorded(stage.journal)
    assert (inputs[0]["type"], inputs[-1]["type"]) == ("started", "stopped")
    report = verify(stage.journal)
    assert report.problem is None
    assert report.checkpoints in (2, 3), "the start, what was said of the clock, and the clean end"


async def test_a_terminal_that_closes_ends_it_in_order(tmp_path: Path) -> None:
    stage = a_stage(tmp_path)
    ours, its = os.openpty()
    async with table_process(tmp_path, stage.config) as table:
        await table.start(stdin=its)
        code, took_s = await table.end(signal.SIGHUP)
    os.close(ours)
    os.close(its)
    assert (code, took_s < STOP_S_MAX) == (0, True)
    assert recorded(stage.journal)[-1]["type"] == "stopped"


def rewritten(stage: Stage, old: str, new: str) -> None:
    text = stage.config.read_text()
    assert old in text
    stage.config.write_text(text.replace(old, new, 1))


async def test_a_changed_file_is_taken_up_on_the_signal_and_a_wrong_one_is_not(
    tmp_path: Path,
) -> None:
    """Faults T07: the last good file stays."""
    stage = a_stage(tmp_path)
    async with table_process(tmp_path, stage.config) as table:
        await table.start()
        assert table.process is not None
        rewritten(stage, "seats = 6", "seets = 6")
        table.process.send_signal(signal.SIGHUP)
        await table.logged("unknown key [table] seets; did you mean 'seats'?")
        assert "RELOADING=1" not in table.words
        rewritten(stage, "seets = 6", "seats = 6")
        rewritten(stage, "eye-1 =", "eye-2 =")
        table.process.send_signal(signal.SIGHUP)
        await table.told("RELOADING=1")
        table.words.remove("READY=1")
        await table.told("READY=1")
        code, took_s = await table.end()
    assert (code, took_s < STOP_S_MAX) == (0, True)
    kinds = [one["type"] for one in recorded(stage.journal)]
    ends = [kind for kind in kinds if kind in ("started", "stopped")]
    assert ends == ["started", "stopped", "started", "stopped"]
    report = verify(stage.journal)
    assert report.problem is None


async def test_events_of_a_time_without_a_broker_come_once_and_in_order(tmp_path: Path) -> None:
    """Faults M01."""
    async with demo_broker() as broker:
        stage = a_stage(tmp_path, broker.address, "dj-wild")
        await broker.stop()
        devices = [asyncio.create_task(one.run()) for one in (stage.shuffler, stage.shoe)]
        async with table_process(tmp_path, stage.config) as table:
            await table.start()
            await asyncio.sleep(0.7)
            # A closed table keeps its devices locked; what they say of themselves is recorded.
            await stage.shoe.load(53)
            for number in range(20):
                stage.shuffler.fault_on(f"F{number}", 3)
            await asyncio.sleep(0.5)
            seen = Audience(
                broker.address,
                Terminals(broker.address, Topics("tables", TABLE), View()),
                Latency(),
                lambda one: None,
            )
            await broker.start()
            following = asyncio.create_task(seen.subscriber.run(random.Random(1)))
            await asyncio.wait_for(seen.subscriber.ready.wait(), 10)
            # The daemon's back-off has not ended before the subscriber is there.
            before = verify(stage.journal).events
            assert before > 20
            await asyncio.wait_for(seen.until(before), 15)
            assert (await table.end())[0] == 0
            following.cancel()
        for task in (*devices, following):
            task.cancel()
        await asyncio.gather(*devices, following, return_exceptions=True)
    assert sorted(seen.events) == list(range(1, len(seen.events) + 1))
    assert seen.subscriber.ledger.problems == 0
    assert seen.counts["token.refused"] == 1
    assert seen.counts["device.fault"] == 20


async def test_a_broker_that_stalls_does_not_hold_the_end(tmp_path: Path) -> None:
    async with demo_broker() as broker:
        stage = a_stage(tmp_path, broker.address)
        async with table_process(tmp_path, stage.config) as table:
            await table.start()
            await asyncio.sleep(1.0)
            broker.freeze()
            try:
                code, took_s = await table.end()
            finally:
                broker.thaw()
    assert code == 0
    assert took_s < STOP_S_MAX
    assert recorded(stage.journal)[-1]["type"] == "stopped"


async def test_a_broker_that_accepts_and_says_nothing_does_not_hold_the_end(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        stage = a_stage(tmp_path, BrokerAddress("127.0.0.1", silent.getsockname()[1]))
        async with table_process(tmp_path, stage.config) as table:
            await table.start()
            await asyncio.sleep(0.5)
            code, took_s = await table.end()
    assert (code, took_s < STOP_S_MAX) == (0, True)


async def test_a_device_that_does_not_listen_does_not_hold_the_end(tmp_path: Path) -> None:
    """A terminal whose other side reads nothing, until its buffer is full."""
    master, slave = os.openpty()
    try:
        stage = a_stage(tmp_path)
        (tmp_path / "shoe").symlink_to(os.ttyname(slave))
        async with table_process(tmp_path, stage.config) as table:
            await table.start()
            await asyncio.sleep(0.5)
            code, took_s = await table.end()
    finally:
        os.close(master)
        os.close(slave)
    assert (code, took_s < STOP_S_MAX) == (0, True)


class Babble:
    """A shoe that says without a pause as much as the line takes, each word a good event with a
    name of its own."""

    def __init__(self, home: Path) -> None:
        self._pty = Pty(home / "shoe")
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._babble, daemon=True)
        self._heard = b""
        self.said = 0

    def begin(self) -> None:
        """Now; nothing was said before."""
        self._pty.say(hello(0) + beat(0))
        self._thread.start()

    @property
    def is_answered(self) -> bool:
        """Whether the table has called one durable."""
        return b"ACK|" in self._heard

    def acknowledged(self) -> set[str]:
        """The events that the table has called durable; ends the babble."""
        self._ended.set()
        self._thread.join()
        self._heard += self._pty.hear()
        self._pty.unplug()
        return {word.decode() for word in re.findall(rb"ACK\|boot=1A2B;seq=(\w+)", self._heard)}

    def _babble(self) -> None:
        left = b""
        # A number is used once: 65,536 come before it wraps.
        while not self._ended.is_set() and self.said < BABBLE_EVENTS_MAX:
            if not left:
                numbers = range(self.said, self.said + 16)
                left = b"".join(fault(number) for number in numbers)
                self.said += len(numbers)
            try:
                left = left[os.write(self._pty.master, left) :]
            except BlockingIOError:
                self._ended.wait(0.002)
            self._heard += self._pty.hear()


def fault(number: int) -> bytes:
    """A notice: it is recorded and nothing else follows."""
    fields = {"code": f"{number:04X}", "severity": "1"}
    return encode(Frame("shoe", 0x1A2B, number, "FAULT_ON", fields))


@pytest.mark.parametrize("events", [1, 6_000], ids=["at its begin", "behind a full intake"])
async def test_a_device_that_floods_does_not_hold_the_end(events: int, tmp_path: Path) -> None:
    """What was acknowledged is on record; what was not is the device's to say again."""
    async with demo_broker() as broker:
        stage = a_stage(tmp_path, broker.address)
        babble = Babble(tmp_path)
        async with table_process(tmp_path, stage.config) as table:
            await table.start()
            babble.begin()
            async with asyncio.timeout(120):
                while babble.said < events or not babble.is_answered:
                    await asyncio.sleep(0.01)
            code, took_s = await table.end()
        acknowledged = babble.acknowledged()
    assert (code, took_s < STOP_S_MAX) == (0, True)
    inputs = recorded(stage.journal)
    assert inputs[-1]["type"] == "stopped"
    assert acknowledged
    assert acknowledged <= {str(one.get("code")) for one in inputs}
    assert verify(stage.journal).problem is None


STALL = """
import os, sqlite3, time
kept = sqlite3.connect
def connect(*args, **kwargs):
    connection = kept(*args, **kwargs)
    def pause(statement):
        # From the moment that the test says so no write comes back, as on a dying card.
        while os.path.exists(os.environ["STALLED"]):
            time.sleep(0.05)
    connection.set_trace_callback(pause)
    return connection
sqlite3.connect = connect
"""


async def test_a_disk_that_stalls_does_not_hold_the_end(tmp_path: Path) -> None:
    """The end is not on record then, and the exit code says so."""
    (tmp_path / "sitecustomize.py").write_text(STALL)
    stalled = tmp_path / "stalled"
    path = f"{tmp_path}{os.pathsep}{Path.cwd()}"
    extra = {"STALLED": str(stalled), "PYTHONPATH": path}
    stage = a_stage(tmp_path)
    async with table_process(tmp_path, stage.config, extra) as table:
        await table.start()
        stalled.touch()
        code, took_s = await table.end()
    assert took_s < STOP_S_MAX
    assert code == 1
    stalled.unlink()
    assert recorded(stage.journal)[-1]["type"] != "stopped"


async def test_a_second_daemon_at_one_journal_is_turned_away(tmp_path: Path) -> None:
    stage = a_stage(tmp_path)
    async with table_process(tmp_path, stage.config) as table:
        await table.start()
        with_it = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "controller", "run", "--config", str(stage.config)),
            stderr=asyncio.subprocess.PIPE,
        )
        _, said = await asyncio.wait_for(with_it.communicate(), 20)
        assert with_it.returncode == 1
        assert b"another process" in said
        assert (await table.end())[0] == 0


async def test_a_mistake_in_the_file_ends_with_its_own_code(tmp_path: Path) -> None:
    """systemd does not start again on 78."""
    stage = a_stage(tmp_path)
    stage.config.write_text(stage.config.read_text().replace("seats = 6", "seets = 6"))
    wrong = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "controller", "run", "--config", str(stage.config)),
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await asyncio.wait_for(wrong.communicate(), 20)
    assert wrong.returncode == 78
    assert f"{stage.config}:4:1:".encode() in said
    assert b"seats" in said

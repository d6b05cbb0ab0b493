"""What systemd is told, over a real datagram socket."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.supervisor import Supervisor


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        channel.bind(str(tmp_path / "notify"))
        channel.setblocking(False)
        yield channel


def heard(systemd: socket.socket) -> list[str]:
    messages = []
    while True:
        try:
            messages.append(systemd.recv(4096).decode())
        except BlockingIOError:
            return messages


def environment(tmp_path: Path, **more: str) -> dict[str, str]:
    return {"NOTIFY_SOCKET": str(tmp_path / "notify"), **more}


def test_ready_status_and_stopping_are_said(tmp_path: Path, systemd: socket.socket) -> None:
    supervisor = Supervisor(environment(tmp_path))
    supervisor.ready("table T-1\nserves")
    supervisor.status("hold H1")
    supervisor.stopping()
    assert heard(systemd) == ["READY=1\nSTATUS=table T-1 serves", "STATUS=hold H1", "STOPPING=1"]


def test_an_abstract_address_is_understood() -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
        name = f"table-controller-test-{os.getpid()}"
        channel.bind(f"\0{name}")
        Supervisor({"NOTIFY_SOCKET": f"@{name}"}).stopping()
        assert channel.recv(64) == b"STOPPING=1"


async def test_without_systemd_nothing_is_said_and_nothing_fails(tmp_path: Path) -> None:
    for variables in ({}, {"NOTIFY_SOCKET": "vsock:2:3"}, environment(tmp_path / "gone")):
        supervisor = Supervisor(variables)
        supervisor.ready("table")
        await asyncio.wait_for(supervisor.feed(_never), 1)


async def _never() -> None:
    await asyncio.Event().wait()


async def test_the_watchdog_is_fed_while_the_journal_answers(
    tmp_path: Path, systemd: socket.socket
) -> None:
    answers = asyncio.Event()

    async def progress() -> None:
        await answers.wait()

    limit = {"WATCHDOG_USEC": "30000", "WATCHDOG_PID": str(os.getpid())}
    feeding = asyncio.create_task(Supervisor(environment(tmp_path, **limit)).feed(progress))
    await asyncio.sleep(0.05)
    assert heard(systemd) == []
    answers.set()
    await asyncio.sleep(0.1)
    fed = heard(systemd)
    assert 3 <= len(fed) <= 12
    assert set(fed) == {"WATCHDOG=1"}
    answers.clear()
    await asyncio.sleep(0.05)
    heard(systemd)
    await asyncio.sleep(0.05)
    assert heard(systemd) == []
    feeding.cancel()


async def test_a_limit_that_is_meant_for_another_process_is_ignored(tmp_path: Path) -> None:
    limit = {"WATCHDOG_USEC": "30000", "WATCHDOG_PID": "1"}
    assert Supervisor(environment(tmp_path, **limit)).watchdog_us == 0
    assert Supervisor(environment(tmp_path, WATCHDOG_USEC="soon")).watchdog_us == 0

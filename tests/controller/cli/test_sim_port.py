"""The port of a bench device: a terminal or a real one, and what is said where it cannot be had."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

import pytest

from controller.cli.sim_port import end_of, until_open
from controller.errors import UserError
from hal.sim.wire import PortEnd, PtyEnd
from tests.hal.wires import Pty


def named(port: str) -> argparse.Namespace:
    return argparse.Namespace(port=port, baud=9600)


def nothing_heard(octets: bytes) -> None:
    raise AssertionError(octets)


def test_a_port_is_a_new_terminal_or_a_real_one(tmp_path: Path) -> None:
    assert isinstance(end_of(named(f"pty:{tmp_path / 'shoe'}")), PtyEnd)
    assert isinstance(end_of(named(str(tmp_path / "shoe"))), PortEnd)
    with pytest.raises(UserError, match="--port: 'shoe': expected an absolute path"):
        end_of(named("shoe"))


async def test_a_real_port_is_waited_for_until_it_is_open(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "shoe")
    end = end_of(named(str(tmp_path / "shoe")))
    assert isinstance(end, PortEnd)
    end.open(nothing_heard)
    try:
        await until_open(end.link)
        assert end.link.is_open
    finally:
        end.close()
        pty.unplug()


async def test_what_ends_the_work_ends_the_wait(tmp_path: Path) -> None:
    async def fail() -> None:
        raise OSError(28, "the disk is full")

    end = end_of(named(str(tmp_path / "shoe")))
    assert isinstance(end, PortEnd)
    running = asyncio.create_task(fail())
    await asyncio.wait((running,))
    with pytest.raises(OSError, match="the disk is full"):
        await until_open(end.link, running)

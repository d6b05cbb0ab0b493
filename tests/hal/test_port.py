"""A port is opened for us alone, and what stands in the way is said in a technician's words."""

import asyncio
import contextlib
import fcntl
import os
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from hal.errors import AddressError, PortBusy, PortMissing, PortUnusable
from hal.port import PortSettings, holder_of, moved, open_port, tcp_address, warning_of
from tests.hal.wires import Pty


@pytest.mark.parametrize(
    ("port", "warned"),
    [
        ("/dev/ttyUSB0", True),
        ("/dev/ttyACM12", True),
        ("/dev/serial/by-id/usb-maker-1", False),
        ("/dev/ttyAMA0", False),
        ("tcp://10.0.0.7:4001", False),
    ],
)
def test_a_name_that_counts_plugs_is_warned_of(port: str, warned: bool) -> None:
    assert (warning_of(port) is not None) is warned


@pytest.mark.parametrize("port", ["ttyUSB0", "tcp://", "tcp://host", "tcp://h:x", "tcp://h:0/p"])
def test_an_address_that_can_never_open_is_refused(port: str) -> None:
    with pytest.raises(AddressError):
        PortSettings(port)


def test_a_server_address_is_host_and_port() -> None:
    assert tcp_address("tcp://[::1]:4001") == ("::1", 4001)


def test_a_frame_takes_half_a_second_at_the_slowest_speed() -> None:
    assert PortSettings("/dev/x", 4800).frame_ms(240) == 501
    assert PortSettings("/dev/x", 115200).frame_ms(240) == 21
    with pytest.raises(AddressError):
        PortSettings("/dev/x", 0)


async def test_nothing_there_and_no_serial_port_are_two_things(tmp_path: Path) -> None:
    with pytest.raises(PortMissing, match="nothing is plugged in"):
        await open_port(PortSettings(str(tmp_path / "gone")))
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(PortUnusable):
        await open_port(PortSettings(str(tmp_path / "file")))


async def test_a_port_in_use_is_refused_with_its_holder(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    settings = PortSettings(str(pty.path))
    port = await open_port(settings)
    with pytest.raises(PortBusy, match=f"process {os.getpid()}"):
        await open_port(settings)
    holder = holder_of(str(pty.path))
    assert holder is not None
    assert str(os.getpid()) in holder
    port.close()
    (await open_port(settings)).close()
    assert holder_of(str(pty.path)) is None
    pty.unplug()


async def test_a_program_that_does_not_ask_is_kept_out_too(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    os.chmod(os.ttyname(pty.slave), 0o666)  # noqa: PTH101, S103 - for nobody
    port = await open_port(PortSettings(str(pty.path)))
    # Root passes TIOCEXCL, so the plain open is tried as nobody.
    code = (
        "import os,sys\n"
        "if os.getuid() == 0: os.setuid(65534)\n"
        f"os.open({os.ttyname(pty.slave)!r}, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)"
    )
    tried = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code], capture_output=True, text=True
    )
    assert "Device or resource busy" in tried.stderr
    port.close()
    pty.unplug()


async def test_the_line_is_raw_and_an_empty_read_means_hang_up(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    port = await open_port(PortSettings(str(pty.path), 4800))
    attributes = termios.tcgetattr(port.descriptor)
    assert attributes[6][termios.VMIN] in (1, b"\x01")
    assert attributes[3] & (termios.ICANON | termios.ECHO) == 0
    assert attributes[4] == termios.B4800
    assert not os.get_blocking(port.descriptor)
    port.close()
    pty.unplug()


async def test_what_was_there_before_the_open_is_drained(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    pty.say(b"old words")
    port = await open_port(PortSettings(str(pty.path)))
    with pytest.raises(BlockingIOError):
        os.read(port.descriptor, 100)
    port.close()
    pty.unplug()


async def test_a_path_that_names_another_device_has_moved(tmp_path: Path) -> None:
    old = Pty(tmp_path / "port")
    settings = PortSettings(str(old.path))
    port = await open_port(settings)
    assert not moved(settings, port)
    new = Pty(tmp_path / "port")
    assert moved(settings, port)
    new.path.unlink()
    assert not moved(settings, port)
    port.close()
    old.unplug()
    new.unplug()


async def test_an_open_that_is_given_up_leaves_the_port_free(tmp_path: Path) -> None:
    pty = Pty(tmp_path / "port")
    settings = PortSettings(str(pty.path))
    opening = asyncio.create_task(open_port(settings))
    await asyncio.sleep(0)
    opening.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        (await opening).close()
    async with asyncio.timeout(3):
        while True:
            await asyncio.sleep(0.01)
            try:
                fcntl.flock(pty.slave, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            break
    pty.unplug()


async def test_a_server_that_is_away_is_said_so() -> None:
    with pytest.raises(PortUnusable, match="tcp://127"):
        await open_port(PortSettings("tcp://127.0.0.1:1"))

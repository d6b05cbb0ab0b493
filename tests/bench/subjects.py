"""Who is measured: the daemon as it is started in earnest, and the floor; and their broker."""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.bench.process import file_octets
from tests.mqtt.mosquitto import free_port, program

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TABLE: Final = "bench"
READY_S_MAX: Final = 30
END_S_MAX: Final = 10
# How soon a daemon that ended instead of becoming ready is noticed; READY itself is not delayed.
LOOK_S: Final = 0.2

# As shipped (config/broker/mosquitto.conf), but for TLS, persons and the log.
BROKER: Final = """listener {port} 127.0.0.1
allow_anonymous true
set_tcp_nodelay true
max_inflight_messages 64
max_queued_messages 100000
persistence false
"""
# A whole table: both devices, a panel, a generator; only the pins are not there.
CONFIG: Final = """[table]
id = "{table}"
seats = 6

[game]
name = "fortune-asia-poker"
start = "rng"

[shuffler]
driver = "tdp1"
port = "{home}/shuffler"

[shoe]
driver = "tdp1"
port = "{home}/shoe"

[panel]
factory = "mock"
key_id = "key-of-floor"

[panel.pins]
rng = 4
done = 5
key = 26
segment_a = 7
segment_b = 8
segment_c = 9
segment_d = 10
segment_e = 11
segment_f = 12
segment_g = 14

[rng]
source = "kernel"

[mqtt]
host = "127.0.0.1"
port = {port}
protocol = "{protocol}"

[journal]
path = "{journal}/journal.sqlite"
key = "{home}/seal.key"

[roster]
dealer = {{ role = "dealer" }}
floor = {{ role = "floorperson", key = "key-of-floor" }}
"""


@contextlib.contextmanager
def broker(home: Path) -> Iterator[int]:
    """A mosquitto for the body's duration; gives its loopback port."""
    port = free_port()
    lines = BROKER.format(port=port)
    if os.geteuid() == 0:
        lines += "user root\n"
    file = home / "mosquitto.conf"
    file.write_text(lines)
    process = subprocess.Popen([program("mosquitto"), "-c", str(file)], stderr=subprocess.DEVNULL)
    try:
        _accepted(port)
        yield port
    finally:
        process.terminate()
        process.wait(END_S_MAX)


def _accepted(port: int) -> None:
    end = time.monotonic() + READY_S_MAX
    while time.monotonic() < end:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        # The broker tells nobody that it listens; a connection that is taken is the only sign.
        time.sleep(0.02)
    raise RuntimeError("mosquitto does not accept connections")


def compiled(home: Path) -> Path:
    """The floor, made with the compiler of this machine."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise RuntimeError("the floor needs a C compiler: sudo apt-get install gcc libc6-dev")
    made = home / "floor"
    words = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-o", str(made), str(HERE / "floor.c")]
    subprocess.run(words, check=True)
    return made


class Floor:
    """A running floor. Without `record` it keeps its records in memory."""

    def __init__(
        self, made: Path, home: Path, port: int, record: Path | None, record_octets: int,
        payload_octets: int,
    ) -> None:  # fmt: skip
        """Start it; it listens to the plain line at `home`."""
        place = "-" if record is None else str(record / "floor.record")
        topic = "tables/floor/events/device/fault"
        words = [str(made), str(home / "plain"), place, str(record_octets), "127.0.0.1", str(port)]
        self.process = subprocess.Popen(
            [*words, topic, str(payload_octets)], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError("the floor does not start")

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait(END_S_MAX)
        if self.process.stdout is not None:
            self.process.stdout.close()


class Daemon:
    """A running daemon: `start_ms` from its start to READY=1."""

    def __init__(
        self, home: Path, journal: Path, port: int, protocol: str = "5",
        launcher: tuple[str, ...] = ("-m", "controller"), *, quiet: bool = True,
    ) -> None:  # fmt: skip
        """Start it as systemd does and wait until it is ready. Raises RuntimeError."""
        self.journal = journal / "journal.sqlite"
        file = home / "table.toml"
        file.write_text(
            CONFIG.format(table=TABLE, home=home, port=port, journal=journal, protocol=protocol)
        )
        notify = home / "notify"
        notify.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as channel:
            channel.bind(str(notify))
            channel.settimeout(LOOK_S)
            self._log = (home / "daemon.log").open("ab")
            words = [sys.executable, *launcher, "run", "--config", str(file), "--log", "warning"]
            variables = {**os.environ, "NOTIFY_SOCKET": str(notify)}
            began = time.monotonic_ns()
            self.process = subprocess.Popen(
                words, cwd=ROOT, env=variables, stderr=self._log if quiet else subprocess.PIPE
            )
            ready = self._becomes_ready(channel)
            self.start_ms = (time.monotonic_ns() - began) / 1e6
        if not ready:
            self.stop()
            log = (home / "daemon.log").read_text()[-2000:]
            raise RuntimeError(f"the daemon does not become ready: {log}")

    def _becomes_ready(self, channel: socket.socket) -> bool:
        end = time.monotonic() + READY_S_MAX
        while time.monotonic() < end and self.process.poll() is None:
            with contextlib.suppress(TimeoutError):
                if b"READY=1" in channel.recv(4096):
                    return True
        return False

    @property
    def pid(self) -> int:
        """The process."""
        return self.process.pid

    @property
    def journal_octets(self) -> int:
        """The journal and its log."""
        return file_octets(self.journal)

    def stop(self) -> bytes:
        """SIGTERM, as systemd does; gives what it said on standard error, where that was kept."""
        self.process.terminate()
        try:
            _, said = self.process.communicate(timeout=END_S_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, said = self.process.communicate()
        self._log.close()
        return said or b""

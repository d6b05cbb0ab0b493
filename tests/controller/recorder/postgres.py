"""A real PostgreSQL server on a socket in a test's directory, where the machine has one."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

WHERE = "/usr/lib/postgresql"
MISSING = (
    "needs a PostgreSQL server: on Debian and Raspberry Pi OS `sudo apt-get install postgresql`"
)


def program(name: str) -> str | None:
    """The newest of a server's programs that is installed; Debian keeps them out of the way."""
    newest = sorted(Path(WHERE).glob(f"*/bin/{name}"))
    return str(newest[-1]) if newest else shutil.which(name)


class Server:
    """One server; it never runs as root, so a root's test gives its directory away."""

    def __init__(self, home: Path) -> None:
        """Nothing runs before `start`."""
        if program("initdb") is None or program("postgres") is None:
            pytest.skip(MISSING)
        pytest.importorskip("psycopg", reason="the extra `postgresql` is not installed")
        self._home = home
        self._user = "postgres" if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None
        home.mkdir()
        if self._user is not None:
            shutil.chown(home, self._user)
            home.parent.chmod(0o755)
        self._do("initdb", "-D", str(home / "data"), "-U", "room", "-A", "trust", "-N")

    @property
    def url(self) -> str:
        """How a recorder names it."""
        return f"postgresql://room@/postgres?host={self._home}"

    def start(self) -> None:
        """Run it and wait until it answers."""
        self._do(
            "pg_ctl", "-D", str(self._home / "data"), "-w", "-l", str(self._home / "log"),
            "-o", f"-k {self._home} -c listen_addresses=''", "start",
        )  # fmt: skip

    def stop(self) -> None:
        """End it as at a reboot: connections are cut."""
        self._do("pg_ctl", "-D", str(self._home / "data"), "-w", "-m", "immediate", "stop")

    def _do(self, name: str, *words: str) -> None:
        path = program(name)
        assert path is not None
        subprocess.run(
            [path, *words], check=True, user=self._user, cwd=self._home, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip

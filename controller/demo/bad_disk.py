"""A disk that fails on request, for the daemon of a demo: slow to sync, or without room.

`python -m controller.demo.bad_disk DIR run --config FILE` is `tablectl run` with two answers of the
system falsified: a commit waits while `DIR/slow` is there, and while `DIR/full` is there the file
system says that other programs have left next to no room. Everything else is the real thing.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

SLOW, FULL = "slow", "full"
# How often a waiting commit looks whether it may go on.
LOOK_S = 0.02
# A tenth of the reserve below which a table holds.
LEFT_OCTETS = 6 * 1024 * 1024
# Of the ten numbers of statvfs(3): free blocks for everybody but root.
F_BAVAIL = 4


class BadDisk:
    """The switches, in the process of the demo; `home` is a directory of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def make_slow(self, on: bool) -> None:
        """Let each commit wait from now on, or no longer."""
        self._switch(SLOW, on)

    def fill(self, on: bool) -> None:
        """Take the room away, or give it back."""
        self._switch(FULL, on)

    def _switch(self, name: str, on: bool) -> None:
        if on:
            (self.home / name).touch()
        else:
            (self.home / name).unlink(missing_ok=True)


class _Connection(sqlite3.Connection):
    """A commit is where the disk is waited for."""

    slow = Path(SLOW)

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:
        if sql == "COMMIT":
            while self.slow.exists():
                threading.Event().wait(LOOK_S)
        return super().execute(sql, parameters)


def install(home: Path) -> None:
    """Falsify the two answers in this process, by the switches in `home`."""
    _Connection.slow = home / SLOW
    connect = sqlite3.connect

    def connect_slowly(*args: Any, **settings: Any) -> sqlite3.Connection:
        return connect(*args, factory=_Connection, **settings)

    sqlite3.connect = connect_slowly  # type: ignore[assignment]  # this process is a demo's
    os.statvfs = _falsified(os.statvfs, home / FULL)  # type: ignore[assignment]  # as above


def _falsified(
    statvfs: Callable[[Any], os.statvfs_result], full: Path
) -> Callable[[Any], os.statvfs_result]:
    def told(path: Any) -> os.statvfs_result:
        said = statvfs(path)
        if not full.exists():
            return said
        numbers = list(said)
        numbers[F_BAVAIL] = LEFT_OCTETS // said.f_frsize
        return os.statvfs_result(numbers)

    return told


def main(arguments: list[str]) -> int:
    """The directory of the switches, then a command line of `tablectl`; gives its exit code."""
    from controller import cli

    install(Path(arguments[0]))
    return cli.main(arguments[1:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

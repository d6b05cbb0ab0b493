"""Forks real daemons for the rig: `python -m tests.hil.nursery`, a line of JSON a daemon.

In: `{"config", "log", "number", "profile"}`, paths as text. Out: `ready` once, then each daemon's
process id. Forking spares hundreds of starts of the interpreter; each daemon is a process of its
own, with its own signals, and can be killed like one. Three things are not a board's: the generator
is loaded where the file `number` holds a number; a game's profile may be another one (`profile`);
and a device that a busy machine keeps from its heartbeat is not held to have fallen silent.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
import traceback
from pathlib import Path

import config.profiles
import config.validation
import controller.start
import hal.generator
import hal.panel
import hal.sim.entropy
import hal.sim.hand
from config.loader import load
from controller.cli.run import _served
from controller.daemon import serve
from controller.identity import identify
from hal.draw import number_in
from hal.gpio import open_factory
from tests.hil.patient import be_patient

# What all of them run: one of them would else read every file of the program at its start.
IDENTITY = identify()
READY = (config.validation, serve, hal.panel, hal.sim.entropy, hal.sim.hand, open_factory("mock"))


def serve_one(asked: dict[str, str]) -> int:
    """Be the daemon of one table until its end; its exit code."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    log = os.open(asked["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    null = os.open(os.devnull, os.O_RDONLY)
    for there, here in ((null, 0), (log, 1), (log, 2)):
        os.dup2(there, here)
    logging.basicConfig(level="INFO", format="%(levelname)s %(name)s: %(message)s")
    controller.start.identify = lambda: IDENTITY
    be_patient()
    load_the_generator(Path(asked["number"]))
    if asked.get("profile"):
        change_the_law(Path(asked["profile"]))
    file = Path(asked["config"])
    return _served(file, load(file))


def load_the_generator(file: Path) -> None:
    """Let the next draw give the number that the file holds, where there is one."""

    def number(octets: bytes | bytearray | memoryview) -> int | None:
        drawn = number_in(octets)
        return int(file.read_text()) if file.exists() else drawn

    hal.generator.number_in = number


def change_the_law(file: Path) -> None:
    """Let each game's profile be this one."""
    config.profiles.profile_octets = lambda game: file.read_bytes()
    controller.start.profile_octets = config.profiles.profile_octets


def main() -> None:
    """A daemon for each line, until the input ends."""
    # Imported and made before the first fork, once for all.
    assert READY
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    gc.freeze()
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if child == 0:
            code = 70
            try:
                code = serve_one(json.loads(line))
            except BaseException:  # noqa: BLE001 - the child's edge: whatever it is ends it
                # It shows in the daemon's log; the parent's cleanup at exit is not the child's.
                traceback.print_exc()
            finally:
                logging.shutdown()
                os._exit(code)
        sys.stdout.write(f"{child}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

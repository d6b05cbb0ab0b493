"""Loads a table's file in a process of its own, so that the daemon never carries the validator.

The validator is 19 MB that a daemon would keep for the sake of its first half second. A forked
child reads and judges the file and hands back plain settings, or the mistakes; then it is gone.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import sys
from collections.abc import Callable
from pathlib import Path

from config.settings import Settings
from controller.errors import EXIT_BUG, UserError


class LoaderDied(Exception):
    """The child ended without an answer: killed, or out of memory. Example: exit status 9."""


def load_apart(file: Path, meanwhile: Callable[[], object] = lambda: None) -> Settings:
    """The same as `config.loader.load(file)`; to be called before any thread is started (with
    threads: `python -m config.apart FILE`, its output given to `settings_told`).

    `meanwhile` is called once, while the child reads: a start with two cores has other work.
    Raises ConfigError and UnreadableConfig as `load` does, LoaderDied where the child gave nothing.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(file, writing)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        meanwhile()
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    return settings_told(answer, file, os.waitstatus_to_exitcode(status))


def settings_told(answer: bytes, file: Path, status: int) -> Settings:
    """What a child of ours answered about `file` before it ended with `status`.

    Raises ConfigError, UnreadableConfig, LoaderDied.
    """
    if not answer:
        raise LoaderDied(f"reading {file} ended with status {status}")
    told = pickle.loads(answer)  # noqa: S301 - our own child's, over a pipe nobody else can open
    if isinstance(told, Settings):
        return told
    raise _error_of(told)


def _answer(file: Path, writing: int) -> None:
    """The child: one pickle into the pipe, then the end, whatever happens; never returns."""
    from config.loader import ConfigError, UnreadableConfig, load

    try:
        try:
            told: object = load(file)
        except ConfigError as error:
            told = ("mistakes", str(file), error.problems)
        except UnreadableConfig as error:
            told = ("unreadable", error.message, [])
        # A daemon that was ended while it began reads no answer.
        with contextlib.suppress(BrokenPipeError), os.fdopen(writing, "wb") as pipe:
            pickle.dump(told, pipe)
        os._exit(0)
    finally:
        # A bug shows here; the parent's cleanup at exit is not the child's to run.
        sys.excepthook(*sys.exc_info())
        os._exit(EXIT_BUG)


def _error_of(told: object) -> UserError:
    from config.loader import ConfigError, UnreadableConfig

    assert isinstance(told, tuple)
    kind, text, problems = told
    return ConfigError(text, problems) if kind == "mistakes" else UnreadableConfig(text)


if __name__ == "__main__":
    # A daemon that runs has threads, which a fork would lose: it starts this module instead.
    _answer(Path(sys.argv[1]), os.dup(1))

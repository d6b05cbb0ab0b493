"""`tablectl sim --capture` and `--playback`: what a line said, into a file and out of one."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import errno
import json
import os
import signal
import sys
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controller.cli.sim_port import PTY, end_of, settings_of, until_open
from controller.clock import SystemClock
from controller.core.stamp import stamp_of
from controller.errors import EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from io import FileIO

    from hal.link import Link
    from hal.port import PortSettings
    from hal.sim.capture import Piece

# What the kernel still holds of a played line is read by then.
LINGER_S: Final = 0.5
WARNING: Final = (
    "everything that the device says is kept, cards that it names too: for a bench, never at a "
    "table in play"
)


class _CaptureIsFull(Exception):
    """The file has as much as one may have."""


class _File:
    """The capture's file: one line a piece, written at once, bounded; never with half a line."""

    def __init__(self, file: FileIO, head: str) -> None:
        self._file = file
        self._size = 0
        self._append(head)
        self.octets = 0
        self.pieces = 0

    def put(self, piece: Piece) -> None:
        """Raises _CaptureIsFull, OSError."""
        from hal.sim.capture import CAPTURE_OCTETS_MAX, line_of

        line = line_of(piece) + "\n"
        if self._size + len(line) > CAPTURE_OCTETS_MAX:
            raise _CaptureIsFull
        self._append(line)
        self.octets += len(piece.octets) if piece.source != "!" else 0
        self.pieces += 1

    def _append(self, text: str) -> None:
        """A disk with room for a part takes that part; it is taken back. Raises OSError."""
        octets = text.encode("ascii")
        written = self._file.write(octets)
        if written != len(octets):
            self._file.truncate(self._size)
            raise OSError(errno.ENOSPC, "the disk is full; what was kept until then is whole")
        self._size += written


def capture(args: argparse.Namespace) -> int:
    """Capture until interrupted, until `--seconds` are over or the file is full."""
    from hal.sim.capture import HEAD

    if args.port.startswith(PTY):
        raise UserError("--port: a capture needs a port with a device on it", EXIT_USAGE)
    if args.seconds is not None and not args.seconds > 0:
        raise UserError("--seconds: expected a number above 0", EXIT_USAGE)
    if args.to is not None and not args.to.startswith(PTY):
        raise UserError("--to: expected pty:PATH, a terminal for the host to open", EXIT_USAGE)
    if args.to is not None and not Path(args.to.removeprefix(PTY)).parent.is_dir():
        raise UserError(f"--to: no directory for {args.to.removeprefix(PTY)}", EXIT_USAGE)
    settings = settings_of(args)
    path = Path(args.capture)
    try:
        # Never over a capture of before; only for whoever made it.
        with open(path, "xb", buffering=0, opener=_private) as file:
            begun = stamp_of(SystemClock().wall_ms())
            head = f"{HEAD}\n# {args.port} at {args.baud} baud, begun {begun}\n"
            kept = _File(file, head)
            ended = asyncio.run(_capture(args, settings, kept))
    except UserError:
        # The port did not open: an empty file would only be in the way of the next attempt.
        path.unlink(missing_ok=True)
        raise
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", EXIT_USAGE) from None
    sys.stderr.write(f"{path}: {kept.pieces} lines, {kept.octets} octets; {ended}\n")
    return EXIT_OK


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


async def _capture(args: argparse.Namespace, settings: PortSettings, kept: _File) -> str:
    """Why it ended, in words. Raises UserError for a port that does not open."""
    from hal.sim.tape import Tap
    from hal.sim.wire import PtyEnd

    host = None if args.to is None else PtyEnd(Path(args.to.removeprefix(PTY)))
    tap = Tap(settings, kept.put, host)
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    running = asyncio.create_task(tap.run())
    stopping = asyncio.create_task(stop.wait())
    try:
        await _until_open(tap.link, running)
        sys.stderr.write(f"capturing {args.port}; Ctrl-C ends it\n{WARNING}\n")
        await asyncio.wait(
            (running, stopping), timeout=args.seconds, return_when=asyncio.FIRST_COMPLETED
        )
        if running.done():
            running.result()
    except _CaptureIsFull:
        return "the file is as large as a capture may be"
    finally:
        for task in (running, stopping):
            task.cancel()
        await asyncio.gather(running, stopping, return_exceptions=True)
    return "ended" if stop.is_set() else "the time is over"


async def _until_open(link: Link, running: asyncio.Task[None]) -> None:
    """Raises UserError where the port or the host's terminal cannot be had, else what ended the
    task."""
    try:
        await until_open(link, running)
    except OSError as error:
        if error.filename is None:
            raise
        text = f"--to: {error.filename}: {error.strerror}; take a name that is free"
        raise UserError(text, EXIT_USAGE) from None


# ---- playing -----------------------------------------------------------------------------------
def playback(args: argparse.Namespace) -> int:
    """Play a capture to its end."""
    from hal.sim.capture import pieces_of

    text = _checked(Path(args.playback))
    asyncio.run(_play(args, pieces_of(StringIO(text, newline="\n"))))
    return EXIT_OK


def _checked(path: Path) -> str:
    """All of it, read before anything moves; as text, of which a million pieces take the least.

    Raises UserError with file and line.
    """
    from controller.regular_file import octets_of
    from hal.sim.capture import CAPTURE_OCTETS_MAX, CaptureError, pieces_of

    try:
        # Octets that are no ASCII come through as such, and are told at their line.
        text = octets_of(path, CAPTURE_OCTETS_MAX).decode("ascii", "surrogateescape")
        said = sum(piece.source == "<" for piece in pieces_of(StringIO(text, newline="\n")))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}", EXIT_USAGE) from None
    except CaptureError as error:
        raise UserError(f"{path}:{error.line}:1: {error}", EXIT_USAGE) from None
    if not said:
        raise UserError(f"{path}: the device says nothing in it", EXIT_USAGE)
    return text


async def _play(args: argparse.Namespace, pieces: Iterable[Piece]) -> None:
    from hal.sim.tape import HostTakesNothing, Player
    from hal.sim.wire import PortEnd

    end = end_of(args)
    player = Player(pieces, end, args.speed)
    try:
        with contextlib.ExitStack() as undo:
            end.open(player.hear)
            undo.callback(end.close)
            if isinstance(end, PortEnd):
                await until_open(end.link)
            elif not args.at_once:
                sys.stderr.write(f"{args.port}: waiting for a host; --at-once does not wait\n")
                await player.until_host()
            sys.stderr.write(f"{args.playback}: playing on {args.port}\n")
            await player.run()
            await asyncio.sleep(LINGER_S)
    except OSError as error:
        raise UserError(f"--port: {error}", EXIT_UNREACHABLE) from None
    except HostTakesNothing as error:
        raise UserError(f"{args.port}: {error}", EXIT_UNREACHABLE) from None
    told = {"said_octets": player.said_octets, "heard_octets": player.heard_octets}
    sys.stdout.write(json.dumps(told) + "\n")

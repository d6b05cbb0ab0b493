"""The port that `tablectl sim` speaks on: an end of it, and the wait until it is open."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controller.errors import EXIT_UNREACHABLE, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from hal.link import Link
    from hal.port import PortSettings
    from hal.sim.wire import End

PTY: Final = "pty:"
OPEN_CHECK_S: Final = 0.1
# A serial server on the network has 5 s to answer (hal.port).
OPEN_S_MAX: Final = 6.0


def end_of(args: argparse.Namespace) -> End:
    """The end that `--port` and `--baud` name, not open yet. Raises UserError."""
    from hal.sim.wire import PortEnd, PtyEnd

    if args.port.startswith(PTY):
        return PtyEnd(Path(args.port.removeprefix(PTY)))
    return PortEnd(settings_of(args))


def settings_of(args: argparse.Namespace) -> PortSettings:
    """Of a real port. Raises UserError."""
    from hal.errors import AddressError
    from hal.port import PortSettings

    try:
        return PortSettings(args.port, args.baud)
    except AddressError as error:
        raise UserError(f"--port: {error}", EXIT_USAGE) from None


async def until_open(link: Link, running: asyncio.Task[None] | None = None) -> None:
    """Wait for a real port. Raises UserError when it cannot be opened, and what ended `running`."""
    waited_s = 0.0
    while not link.is_open:
        if running is not None and running.done():
            running.result()
        if link.last_error or waited_s > OPEN_S_MAX:
            raise UserError(link.last_error or "the port does not open", EXIT_UNREACHABLE)
        await asyncio.sleep(OPEN_CHECK_S)
        waited_s += OPEN_CHECK_S

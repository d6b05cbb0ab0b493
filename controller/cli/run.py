"""`tablectl run`: the daemon of one table, for systemd or by hand."""

from __future__ import annotations

import argparse
import gc
import logging
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from controller.errors import (
    EXIT_BUG,
    EXIT_CONFIG,
    EXIT_FOUND,
    EXIT_OK,
    EXIT_UNREACHABLE,
    UserError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from config.settings import Settings

# Faults T06: 5 s from the signal, whatever stalls. The daemon's own bounds sum up to less; this one
# is for a thread that hangs in a disk or device and would keep the interpreter.
END_S_MAX = 4.8


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--config", type=Path, required=True, metavar="FILE", help="a table's file")
    parser.add_argument(
        "--log", choices=("debug", "info", "warning"), default="info", help="default: info"
    )


def run(args: argparse.Namespace) -> int:
    """Serve until a signal; 0 after an orderly end, 1 where the end could not be recorded or the
    journal or a line of the board cannot be used, 70 after a bug, 78 for a mistake in the file."""
    logging.basicConfig(
        level=args.log.upper(), stream=sys.stderr, format="%(levelname)s %(name)s: %(message)s"
    )
    # What a start imports stays for good: looking through it for garbage again and again costs a
    # tenth of the start (docs/performance.md).
    gc.disable()
    try:
        settings = _settings(args.config)
    finally:
        gc.enable()
    gc.freeze()
    return _served(args.config, settings)


def _settings(file: Path) -> Settings:
    from config.apart import load_apart
    from config.loader import ConfigError, UnreadableConfig

    try:
        return load_apart(file, _import_daemon)
    except (ConfigError, UnreadableConfig) as error:
        raise UserError(error.message, EXIT_CONFIG) from None


def _import_daemon() -> None:
    import controller.daemon  # noqa: F401 - most of a start, done while the file is judged


def _served(file: Path, settings: Settings) -> int:
    """Serve with these settings, then with each that a reload asks for, until the end.

    Settings that cannot be begun with (a line of the board that is not there) give way to those of
    before, with which the table was served a moment ago.
    """
    import asyncio

    from controller.daemon import serve
    from controller.reload import Reload
    from controller.supervisor import Supervisor

    supervisor, before, trouble = Supervisor(), settings, ""
    while True:
        reload = Reload(file, settings)
        if trouble:
            reload.refuse(trouble)
        supervisor.began = False
        try:
            recorded = asyncio.run(serve(settings, supervisor, _end_in_time, reload))
        except Exception as error:  # noqa: BLE001 - the daemon's edge: said in words, with a code
            if supervisor.began or settings is before:
                return _said(error)
            _said(error)
            trouble = f"{file}: could not be begun with: {', '.join(map(str, _leaves(error)))}"
            logging.getLogger("controller.run").error("the table's file of before is taken again")
            settings = before
            continue
        if reload.next is None or not recorded:
            return EXIT_OK if recorded else EXIT_FOUND
        before, settings, trouble = settings, reload.next, ""


def _said(error: Exception) -> int:
    """Log what ended the daemon; the exit code that systemd or a person sees."""
    from config.profiles import UnknownGame
    from controller.core.profile import ProfileError
    from controller.engine import ProgramFault
    from controller.journal.replay import Diverged
    from controller.journal.seal import KeyTrouble
    from controller.journal.trouble import JournalTrouble
    from hal.errors import AddressError
    from hal.gpio import BoardError

    log = logging.getLogger("controller.run")
    code = EXIT_BUG
    for one in _leaves(error):
        if isinstance(one, KeyTrouble | AddressError | UnknownGame | ProfileError):
            log.error("%s", one)
            return EXIT_CONFIG
        if isinstance(one, JournalTrouble | Diverged):
            log.error("journal: %s", one)
            code = EXIT_FOUND
        elif isinstance(one, BoardError):
            log.error("%s", one)
            code = EXIT_UNREACHABLE
        elif isinstance(one, ProgramFault):
            log.critical("%s", one, exc_info=one.__cause__)
        else:
            log.critical("unexpected %s", type(one).__name__, exc_info=one)
    return code


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _end_in_time() -> None:
    """Leave at the latest END_S_MAX from now; the journal then tells an unclean end."""
    late = threading.Timer(END_S_MAX, os._exit, (EXIT_FOUND,))
    late.daemon = True
    late.start()

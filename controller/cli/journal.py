"""`tablectl journal`: show, tail, verify or export the record of a table, in use or not."""

from __future__ import annotations

import argparse
import contextlib
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from controller.cli.journal_lines import LAST_EVENTS, add_filters, selection_of, show, tail
from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_USAGE, UserError
from controller.journal import audit
from controller.journal.export import NothingFound, write_export
from controller.journal.proof.lines import NoTurn
from controller.journal.proof.report import Wrong
from controller.journal.selection import Selection
from controller.journal.source import NoJournal, open_source
from controller.journal.verifier import verifier_octets


def add(parser: argparse.ArgumentParser) -> None:
    """Declare what can be done with a journal."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    shown = actions.add_parser("show", help="events for people, oldest first")
    tailed = actions.add_parser("tail", help="the last events, then those that follow")
    check = actions.add_parser("verify", help="check every record; exit 1 at the first wrong one")
    export = actions.add_parser("export", help="inputs, effects and events as JSON Lines")
    alone = actions.add_parser("verifier", help="`verify` as one file that needs only Python")
    for action in (shown, tailed, export):
        action.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the journal")
    check.add_argument("file", type=Path, nargs="*", metavar="FILE", help="journals or exports")
    for action in (shown, tailed, check, export):
        action.add_argument("--journal", type=Path, metavar="FILE", help="the same, as an option")
    for action in (shown, tailed):
        action.add_argument("--json", action="store_true", help="one JSON object a line")
    for action in (shown, tailed, export):
        add_filters(action)
    for action in (shown, export):
        action.add_argument("--first", type=int, metavar="N", help="from this sequence on")
        action.add_argument("--last", type=int, metavar="N", help="up to this sequence")
    shown.add_argument("--all", action="store_true", help="inputs and effects too")
    tailed.add_argument("-n", type=int, default=LAST_EVENTS, metavar="N", help="how many at first")
    tailed.add_argument("-f", "--follow", action="store_true", help="go on (the default)")
    tailed.add_argument("--no-follow", action="store_true", help="end after these")
    audit.declare(check)
    for action in (export, alone):
        action.add_argument(
            "--output", type=Path, metavar="FILE", help="instead of standard output"
        )


def run(args: argparse.Namespace) -> int:
    """Exit code of the action. Raises UserError."""
    if args.action == "verifier":
        return _to_output(args, lambda file: _write_all(file, verifier_octets()))
    if args.action == "verify":
        paths: list[Path] = args.file or ([args.journal] if args.journal else [])
        _named(paths[0] if paths else None)
        return audit.run(paths, args)
    path = _named(args.file or args.journal)
    actions = {"show": show, "tail": tail, "export": _export}
    try:
        return actions[args.action](path, args)
    except NoJournal as error:
        raise UserError(str(error), EXIT_USAGE) from None
    except NoTurn as error:
        raise UserError(f"{path}:{error.line}: {error.why}", EXIT_FOUND) from None
    except Wrong as error:
        raise UserError(f"{path}: {error.problem}", EXIT_FOUND) from None
    except (sqlite3.Error, json.JSONDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        mend = f"`tablectl journal verify {path}` says where"
        raise UserError(f"{path}: damaged: {error}; {mend}", EXIT_FOUND) from None


def _named(path: Path | None) -> Path:
    if path is None:
        raise UserError("tablectl journal: name the journal's FILE", EXIT_USAGE)
    return path


def _export(path: Path, args: argparse.Namespace) -> int:
    selection = selection_of(args)
    wanted = None if selection == Selection() else selection
    with open_source(path) as source:

        def write(file: BinaryIO) -> None:
            written = write_export(source, file, wanted)
            if wanted is not None and not written.sealed:
                sys.stderr.write(
                    f"{path}: no checkpoint was signed after these records yet, so no signature"
                    " covers them; export again later\n"
                )

        try:
            return _to_output(args, write)
        except NothingFound as error:
            raise UserError(f"{path}: {error}", EXIT_FOUND) from None


def _to_output(args: argparse.Namespace, write: Callable[[BinaryIO], None]) -> int:
    """Standard output, or a new file that is whole or not there: never one that is there already.

    An error of the source goes on as it is.
    """
    if args.output is None:
        write(sys.stdout.buffer)
        return EXIT_OK
    output: Path = args.output
    try:
        with output.open("xb") as file, _removed_on_failure(output):
            write(file)
    except FileExistsError:
        raise UserError(f"{output}: is there already; nothing was written", EXIT_USAGE) from None
    except OSError as error:
        raise UserError(f"{output}: {error.strerror}", EXIT_USAGE) from None
    return EXIT_OK


@contextlib.contextmanager
def _removed_on_failure(output: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:  # an interrupted export too: half of one looks like a damaged record
        output.unlink(missing_ok=True)
        raise


def _write_all(file: BinaryIO, octets: bytes) -> None:
    file.write(octets)

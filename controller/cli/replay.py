"""`tablectl replay`: inputs in, one JSON line out for each event, effect, refusal and output."""

from __future__ import annotations

import argparse
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from config.profiles import UnknownGame, profile_document
from controller.book_document import book_of_document
from controller.core.book import Book
from controller.core.codec import Unreadable
from controller.core.profile import ProfileError, profile_of
from controller.core.setup import Setup, default_setup
from controller.core.state import TableState
from controller.day import LINE_OCTETS_MAX, BadLine, Day
from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_USAGE, UserError
from controller.games import PROCEDURES, book_of
from controller.identity import program_digest
from controller.journal.audit import progress_on_terminal
from controller.journal.program import Program
from controller.journal.proof.lines import NoTurn
from controller.journal.proof.report import Wrong
from controller.journal.recompute import NoBook, Recomputed, recompute
from controller.journal.source import NoJournal, open_source
from controller.journal.trouble import CorruptJournal
from controller.program import program_of


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `replay`."""
    parser.add_argument("--game", help="the game; with --table it may be left out")
    parser.add_argument("--table", type=Path, metavar="FILE", help="the table's file (TOML)")
    parser.add_argument(
        "--journal", type=Path, metavar="JOURNAL",
        help="decide the inputs of a journal or export again, by the rules that it holds itself"
        " (or by those named), and compare byte by byte",
    )  # fmt: skip
    parser.add_argument(
        "file", metavar="INPUTS", nargs="?", help="inputs as JSON lines, or - for stdin"
    )


def run(args: argparse.Namespace) -> int:
    """Play the inputs; exit 2 with `FILE:LINE:COLUMN: message` for a line that is no object."""
    if (args.journal is None) == (args.file is None):
        raise UserError("name a file of inputs, or a journal with --journal", EXIT_USAGE)
    if args.journal is not None:
        named = args.game is not None or args.table is not None
        program = program_of(book_for(args.game, args.table)) if named else None
        return _journal(args.journal, program)
    day = Day(book_for(args.game, args.table))
    name = "<stdin>" if args.file == "-" else args.file
    try:
        with _opened(args.file) as stream:
            for line in day.play_lines(_bounded_lines(stream)):
                sys.stdout.buffer.write(line + b"\n")
    except BadLine as bad:
        sys.stdout.buffer.flush()
        place = f"{name}:{bad.line}:{bad.column}"
        raise UserError(f"{place}: {bad.message}", EXIT_USAGE) from None
    except BrokenPipeError:
        raise  # the reader's end of standard output, not a trouble of the file
    except OSError as error:
        raise UserError(f"{name}: {error.strerror or error}", EXIT_USAGE) from None
    return EXIT_OK


def _journal(path: Path, program: Program[TableState] | None) -> int:
    """Exit 0 where every recorded byte comes again, 1 with the first difference, 2 unreadable."""
    try:
        with open_source(path) as source:
            done = recompute(source, program, program_of_document, progress_on_terminal(path))
    except NoJournal as error:  # names the file itself
        raise UserError(str(error), EXIT_USAGE) from None
    except (NoBook, NoTurn, CorruptJournal, Wrong, Unreadable, sqlite3.Error) as error:
        raise UserError(f"{path}: {error}", EXIT_USAGE) from None
    if done.decided == 0 and done.passed_over and done.differing is None:
        mend = "replay the journal or an export of it all"
        raise UserError(f"{path}: holds no state to begin with; {mend}", EXIT_USAGE)
    sys.stdout.write("".join(f"{path}: {line}\n" for line in _words(done)))
    return EXIT_OK if done.differing is None else EXIT_FOUND


def _words(done: Recomputed) -> Iterator[str]:
    for stretch in done.stretches:
        if stretch.difference is not None:
            yield stretch.difference
            if stretch.program not in ("", own := program_digest()):
                yield (
                    f"  decided by version {stretch.version}, {stretch.program[:16]}; this is"
                    f" {own[:16]}: the verdict on that run is the other program's"
                )
    if done.passed_over:
        yield f"{done.passed_over} inputs stand before the first saved state: not decided again"
    if done.differing is None:
        yield f"every decision comes out the same, byte by byte ({done.decided} inputs)"
    else:
        yield f"{done.decided} inputs come out the same"


def program_of_document(body: bytes) -> Program[TableState]:
    """The rules as a record holds them. Raises Unreadable."""
    return program_of(book_of_document(body))


def book_for(game: str | None, table: Path | None) -> Book:
    """The book of a game at its default table, or at the table of a file. Raises UserError."""
    declared = _declared(game, table)
    name = declared.game if declared is not None else game
    if name is None:
        raise UserError("name the game with --game, or a table's file with --table", EXIT_USAGE)
    try:
        document, _ = profile_document(name)
        profile = profile_of(document)
    except UnknownGame as unknown:
        raise UserError(str(unknown), EXIT_USAGE) from None
    except ProfileError as error:
        raise UserError(f"profile of {name}: {error}", EXIT_USAGE) from None
    if profile.id.procedure not in PROCEDURES:
        raise UserError(f"{name}: no procedure {profile.id.procedure}", EXIT_USAGE)
    if declared is None:
        deal = profile.deal.methods.value[0]
        declared = default_setup(name, profile.cards.deck_cards.value, deal)
    return book_of(declared, profile)


def _declared(game: str | None, table: Path | None) -> Setup | None:
    if table is None:
        return None
    from config.loader import load

    setup = load(table, for_rules_only=True).setup()
    if game is not None and game != setup.game:
        raise UserError(f"--game {game}, but {table} plays {setup.game}", EXIT_USAGE)
    return setup


def _opened(name: str) -> BinaryIO:
    return sys.stdin.buffer if name == "-" else Path(name).open("rb")


def _bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Lines, none of them longer than one octet more than is lawful, so memory stays flat."""
    while line := stream.readline(LINE_OCTETS_MAX + 1):
        yield line

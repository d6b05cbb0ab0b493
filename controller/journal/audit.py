"""`journal verify` as its user meets it: the same in `tablectl` and in the one-file verifier."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_USAGE, UserError
from controller.journal.outside import known_of
from controller.journal.proof.report import Report, Wrong
from controller.journal.proof.statement import KEY_FILE_OCTETS_MAX, key_of_text
from controller.journal.proof.witness import Witness
from controller.journal.room import is_room, verify_room
from controller.journal.source import NoJournal
from controller.journal.verify import verify


def declare(parser: argparse.ArgumentParser) -> None:
    """The arguments, beside the files."""
    parser.add_argument(
        "--key", type=Path, action="append", default=[], metavar="FILE",
        help="public key that signs this table's checkpoints (hex or PEM); may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--against", type=Path, action="append", default=[], metavar="WITNESS",
        help="a copy that others keep: journal, export, the room's store, or events as JSON Lines",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object a file")


def run(paths: Sequence[Path], args: argparse.Namespace) -> int:
    """0 where every file is in order, 1 where one is not. Raises UserError."""
    keys = [_key(path) for path in args.key]
    worst = EXIT_OK
    for path in paths:
        witness = _witness(args.against) if args.against else None
        try:
            reports = _reports(path, keys, witness)
        except NoJournal as error:
            raise UserError(str(error), EXIT_USAGE) from None
        finally:
            if witness is not None:
                witness.close()
        for report in reports:
            if args.json:
                members = {"file": str(path), **dataclasses.asdict(report)}
                sys.stdout.write(json.dumps(members, ensure_ascii=False) + "\n")
            else:
                sys.stdout.write(words(path, report))
            if report.problem is not None:
                worst = EXIT_FOUND
        sys.stdout.flush()
    return worst


def _reports(path: Path, keys: Sequence[bytes], witness: Witness | None) -> list[Report]:
    progress = progress_on_terminal(path)
    if is_room(path):
        return verify_room(path, keys, witness, progress)
    return [verify(path, keys, witness, progress)]


def words(path: Path, report: Report) -> str:
    """The report for people: the verdict, then what it rests on."""
    counts = (
        f"{report.inputs} inputs, {report.effects} effects, {report.events} events, "
        f"{report.checkpoints} checkpoints, {report.faults} faults"
    )
    if report.problem is not None:
        before = f"  in order before it: {counts}\n"
        return f"{path}: table {report.table}: {report.problem}\n{before}"
    lines = [f"{path}: table {report.table}: in order", f"  {counts}"]
    if report.last > report.events or report.first > 1:
        event = f"event {report.last - report.events + 1}"
        lines.append(f"  begins at input {report.first}, {event}" if report.inputs else
                     f"  begins at {event}")  # fmt: skip
    lines.append(f"  {_signed(report)}")
    if report.witnessed is not None:
        lines.append(f"  the same at the witness, up to event {report.witnessed}")
    return "\n".join(lines) + "\n"


def _signed(report: Report) -> str:
    if not report.keys:
        what = f"; {report.unchecked} by keys that nobody named" if report.unchecked else ""
        return f"no signature was checked{what}: name the table's public key with --key"
    said = f"signed by key {' '.join(report.keys)} up to event {report.sealed}"
    if report.sealed < report.last:
        said += f"; events {report.sealed + 1} to {report.last} are covered by no signature yet"
    return said


def _key(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return key_of_text(file.read(KEY_FILE_OCTETS_MAX))
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", EXIT_USAGE) from None
    except ValueError as error:
        raise UserError(f"{path}: {error}", EXIT_USAGE) from None


def _witness(paths: Sequence[Path]) -> Witness:
    witness = Witness()
    for path in paths:
        try:
            count = witness.add(known_of(path), str(path))
        except NoJournal as error:
            raise UserError(f"witness {error}", EXIT_USAGE) from None
        except Wrong as error:
            raise UserError(f"witness {path}: {error.problem}", EXIT_FOUND) from None
        if count == 0:
            raise UserError(f"witness {path}: holds no event and no checkpoint", EXIT_USAGE)
    return witness


def progress_on_terminal(path: Path) -> Callable[[int, int], None] | None:
    """One line on a terminal, written over and over; nothing where nobody looks."""
    if not sys.stderr.isatty():
        return None
    told = -1

    def show(done: int, size: int) -> None:
        nonlocal told
        percent = 100 * done // max(size, 1)
        if percent != told:
            told = percent
            sys.stderr.write(f"\r\x1b[K{path}: {percent} %" if percent < 100 else "\r\x1b[K")
            sys.stderr.flush()

    return show


def main(argv: Sequence[str] | None = None) -> int:
    """The one-file verifier: `python3 verify.pyz FILE…`."""
    parser = argparse.ArgumentParser(
        prog="verify.pyz",
        description="Check the record of a gaming table, offline, with nothing but Python.",
        epilog="example:\n"
        "  python3 verify.pyz journal.sqlite --key t-12.pub --against room.sqlite\n"
        "exit: 0 in order, 1 something is wrong, 2 not a record or wrong usage",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="journal or export")
    declare(parser)
    args = parser.parse_args(argv)
    try:
        return run(args.files, args)
    except UserError as error:
        sys.stderr.write(f"{error.message}\n")
        return error.exit_code
    except KeyboardInterrupt:
        return 130

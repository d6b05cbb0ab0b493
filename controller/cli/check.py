"""`tablectl check`: all mistakes of a table's file, or a driver's, where an editor jumps to."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from config.complaints import Problem
    from hal.protocols.lines import LineTalk

# A day of a talkative device; more is no sample of lines.
SAMPLE_OCTETS_MAX: Final = 16 * 1024 * 1024
# Which boot a tried driver counts under: nobody sees it.
TRIED_BOOT: Final = 0


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a table's file (TOML)")
    parser.add_argument("--json", action="store_true", help="one JSON object for each finding")
    parser.add_argument(
        "--driver", action="store_true", help="FILE is a driver file of a device that prints lines"
    )
    parser.add_argument(
        "--lines", metavar="TEXT", help="with --driver: show what each line of TEXT would say"
    )


def run(args: argparse.Namespace) -> int:
    """Print findings to standard output; 1 with a mistake, 0 with none or with warnings only.

    Raises UnreadableConfig (exit 2).
    """
    if args.lines is not None and not args.driver:
        raise UserError("--lines tries a driver file: add --driver", EXIT_USAGE)
    return _check_driver(args) if args.driver else _check_table(args)


def _check_table(args: argparse.Namespace) -> int:
    from config.loader import examine_file

    file: Path = args.file
    reading = examine_file(file)
    _tell(reading.problems, file, args.json)
    if reading.settings is None:
        return EXIT_FOUND
    if not args.json:
        settings = reading.settings
        sys.stdout.write(f"{file}: table {settings.table.id}, {settings.game.name}: in order\n")
    return EXIT_OK


def _check_driver(args: argparse.Namespace) -> int:
    from config.driver_file import examine_driver
    from config.loader import read_text

    file: Path = args.file
    reading = examine_driver(read_text(file))
    _tell(reading.problems, file, args.json)
    if reading.talk is None:
        return EXIT_FOUND
    if args.lines is not None:
        return _try(reading.talk, args.lines)
    if not args.json:
        talk = reading.talk
        sys.stdout.write(f"{file}: a {talk.device} with {len(talk.rules)} lines: in order\n")
    return EXIT_OK


def _tell(problems: Iterable[Problem], file: Path, as_json: bool) -> None:
    for problem in problems:
        if as_json:
            record = {
                "file": problem.file or str(file),
                "line": problem.place.line,
                "column": problem.place.column,
                "severity": "warning" if problem.warning else "error",
                "message": problem.text,
            }
            sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        else:
            sys.stdout.write(problem.line(str(file)) + "\n")


def _try(talk: LineTalk, sample: str) -> int:
    """Each line of a text file, as a device would print it, with what it states; 1: a line was
    not understood."""
    from controller.core.codec import plain, type_of
    from hal.protocols.lines import ENDINGS, Decoder
    from hal.protocols.message import Event, Hello, Junk

    decoder, end = Decoder(talk, TRIED_BOOT), ENDINGS[talk.ending]
    understood = True
    for line in _sample(sample).splitlines():
        facts: list[object] = []
        problems: list[str] = []
        for message in decoder.feed(line + end):
            if isinstance(message, Junk):
                problems.append(message.reason)
            elif isinstance(message, Event | Hello):
                fact = message.fact if isinstance(message, Event) else message.identity
                facts.append({"fact": type_of(fact), **plain(fact)})
        understood = understood and not problems
        told: dict[str, object] = {"line": line.decode("latin-1"), "facts": facts}
        if problems:
            told["not_understood"] = problems[0]
        sys.stdout.write(json.dumps(told, ensure_ascii=True) + "\n")
    return EXIT_OK if understood else EXIT_FOUND


def _sample(name: str) -> bytes:
    """The octets of a file, or of standard input for `-`. Raises UserError."""
    try:
        if name == "-":
            octets = sys.stdin.buffer.read(SAMPLE_OCTETS_MAX + 1)
        else:
            with Path(name).open("rb") as opened:
                octets = opened.read(SAMPLE_OCTETS_MAX + 1)
    except OSError as error:
        raise UserError(f"{name}: {error.strerror or error}", EXIT_USAGE) from None
    if len(octets) > SAMPLE_OCTETS_MAX:
        raise UserError(f"{name}: more than {SAMPLE_OCTETS_MAX} octets: give a part", EXIT_USAGE)
    return octets

"""`tablectl check`: all mistakes of a table's file at once, where an editor can jump to them."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from controller.errors import EXIT_FOUND, EXIT_OK


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("file", type=Path, metavar="FILE", help="a table's file (TOML)")
    parser.add_argument("--json", action="store_true", help="one JSON object for each finding")


def run(args: argparse.Namespace) -> int:
    """Print findings to standard output; 1 with a mistake, 0 with none or with warnings only.

    Raises UnreadableConfig (exit 2).
    """
    from config.loader import examine, read_text

    file: Path = args.file
    reading = examine(read_text(file))
    for problem in reading.problems:
        if args.json:
            record = {
                "file": str(file),
                "line": problem.place.line,
                "column": problem.place.column,
                "severity": "warning" if problem.warning else "error",
                "message": problem.text,
            }
            sys.stdout.write(json.dumps(record, ensure_ascii=False) + "\n")
        else:
            sys.stdout.write(problem.line(str(file)) + "\n")
    if reading.settings is None:
        return EXIT_FOUND
    if not args.json:
        settings = reading.settings
        sys.stdout.write(f"{file}: table {settings.table.id}, {settings.game.name}: in order\n")
    return EXIT_OK

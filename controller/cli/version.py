"""`tablectl version`: what runs here, and by which profiles."""

from __future__ import annotations

import argparse
import json
import platform
import sys

from controller import VERSION
from controller.errors import EXIT_OK


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")


def run(args: argparse.Namespace) -> int:
    """Print version, Python and the SHA-256 of each game's profile, as the journal records them."""
    from config.profiles import games, profile_document

    digests = {game: profile_document(game)[1] for game in games()}
    if args.json:
        record = {
            "version": VERSION,
            "python": platform.python_version(),
            "profiles": digests,
        }
        sys.stdout.write(json.dumps(record) + "\n")
        return EXIT_OK
    sys.stdout.write(f"table-controller {VERSION} (Python {platform.python_version()})\n")
    for game, digest in digests.items():
        sys.stdout.write(f"profile {game} sha256:{digest}\n")
    return EXIT_OK

"""`tablectl asyncapi`: the contract for machines, made from the shapes that validate."""

from __future__ import annotations

import argparse
import json
import sys

from controller.errors import EXIT_OK, UserError


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "--message", metavar="NAME",
        help="one message's JSON Schema alone, such as round.voided, state or commands.decide",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Print the document, or one schema of it. Raises UserError for a message that is none."""
    from controller.contract.asyncapi import document, schema_named

    if args.message is None:
        printed: object = document()
    else:
        try:
            printed = schema_named(args.message)
        except KeyError:
            raise UserError(
                f"no message {args.message!r}; `tablectl asyncapi` has all of them "
                "below components, messages"
            ) from None
    sys.stdout.write(json.dumps(printed, indent=2, ensure_ascii=False) + "\n")
    return EXIT_OK

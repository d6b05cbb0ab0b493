"""`tablectl demo`: the whole system on this machine, with simulated devices and people."""

from __future__ import annotations

import argparse
import asyncio
import json
import secrets
import sys
import textwrap
from pathlib import Path

from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError

ROUNDS = 5
ROUNDS_MAX = 2_000
GAMES = ("dj-wild", "fortune-asia-poker", "blackjack", "minibaccarat")
SHOE_CARDS = 24
HELP_COLUMNS = 78


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments; the help names every fault, as a misspelt one does."""
    from controller.demo.faults import FAULTS

    names = textwrap.wrap(" ".join(FAULTS), HELP_COLUMNS, break_on_hyphens=False)
    parser.epilog = "\n  ".join(("faults (docs/demo.md):", *names)) + f"\n\n{parser.epilog}"
    parser.add_argument("--game", default=GAMES[0], metavar="G", help=f"one of {' '.join(GAMES)}")
    parser.add_argument("--rounds", type=int, default=ROUNDS, metavar="N", help="default 5")
    parser.add_argument(
        "--fault", action="append", default=[], metavar="NAME",
        help="a fault that strikes from the second round on; repeat it for more, one a round",
    )  # fmt: skip
    parser.add_argument(
        "--shoe-cards", type=int, default=SHOE_CARDS, metavar="N",
        help="cards above the cover card of a shoe; default 24, so that a short demo sees its end",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, metavar="S", help="of cards, seats and noise")
    parser.add_argument("--broker", metavar="URL", help="instead of one of the demo's own")
    parser.add_argument(
        "--speed", type=float, default=100.0, metavar="X",
        help="divides the devices' work times, never heartbeats; default 100",
    )  # fmt: skip
    parser.add_argument(
        "--keep", type=Path, metavar="DIR",
        help="leave journal, table's file and the daemon's log in this new directory",
    )  # fmt: skip
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--quiet", action="store_true", help="the summary alone")
    shown.add_argument("--json", action="store_true", help="the summary as one JSON object")


def run(args: argparse.Namespace) -> int:
    """Play and judge; 0 when all is as demanded, 1 when not, 2 unusable arguments, 3 no broker."""
    from controller.broker import NoBroker
    from controller.broker_address import BadAddress, address_of
    from controller.cli.watch import Printer
    from controller.demo.cast import Wish
    from controller.demo.show import perform
    from controller.subscriber import Seen

    _check(args)
    keep = None if args.keep is None else _new_directory(args.keep)
    quiet = args.quiet or args.json
    printer = Printer(False, sys.stdout.isatty())

    def show(seen: Seen) -> None:
        if not quiet:
            printer.show(seen)

    def tell(line: str) -> None:
        if line and not args.quiet:
            sys.stderr.write(f"{line}\n")

    try:
        address = None if args.broker is None else address_of(args.broker)
        seed = secrets.randbelow(1 << 31) if args.seed is None else args.seed
        wish = Wish(
            args.game, args.rounds, tuple(args.fault), seed, args.speed, address, keep,
            args.shoe_cards,
        )  # fmt: skip
        summary = asyncio.run(perform(wish, show, tell))
    except BadAddress as error:
        raise UserError(str(error), EXIT_USAGE) from None
    except NoBroker as error:
        raise UserError(str(error), EXIT_UNREACHABLE) from None
    if args.json:
        sys.stdout.write(json.dumps(summary.record(), ensure_ascii=False) + "\n")
    else:
        sys.stdout.write("\n".join(summary.lines()) + "\n")
    return EXIT_OK if summary.as_demanded else EXIT_FOUND


def _check(args: argparse.Namespace) -> None:
    """Arguments that cannot be played. Raises UserError."""
    from controller.demo.faults import FAULTS, OF_THE_BROKER

    if args.game not in GAMES:
        raise UserError(f"--game: {args.game!r}; there are: {' '.join(GAMES)}")
    if not args.speed > 0:
        raise UserError("--speed: expected a number above 0")
    # One round in peace before, and one for each fault to strike in.
    least = len(args.fault) + 1
    if not least <= args.rounds <= ROUNDS_MAX:
        raise UserError(f"--rounds: expected {least} to {ROUNDS_MAX} for {len(args.fault)} faults")
    for name in args.fault:
        if name not in FAULTS:
            raise UserError(f"--fault: no {name!r}; there are: {' '.join(FAULTS)}")
        if args.game not in FAULTS[name].games:
            where = " ".join(FAULTS[name].games)
            raise UserError(f"--fault {name}: cannot happen in {args.game}, only in: {where}")
        if name in OF_THE_BROKER and args.broker is not None:
            raise UserError(f"--fault {name}: only a broker of the demo's own has faults")


def _new_directory(wanted: Path) -> Path:
    """`wanted`, made and absolute, as a table's file needs it. Raises UserError."""
    try:
        # Another demo's journal must not be played on: the two would be one record.
        wanted.mkdir(parents=True)
    except OSError as error:
        raise UserError(f"--keep {wanted}: {error.strerror or error}", EXIT_USAGE) from None
    return wanted.resolve()

"""`tablectl rng`: one number as the table draws it, files for a laboratory, and the tests."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError

if TYPE_CHECKING:
    from controller.laboratory.judgement import Judgement
    from controller.laboratory.origins import Origin

COUNT = 1_000_000
SEED = 1
SOURCE_HELP = "auto (default), kernel, or a device such as /dev/hwrng"


def add(parser: argparse.ArgumentParser) -> None:
    """Declare `draw`, `collect` and `test`."""
    verbs = parser.add_subparsers(dest="what", required=True, metavar="draw|collect|test")
    draw = verbs.add_parser("draw", help="one number, by the generator of a table")
    draw.add_argument("--source", default="auto", metavar="S", help=SOURCE_HELP)
    draw.add_argument("--json", action="store_true", help="one JSON object with the source")
    _add_collect(verbs.add_parser(
        "collect", help="raw octets, conditioned octets or numbers into a file",
        description="Raw octets leave the program here alone, in a process that runs no table.",
    ))  # fmt: skip
    _add_test(verbs.add_parser("test", help="fourteen tests, corrected for their number"))


def _add_collect(collect: argparse.ArgumentParser) -> None:
    what = collect.add_mutually_exclusive_group(required=True)
    what.add_argument("--raw", action="store_true", help="octets as the source gives them")
    what.add_argument("--conditioned", action="store_true", help="octets before the scaling")
    what.add_argument("--final", action="store_true", help="numbers as a table draws them")
    collect.add_argument(
        "--count", type=_positive, required=True, metavar="N",
        help="octets of --raw and --conditioned, draws of --final",
    )  # fmt: skip
    collect.add_argument("--out", required=True, metavar="FILE", help="- is standard output")
    collect.add_argument(
        "--form", choices=("octets", "text", "bits"), default="octets",
        help="of --final: octets of 1 to 7 (default); text, a digit a line; bits, three numbers "
        "below 256 of 343 an octet, others passed over",
    )  # fmt: skip
    _add_origin(collect)


def _add_test(test: argparse.ArgumentParser) -> None:
    test.add_argument("file", nargs="?", type=Path, help="octets of 1 to 7, or digits as text")
    test.add_argument("--count", type=_positive, metavar="N", help=f"draws; default {COUNT}")
    test.add_argument(
        "--sequential", action="store_true",
        help="look after 1000, 2000, 4000 ... numbers and stop at the first failure; look k "
        "spends 1/(k(k+1)) of the error of 1 %%",
    )  # fmt: skip
    test.add_argument("--json", action="store_true", help="one JSON object instead of a report")
    test.add_argument("--plot", type=Path, metavar="FILE.png", help="needs the extra `lab`")
    _add_origin(test)


def _add_origin(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--source", default="auto", metavar="S",
        help=f"{SOURCE_HELP}; for numbers also a known fault: control:favoured, control:modulo, "
        "control:stuck, control:repeating",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=SEED, metavar="N", help="of a control; 1")
    parser.add_argument(
        "--whole-blocks", action="store_true",
        help="scale every octet of a block, as a slow source of a million numbers needs",
    )  # fmt: skip


def run(args: argparse.Namespace) -> int:
    """Do it; 1 where a test failed, 2 unusable arguments, 3 a source that cannot be read."""
    if args.what == "draw":
        return _draw(args)
    return _collect(args) if args.what == "collect" else _test(args)


def _draw(args: argparse.Namespace) -> int:
    import asyncio

    from controller.laboratory.one_draw import Failed, draw_once
    from hal.entropy import open_source

    try:
        number, source = asyncio.run(draw_once(lambda: open_source(args.source)))
    except Failed as error:
        raise _out_of_service(error.test, args.source) from None
    record = {"number": number, "source": source}
    sys.stdout.write((json.dumps(record) if args.json else str(number)) + "\n")
    return EXIT_OK


def _collect(args: argparse.Namespace) -> int:
    from controller.laboratory import collecting
    from controller.laboratory.progress import Progress
    from hal.entropy import SourceError, open_source
    from hal.supply import OutOfService, Supply

    told = Progress("collected", args.count).done
    try:
        if args.final:
            with _origin(args) as origin, _opened(args.out) as out:
                collecting.collect_numbers(origin, args.count, args.form, out, told)
                name = origin.name
        elif args.conditioned:
            supply = Supply(lambda: open_source(args.source))
            with contextlib.closing(supply):
                name = supply.start()
                with _opened(args.out) as out:
                    collecting.collect_conditioned(supply, args.count, out, told)
        else:
            with contextlib.closing(open_source(args.source)) as raw, _opened(args.out) as out:
                name = raw.name
                collecting.collect_raw(raw, args.count, out, told)
    except OutOfService as error:
        raise _out_of_service(error.test, args.source) from None
    except SourceError as error:
        raise UserError(f"tablectl rng: {error}", EXIT_UNREACHABLE) from None
    sys.stderr.write(f"collected {args.count} from {name}\n")
    return EXIT_OK


def _test(args: argparse.Namespace) -> int:
    from controller.laboratory.judgement import judge, sequential
    from controller.laboratory.progress import Progress
    from controller.laboratory.report import object_of, text_of
    from hal.supply import OutOfService

    with _origin(args) as origin:
        total = args.count or (COUNT if args.file is None else args.file.stat().st_size)
        progress = Progress("numbers", total)

        def take(count: int) -> bytes:
            taken = bytearray()
            while len(taken) < count:
                piece = origin.take(min(1_000, count - len(taken)))
                if not piece:
                    break
                taken += piece
                progress.done(len(piece))
            return bytes(taken)

        try:
            judgement = sequential(take, total) if args.sequential else judge(take(total))
        except OutOfService as error:
            raise _out_of_service(error.test, origin.name) from None
        if args.json:
            record = object_of(judgement, origin.name, args.sequential)
            sys.stdout.write(json.dumps(record) + "\n")
        else:
            sys.stdout.write(text_of(judgement, origin.name, args.sequential))
        if args.plot is not None:
            _plot(judgement, origin.name, args.plot)
    return EXIT_OK if judgement.passes else EXIT_FOUND


def _plot(judgement: Judgement, source: str, path: Path) -> None:
    from controller.laboratory.plot import NoPlotter, plot

    try:
        plot(judgement, source, path)
    except NoPlotter as error:
        raise UserError(str(error), EXIT_USAGE) from None
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}", EXIT_USAGE) from None


@contextlib.contextmanager
def _origin(args: argparse.Namespace) -> Iterator[Origin]:
    from controller.laboratory.origins import BadSample, FileNumbers, origin_of
    from hal.supply import OutOfService

    try:
        file = getattr(args, "file", None)
        origin = (
            origin_of(args.source, args.seed, args.whole_blocks)
            if file is None
            else FileNumbers(file)
        )
    except OutOfService as error:
        raise _out_of_service(error.test, args.source) from None
    except (ValueError, BadSample) as error:
        raise UserError(f"tablectl rng: {error}", EXIT_USAGE) from None
    except OSError as error:
        raise UserError(f"{error.filename}: {error.strerror}", EXIT_USAGE) from None
    with contextlib.closing(origin):
        yield origin


@contextlib.contextmanager
def _opened(name: str) -> Iterator[BinaryIO]:
    if name == "-":
        yield sys.stdout.buffer
        return
    with contextlib.ExitStack() as stack:
        try:
            out = stack.enter_context(Path(name).open("wb"))
        except OSError as error:
            raise UserError(f"{name}: {error.strerror}", EXIT_USAGE) from None
        yield out


def _out_of_service(test: str, source: str) -> UserError:
    """A failed test of the raw source found something; a source that is silent was not reached."""
    if test == "source":
        return UserError(f"tablectl rng: {source}: cannot be read", EXIT_UNREACHABLE)
    return UserError(f"tablectl rng: {source}: the raw source failed: {test}", EXIT_FOUND)


def _positive(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError("1 or more")
    return value

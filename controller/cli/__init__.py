"""`tablectl`: finds the verb, imports its module only then, and lets no traceback reach a user.

A verb is one module of this package with two functions:

    def add(parser: argparse.ArgumentParser) -> None   # declare its arguments on its own parser
    def run(args: argparse.Namespace) -> int           # do the work, give the exit code

Summary and example stand in `VERBS` below, so that the top help needs no import at all. A verb ends
with a message by raising `controller.errors.UserError`; results go to standard output, everything
else to standard error. `--debug` is accepted anywhere and shows the traceback of an unexpected end.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol, cast

from controller import VERSION
from controller.errors import EXIT_BUG, EXIT_INTERRUPTED, EXIT_OK, EXIT_USAGE, UserError

DEBUG_FLAG = "--debug"


@dataclass(frozen=True, slots=True)
class Verb:
    """One line of the top help and one worked example; `module` is imported when it is used."""

    module: str
    summary: str
    example: str


# The order is that of the help: first what a newcomer tries, then what a technician needs.
VERBS: dict[str, Verb] = {
    "demo": Verb(
        "controller.cli.demo",
        "the whole system on this machine, with simulated devices",
        "tablectl demo --game fortune-asia-poker --rounds 20 --fault shuffler-jam",
    ),
    "run": Verb(
        "controller.cli.run",
        "the daemon of one table",
        "tablectl run --config /etc/table-controller/t-12.toml",
    ),
    "check": Verb(
        "controller.cli.check",
        "validate a table's file; errors as file:line:column: message",
        "tablectl check config/examples/dj-wild.toml",
    ),
    "doctor": Verb(
        "controller.cli.doctor",
        "what is wrong with ports, pins, clock, disk, broker, certificates, and how to mend it",
        "tablectl doctor --config /etc/table-controller/t-12.toml",
    ),
    "replay": Verb(
        "controller.cli.replay",
        "inputs in, events, effects, refusals and outputs out",
        "tablectl replay --game dj-wild tests/scenarios/days/dj-wild.inputs.jsonl",
    ),
    "journal": Verb(
        "controller.cli.journal",
        "show, tail, verify or export a table's journal; make the one-file verifier",
        "tablectl journal verify /var/lib/table-controller/t-12/journal.sqlite",
    ),
    "rules": Verb(
        "controller.cli.rules",
        "every paragraph: enforced how, where, verified or not, tested by what",
        "tablectl rules --game dj-wild --format markdown",
    ),
    "watch": Verb(
        "controller.cli.watch",
        "the events of tables as they happen, for people",
        "tablectl watch --broker mqtt://localhost:1883 --table 't-*'",
    ),
    "send": Verb(
        "controller.cli.send",
        "one command to a table; waits for its answer",
        "tablectl send --broker mqtt://localhost --table t-12 --as rivera order_shuffle reason=wet",
    ),
    "record": Verb(
        "controller.cli.record",
        "the surveillance room's own copy, checked for gaps and against the hash chain",
        "tablectl record --broker mqtt://eye-1@localhost --store room.sqlite --table 't-*'",
    ),
    "monitor": Verb(
        "controller.cli.monitor",
        "a web page of all tables, live, with acknowledgement; for the room's machine",
        "tablectl monitor --broker mqtts://pit@broker.example --as pit",
    ),
    "sim": Verb(
        "controller.cli.sim",
        "a simulated shuffler or shoe on a port; a real line kept and played",
        "tablectl sim shuffler --port /dev/ttyUSB1 --fault bad-crc",
    ),
    "rng": Verb(
        "controller.cli.rng",
        "one number as the table draws it, files for a laboratory, and the tests",
        "tablectl rng test --count 100000 --source kernel",
    ),
    "asyncapi": Verb(
        "controller.cli.asyncapi",
        "the contract of topics, events and commands for machines (AsyncAPI 3)",
        "tablectl asyncapi --message round.voided",
    ),
    "version": Verb(
        "controller.cli.version",
        "version of the program and digests of the game profiles",
        "tablectl version --json",
    ),
}


class _VerbModule(Protocol):
    """What `VERBS` promises of each module."""

    add: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one `tablectl` command line (without the program's name) and give its exit code.

    0 ok, 1 the check found something, 2 usage or configuration, 3 a device or broker could not be
    reached, 70 a bug, 78 a configuration error under `run`, 130 interrupted.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = _take_debug(arguments)
    try:
        code = _dispatch(arguments)
        sys.stdout.flush()
    except UserError as error:
        _say(error.message)
        code = error.exit_code
    except KeyboardInterrupt:
        code = EXIT_INTERRUPTED
    except BrokenPipeError:
        code = _reader_went_away()
    except Exception as error:  # the edge: a person gets one line, not a traceback
        if debug:
            raise
        _say(f"tablectl: unexpected {type(error).__name__}: {error} (--debug shows where)")
        code = EXIT_BUG
    return code


def _dispatch(arguments: list[str]) -> int:
    """Find the verb in the first argument; argparse itself exits on usage errors and `--help`."""
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:2], "--help"]
    if not arguments or arguments[0] in ("-h", "--help"):
        sys.stdout.write(top_help())
        return EXIT_OK if arguments else EXIT_USAGE
    if arguments[0] == "--version":
        sys.stdout.write(f"{VERSION}\n")
        return EXIT_OK
    name, rest = arguments[0], arguments[1:]
    verb = VERBS.get(name)
    if verb is None:
        raise UserError(_unknown(name), EXIT_USAGE)
    module = cast("_VerbModule", import_module(verb.module))
    parser = argparse.ArgumentParser(
        prog=f"tablectl {name}",
        description=f"{verb.summary[0].upper()}{verb.summary[1:]}.",
        epilog=f"example:\n  {verb.example}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.add(parser)
    try:
        args = parser.parse_args(rest)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else EXIT_USAGE
    return module.run(args)


def top_help() -> str:
    """All verbs with their summaries, without importing any of them."""
    width = max(len(name) for name in VERBS)
    lines = [
        "usage: tablectl VERB [ARGUMENT]... [--debug]",
        "",
        "Holds a casino table's shuffling and dealing to 58 Pa. Code and keeps the record.",
        "",
        *(f"  {name:<{width}}  {verb.summary}" for name, verb in VERBS.items()),
        "",
        "tablectl VERB --help explains a verb and gives an example.",
        "",
        "example:",
        f"  {VERBS['demo'].example}",
        "",
    ]
    return "\n".join(lines)


def _unknown(name: str) -> str:
    """The message for a verb that does not exist, with the nearest that does."""
    from difflib import get_close_matches

    near = get_close_matches(name, VERBS, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"tablectl: no verb {name!r}{hint} (tablectl --help lists all)"


def _take_debug(arguments: list[str]) -> bool:
    """Remove `--debug` from before a `--`, wherever it stands."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    found = DEBUG_FLAG in arguments[:end]
    arguments[:end] = [word for word in arguments[:end] if word != DEBUG_FLAG]
    return found


def _say(message: str) -> None:
    """Write to standard error; a closed one is nobody's loss."""
    try:
        sys.stderr.write(f"{message}\n")
        sys.stderr.flush()
    except OSError:
        return


def _reader_went_away() -> int:
    """Standard output was closed (`| head`): end quietly, as Unix tools do."""
    # The interpreter flushes again at exit; a null device keeps that from complaining.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_OK

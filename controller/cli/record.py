"""`tablectl record`: the surveillance room's own copy, checked for gaps and against the chain."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import dataclasses
import random
import re
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway
from controller.cli.broker_options import add_broker, broker_of, level_of, prefix_of
from controller.clock import SystemClock
from controller.core.codec import canonical
from controller.core.stamp import stamp_of
from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE, EXIT_USAGE, UserError
from controller.journal.proof.statement import KEY_FILE_OCTETS_MAX, key_of_text
from controller.recorder.archive import Archive, ArchiveTrouble, Database
from controller.recorder.committer import Remark
from controller.recorder.findings import INTEGRITY_MIN, Finding
from controller.recorder.keys import KeyRing
from controller.recorder.notices import alarm_payload
from controller.recorder.recorder import Recorder, RecorderSettings

# Three reports of health that did not come.
SILENCE_S = 90.0
SILENCE_S_MIN = 5.0
_KEY = re.compile(r"[0-9a-f]{64}")
SERVER = ("postgresql://", "postgres://")


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_broker(parser, required=False)
    parser.add_argument(
        "--store", required=True, metavar="STORE",
        help="file of an SQLite database, or postgresql://user@host/database",
    )  # fmt: skip
    parser.add_argument(
        "--as", dest="principal", metavar="PRINCIPAL",
        help="who the recorder is at the broker and in the rosters (default: the URL's user)",
    )  # fmt: skip
    parser.add_argument(
        "--table", default="*", metavar="GLOB", help="tables to record (default: all)"
    )
    parser.add_argument(
        "--key", action="append", default=[], metavar="TABLE=KEY",
        help="public key of a table: 64 hexadecimal digits, or a file (hex or PEM); "
        "without one the first key that is seen counts, and is noted as such",
    )  # fmt: skip
    parser.add_argument(
        "--silence", type=float, default=SILENCE_S, metavar="SECONDS",
        help="alarm where a table says nothing for so long (default: 90)",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    people = parser.add_argument_group(
        "what a person does about a finding, recorder running or not"
    )
    people.add_argument("--findings", action="store_true", help="show those that are open, and end")
    people.add_argument(
        "--close", type=int, metavar="NUMBER",
        help="close one of severity 4 or 5 in the store; needs --by and --reason",
    )  # fmt: skip
    people.add_argument("--by", default="", metavar="NAME", help="who closes it")
    people.add_argument("--reason", default="", metavar="TEXT", help="why it is closed")


def run(args: argparse.Namespace) -> int:
    """Record until SIGINT or SIGTERM; 1 if a record's integrity is in doubt at the end, 2 unusable
    arguments or file, 3 broker or database server away.

    With `--findings` or `--close` nothing is recorded: 1 if one of severity 4 or 5 is left open.
    """
    if args.findings or args.close is not None:
        return _decide(args)
    if args.broker is None:
        raise UserError("--broker: name the broker to record from", EXIT_USAGE)
    address = broker_of(args)
    settings = settings_of(args, address)
    keys = KeyRing(dict(key_of(text) for text in args.key))
    try:
        return asyncio.run(_record(settings, args.store, keys, Teller(args.json)))
    except ArchiveTrouble as trouble:
        code = EXIT_UNREACHABLE if args.store.startswith(SERVER) else EXIT_USAGE
        raise UserError(f"--store: {trouble}", code) from None
    except BrokerAway as away:
        raise UserError(f"{address.shown}: {away}", EXIT_UNREACHABLE) from None


def _decide(args: argparse.Namespace) -> int:
    """Show the open findings, close one."""
    from controller.recorder.closing import NotToClose, close, findings_of

    teller = Teller(args.json)
    try:
        with contextlib.closing(database_of(args.store, alone=False)) as database:
            if args.close is not None:
                at = stamp_of(SystemClock().wall_ms())
                found = close(database, args.close, at, args.by, args.reason)
                closed_by = f"{args.by}: {args.reason}"
                teller.tell(dataclasses.replace(found, closed_at=at, closed_by=closed_by))
            still_open = findings_of(database)
    except NotToClose as error:
        raise UserError(str(error), EXIT_USAGE) from None
    except ArchiveTrouble as trouble:
        code = EXIT_UNREACHABLE if args.store.startswith(SERVER) else EXIT_USAGE
        raise UserError(f"--store: {trouble}", code) from None
    if args.findings:
        for finding in still_open:
            teller.tell(finding)
    return _verdict(still_open)


def _verdict(still_open: Sequence[Finding]) -> int:
    return EXIT_FOUND if any(one.severity >= INTEGRITY_MIN for one in still_open) else EXIT_OK


def settings_of(args: argparse.Namespace, address: BrokerAddress) -> RecorderSettings:
    """Raises UserError, exit 2."""
    principal = args.principal or address.username
    if principal is None:
        raise UserError(
            "--as: say who the recorder is, as the broker and the rosters know it", EXIT_USAGE
        )
    if not SILENCE_S_MIN <= args.silence <= 86_400:
        raise UserError(f"--silence: from {SILENCE_S_MIN:g} to 86400 seconds", EXIT_USAGE)
    return RecorderSettings(
        address, level_of("--as", principal), prefix_of(args), level_of("--table", args.table),
        args.silence,
    )  # fmt: skip


def key_of(text: str) -> tuple[str, bytes]:
    """Table and public key of `TABLE=KEY`. Raises UserError, exit 2."""
    table, sign, said = text.partition("=")
    if not sign:
        raise UserError(f"--key {text!r}: expected TABLE=KEY", EXIT_USAGE)
    level_of("--key", table)
    try:
        if _KEY.fullmatch(said.strip().lower()):
            return table, key_of_text(said.encode("ascii"))
        with Path(said).open("rb") as file:
            return table, key_of_text(file.read(KEY_FILE_OCTETS_MAX))
    except OSError as error:
        # What was meant as digits may be too long for a name, or hold what none can.
        why = error.strerror
    except ValueError as error:
        why = str(error)
    raise UserError(
        f"--key {table}: 64 hexadecimal digits, or a file with them or a public key in PEM: {why}",
        EXIT_USAGE,
    )


def database_of(store: str, alone: bool = True) -> Database:
    """Open the database that was named; the driver of a server is loaded only for one. Not
    `alone`: beside the recorder that writes there."""
    if store.startswith(SERVER):
        from controller.recorder.postgres_database import PostgresDatabase

        return PostgresDatabase(store, alone)
    from controller.recorder.sqlite_database import SqliteDatabase

    return SqliteDatabase(Path(store), alone)


def _expected_in(group: ExceptionGroup[Exception]) -> Exception:
    """The broker's absence or the copy's trouble, if that alone ended the works; else the group."""
    expected, others = group.split((BrokerAway, ArchiveTrouble))
    if expected is None or others is not None:
        return group
    first = expected.exceptions[0]
    return _expected_in(first) if isinstance(first, ExceptionGroup) else first


async def _record(settings: RecorderSettings, store: str, keys: KeyRing, teller: Teller) -> int:
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stopping.set)
    archive = Archive(lambda: database_of(store))
    try:
        loaded = await archive.load()
        recorder = Recorder(
            settings, archive, loaded, keys, SystemClock(), teller.tell, random.Random()
        )
        for finding in loaded.findings:
            teller.tell(finding)
        try:
            await recorder.run(stopping)
        except ExceptionGroup as group:  # `except*` would put what is raised into a group again
            raise _expected_in(group) from None
    finally:
        await archive.close()
    return _verdict(recorder.examiner.findings.open)


class Teller:
    """Findings to standard output, remarks to standard error."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json

    def tell(self, one: Finding | Remark) -> None:
        """Print it at once."""
        if isinstance(one, Remark):
            stamp = stamp_of(SystemClock().wall_ms())
            sys.stderr.write(f"-- {stamp} {_clean(one.text)}\n")
            sys.stderr.flush()
            return
        if self._as_json:
            members = alarm_payload(one)[1:].decode()
            state = {"finding": one.number, "closed_at": one.closed_at, "closed_by": one.closed_by}
            head = canonical(state)[:-1].decode()
            line = f"{head},{members}"
        else:
            line = self._line(one)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def _line(self, one: Finding) -> str:
        state = f"over since {one.closed_at}" if one.closed_at else f"severity {one.severity}"
        if one.closed_by:
            state = f"closed {one.closed_at} by {one.closed_by}"
        journal = f" journal {one.journal[:8]}" if one.journal else ""
        return _clean(
            f"{one.at} #{one.number} {one.table}{journal} {one.kind} ({state}): {one.text}"
        )


def _clean(text: str) -> str:
    """Without control characters: what a stranger published must not steer the terminal."""
    return "".join(char if char.isprintable() else "?" for char in text[:400])

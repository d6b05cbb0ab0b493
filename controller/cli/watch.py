"""`tablectl watch`: the events of tables as they happen, for people, each once."""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from controller.broker_port import BrokerAway
from controller.cli.broker_options import add_broker, broker_of, client_id, level_of, prefix_of
from controller.cli.paint import COLOURS, clean, is_coloured, members_in_words, painted
from controller.clock import SystemClock
from controller.core.codec import canonical
from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_UNREACHABLE, UserError
from controller.subscriber import Seen, Subscriber


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_broker(parser)
    parser.add_argument(
        "--table", default="*", metavar="GLOB", help="tables to follow (default: all)"
    )
    parser.add_argument("--rule", metavar="TEXT", help="that cite a paragraph, such as 687a.13")
    parser.add_argument("--type", metavar="WORD", help="types that begin so, such as `alarm.`")
    parser.add_argument(
        "--severity", type=int, choices=range(len(COLOURS)), metavar="N",
        help="as grave as N or more: 0 info, 1 notice, 2 dealer acts, 3 floor acts, 4 integrity, "
        "5 tamper",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="one envelope a line")
    parser.add_argument("--count", type=int, metavar="N", help="end after N events that are shown")
    parser.description = (
        f"{parser.description} Lines are coloured by severity on a terminal (NO_COLOR=1 turns it "
        "off). Gaps and breaks of the chain are told whatever the filters say, and end with exit 1."
    )


def run(args: argparse.Namespace) -> int:
    """Follow until interrupted; 1 if the record had a gap or a broken chain, 3 without a broker."""
    return asyncio.run(_watch(args))


async def _watch(args: argparse.Namespace) -> int:
    wish = Wish(args.rule, args.type, args.severity)
    printer = Printer(args.json, is_coloured(sys.stdout), wish)
    enough = asyncio.Event()

    def seen(one: Seen) -> None:
        if args.count is None or printer.shown < args.count:
            printer.show(one)
        if args.count is not None and printer.shown >= args.count:
            enough.set()

    address = broker_of(args)
    subscriber = Subscriber(
        address, client_id("watch"), SystemClock(), seen,
        prefix=prefix_of(args), tables=level_of("--table", args.table),
        status=printer.status, link=printer.link,
    )  # fmt: skip
    following = asyncio.create_task(subscriber.run(random.Random()))
    ending = asyncio.create_task(enough.wait())
    try:
        await asyncio.wait((following, ending), return_when=asyncio.FIRST_COMPLETED)
        if following.done():
            following.result()
    except BrokerAway as away:
        raise UserError(f"{address.shown}: {away}", EXIT_UNREACHABLE) from None
    finally:
        following.cancel()
        ending.cancel()
        await asyncio.gather(following, ending, return_exceptions=True)
    return EXIT_FOUND if subscriber.ledger.problems or subscriber.ledger.missing() else EXIT_OK


@dataclass(frozen=True, slots=True)
class Wish:
    """Which events are shown; all of it must hold, and None asks for nothing."""

    rule: str | None = None
    type: str | None = None
    severity: int | None = None

    def takes(self, envelope: Mapping[str, object]) -> bool:
        """Whether an event is wanted; one without a readable severity is, whatever was asked."""
        if self.rule is not None and self.rule not in str(envelope.get("rule") or ""):
            return False
        if self.type is not None and not str(envelope.get("type")).startswith(self.type):
            return False
        severity = envelope.get("severity")
        return self.severity is None or not isinstance(severity, int) or severity >= self.severity


class Printer:
    """Events to standard output, remarks to standard error; `shown` counts the events."""

    def __init__(self, as_json: bool, coloured: bool, wish: Wish | None = None) -> None:
        self._as_json = as_json
        self._coloured = coloured
        self._wish = wish or Wish()
        self._was_up = False
        self.shown = 0

    def show(self, one: Seen) -> None:
        """Print one event, unless it came before."""
        if one.gap is not None:
            first, last = one.gap
            _remark(f"{one.table}: events {first} to {last} are missing; `replay` asks for them")
        if one.problem is not None:
            _remark(f"{one.table}: event {one.sequence}: {one.problem}")
        if one.envelope is None or one.repeat or not self._wish.takes(one.envelope):
            return
        self.shown += 1
        if self._as_json:
            line = canonical(one.envelope).decode()
        else:
            line = self._line(one.table, one.envelope)
        sys.stdout.write(line + "\n")
        sys.stdout.flush()

    def status(self, table: str, value: dict[str, object]) -> None:
        """Tell that a table came or went."""
        shown = f"{value.get('status')} ({value.get('reason')}), boot {value.get('boot')}"
        _remark(f"{clean(table)}: {clean(shown)}")

    def link(self, up: bool) -> None:
        """Tell that the broker is there, went, or came back."""
        if not up:
            _remark("the broker is away; trying again")
        elif self._was_up:
            _remark("the broker is back; events of the meantime show as a gap")
        else:
            _remark("watching; Ctrl-C ends")
        self._was_up = self._was_up or up

    def _line(self, table: str, envelope: Mapping[str, object]) -> str:
        rule = envelope.get("rule")
        parts = (
            clean(str(envelope.get("time", ""))[11:23]),
            clean(table),
            clean(str(envelope.get("sequence", "")).lstrip("0")).rjust(5),
            clean(str(envelope.get("type", ""))).ljust(24),
            members_in_words(envelope.get("data")),
            f"[{clean(str(rule))}]" if rule else "",
        )
        line = " ".join(part for part in parts if part)
        return painted(line, envelope.get("severity"), self._coloured)


def _remark(text: str) -> None:
    sys.stderr.write(f"-- {text}\n")
    sys.stderr.flush()

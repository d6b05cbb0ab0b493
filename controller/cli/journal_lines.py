"""`journal show` and `journal tail`: the record for people's eyes, and as lines for scripts."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from controller.cli.paint import clean, is_coloured, members_in_words, painted
from controller.core.stamp import BadStamp, milliseconds_of
from controller.errors import EXIT_OK, EXIT_USAGE, UserError
from controller.journal.live import Live
from controller.journal.proof.lines import Loose, line_of
from controller.journal.selection import Selection
from controller.journal.source import Source, open_source

LAST_EVENTS = 20
# A person reads along; a look copies the log, 4 MiB at most.
LOOK_EVERY_S = 1
SEVERITIES = range(6)


def add_filters(parser: argparse.ArgumentParser) -> None:
    """Which events are wanted; all of it must hold."""
    parser.add_argument("--round", type=int, metavar="N", help="of round N")
    parser.add_argument("--irregularity", metavar="ID", help="of one irregularity, such as I1")
    parser.add_argument("--type", metavar="WORD", help="types that begin so, such as `cut.`")
    parser.add_argument("--rule", metavar="TEXT", help="that cite a paragraph, such as 687a.13")
    parser.add_argument(
        "--severity",
        type=int,
        choices=SEVERITIES,
        metavar="N",
        help="as grave as N or more, 0 to 5",
    )
    parser.add_argument("--since", metavar="TIME", help="from this time on, 2026-01-05T18:00:00Z")
    parser.add_argument("--until", metavar="TIME", help="up to this time")


def selection_of(args: argparse.Namespace) -> Selection:
    """What the filters say. Raises UserError."""
    return Selection(
        first=getattr(args, "first", None),
        last=getattr(args, "last", None),
        since=_moment("--since", args.since),
        until=_moment("--until", args.until),
        round=args.round,
        irregularity=args.irregularity,
        type=args.type,
        rule=args.rule,
        severity=args.severity,
    )


def show(path: Path, args: argparse.Namespace) -> int:
    """Everything that is wanted, oldest first."""
    selection = selection_of(args)
    printer = _Printer(args.json)
    with open_source(path) as source:
        if args.all:
            _show_all(source, printer, selection)
        else:
            for _, body in _events(source, (selection.first or 1) - 1):
                envelope = json.loads(body)
                if selection.last is not None and int(envelope["sequence"]) > selection.last:
                    break
                if selection.takes(envelope):
                    printer.event(body, envelope)
    return EXIT_OK


def tail(path: Path, args: argparse.Namespace) -> int:
    """The last ones that are wanted, then those that follow until interrupted."""
    selection = selection_of(args)
    printer = _Printer(args.json)
    last: deque[bytes] = deque(maxlen=max(1, args.n))
    seen = 0
    pause = threading.Event()
    with Live(path) as live:
        with live.look() as source:
            begin = _newest(source) - args.n if selection == Selection() else 0
            for sequence, body in _events(source, begin):
                seen = sequence
                if selection.takes(json.loads(body)):
                    last.append(body)
        for body in last:
            printer.event(body, json.loads(body))
        while not args.no_follow:
            sys.stdout.flush()
            pause.wait(LOOK_EVERY_S)
            with live.look() as source:
                for sequence, body in _events(source, seen):
                    seen = sequence
                    envelope = json.loads(body)
                    if selection.takes(envelope):
                        printer.event(body, envelope)
    return EXIT_OK


def _show_all(source: Source, printer: _Printer, selection: Selection) -> None:
    """Whole turns, inputs and effects too, of which at least one event is wanted; where nothing
    is asked for in particular, all turns."""
    every = selection == Selection()
    for turn in source.turns():
        envelopes = [json.loads(body) for body in turn.events]
        if not every and not any(selection.takes(envelope) for envelope in envelopes):
            continue
        printer.other("input", turn.body)
        for body in turn.effects:
            printer.other("effect", body)
        for body, envelope in zip(turn.events, envelopes, strict=True):
            printer.event(body, envelope)


def _newest(source: Source) -> int:
    """The last sequence of a database; 0 for an export, which is read from its start anyway."""
    if source.connection is None:
        return 0
    (newest,) = source.connection.execute("SELECT max(sequence) FROM events").fetchone()
    return int(newest or 0)


def _events(source: Source, after: int = 0) -> Iterator[tuple[int, bytes]]:
    if source.connection is not None:
        yield from source.connection.execute(
            "SELECT sequence, CAST(body AS BLOB) FROM events WHERE sequence > ? ORDER BY sequence",
            (max(after, source.base.events),),
        )
        return
    for part in source.parts():
        bodies: tuple[bytes, ...] = ()
        if not isinstance(part, Loose):
            bodies = part.turn.events
        elif part.kind == "link":
            bodies = (part.body,)
        for body in bodies:
            sequence = int(json.loads(body)["sequence"])
            if sequence > after:
                yield sequence, body


class _Printer:
    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._coloured = is_coloured(sys.stdout)

    def event(self, body: bytes, envelope: dict[str, object]) -> None:
        if self._as_json:
            sys.stdout.write(line_of("event", body).decode())
            return
        data = envelope.get("data")
        actor = data.get("actor", {}) if isinstance(data, dict) else {}
        who = clean(str(actor.get("id") or actor.get("role") or ""))
        rule = f"  [{clean(str(envelope['rule']))}]" if "rule" in envelope else ""
        words = f"{who}: {members_in_words(data)}{rule}"
        moment, kind = clean(str(envelope["time"])), clean(str(envelope["type"]))
        line = f"{int(str(envelope['sequence'])):>8} {moment} {kind:<24} {words}"
        sys.stdout.write(painted(line, envelope.get("severity"), self._coloured) + "\n")

    def other(self, kind: str, body: bytes) -> None:
        if self._as_json:
            sys.stdout.write(line_of(kind, body).decode())
        else:
            sys.stdout.write(f"  {kind:<7} {body.decode()}\n")


def _moment(option: str, text: str | None) -> int | None:
    if text is None:
        return None
    try:
        return milliseconds_of(text)
    except BadStamp as error:
        raise UserError(f"{option}: {str(error).removeprefix('at: ')}", EXIT_USAGE) from None

"""`tablectl journal`: show, tail, verify or export the record of a table, in use or not."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
import threading
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from controller.errors import EXIT_FOUND, EXIT_OK, EXIT_USAGE, UserError
from controller.journal.source import NoJournal, NoTurn, Source, open_source
from controller.journal.proof.lines import line_of
from controller.journal.turns import StoredTurn
from controller.journal.verify import Report, verify

LAST_EVENTS = 20
# A person reads along; a copy of the log is made at each look, so not more often.
LOOK_EVERY_S = 1


def add(parser: argparse.ArgumentParser) -> None:
    """Declare the four things that can be done with a journal."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    show = actions.add_parser("show", help="events for people, oldest first")
    tail = actions.add_parser("tail", help="the last events, then those that follow")
    check = actions.add_parser("verify", help="check every record; exit 1 at the first wrong one")
    export = actions.add_parser("export", help="inputs, effects and events as JSON Lines")
    for action in (show, tail, check, export):
        action.add_argument("file", type=Path, nargs="?", metavar="FILE", help="the journal")
        action.add_argument("--journal", type=Path, metavar="FILE", help="the same, as an option")
    for action in (show, tail, check):
        action.add_argument("--json", action="store_true", help="one JSON object a line")
    show.add_argument("--first", type=int, default=1, metavar="N", help="from this sequence on")
    show.add_argument("--last", type=int, metavar="N", help="up to this sequence")
    show.add_argument("--type", metavar="WORD", help="only types that begin so, such as `cut.`")
    show.add_argument("--all", action="store_true", help="inputs and effects too")
    tail.add_argument("-n", type=int, default=LAST_EVENTS, metavar="N", help="how many at first")
    tail.add_argument("--no-follow", action="store_true", help="end after these")
    check.add_argument("--key", type=Path, metavar="FILE", help="public key (hex) of checkpoints")
    export.add_argument("--output", type=Path, metavar="FILE", help="instead of standard output")


def run(args: argparse.Namespace) -> int:
    """Exit code of the action. Raises UserError."""
    path: Path | None = args.file or args.journal
    if path is None:
        raise UserError("tablectl journal: name the journal's FILE", EXIT_USAGE)
    actions = {"show": _show, "tail": _tail, "verify": _verify, "export": _export}
    try:
        return actions[args.action](path, args)
    except NoJournal as error:
        raise UserError(str(error), EXIT_USAGE) from None
    except NoTurn as error:
        raise UserError(f"{path}:{error.line}: {error.why}", EXIT_FOUND) from None


def _show(path: Path, args: argparse.Namespace) -> int:
    with open_source(path) as source:
        for turn in source.turns():
            if args.all:
                _print("input", turn.body, args.json)
                for body in turn.effects:
                    _print("effect", body, args.json)
            for body in turn.events:
                event = json.loads(body)
                sequence = int(event["sequence"])
                if args.last is not None and sequence > args.last:
                    return EXIT_OK
                wanted = args.type is None or str(event["type"]).startswith(args.type)
                if sequence >= args.first and wanted:
                    _print("event", body, args.json)
    return EXIT_OK


def _tail(path: Path, args: argparse.Namespace) -> int:
    with open_source(path) as source:
        last = deque(_events(source), maxlen=max(1, args.n))
    for _, body in last:
        _print("event", body, args.json)
    seen = last[-1][0] if last else 0
    pause = threading.Event()
    while not args.no_follow:
        sys.stdout.flush()
        pause.wait(LOOK_EVERY_S)
        with open_source(path) as source:
            for sequence, body in _events(source, seen):
                _print("event", body, args.json)
                seen = sequence
    return EXIT_OK


def _events(source: Source, after: int = 0) -> Iterator[tuple[int, bytes]]:
    if source.connection is not None:
        yield from source.connection.execute(
            "SELECT sequence, CAST(body AS BLOB) FROM events WHERE sequence > ? ORDER BY sequence",
            (after,),
        )
        return
    for turn in source.turns():
        for body in turn.events:
            sequence = int(json.loads(body)["sequence"])
            if sequence > after:
                yield sequence, body


def _verify(path: Path, args: argparse.Namespace) -> int:
    report = verify(path)
    unsigned = _unsigned(path, args.key) if args.key and report.problem is None else 0
    if args.json:
        members = {**dataclasses.asdict(report), "unsigned": unsigned}
        sys.stdout.write(json.dumps(members, ensure_ascii=False) + "\n")
    else:
        sys.stdout.write(_words(path, report))
        if unsigned:
            sys.stdout.write(f"  {unsigned} checkpoints are not signed by the key in {args.key}\n")
    return EXIT_FOUND if report.problem or unsigned else EXIT_OK


def _words(path: Path, report: Report) -> str:
    counts = (
        f"  {report.inputs} inputs, {report.effects} effects, {report.events} events, "
        f"{report.checkpoints} checkpoints, {report.faults} faults\n"
    )
    if report.problem is None:
        return f"{path}: table {report.table}: in order\n{counts}"
    return f"{path}: table {report.table}: {report.problem}\n  before it:{counts[1:]}"


def _unsigned(path: Path, key_file: Path) -> int:
    from controller.journal.seal import checkpoint_is_signed

    try:
        key = bytes.fromhex(key_file.read_text(encoding="ascii").strip())
    except (OSError, ValueError):
        raise UserError(f"{key_file}: not a public key of 64 hexadecimal digits") from None
    with open_source(path) as source:
        bodies = source.checkpoints()
        for turn in source.turns() if source.connection is None else ():
            bodies += turn.checkpoints
    return sum(not checkpoint_is_signed(body, key) for body in bodies)


def _export(path: Path, args: argparse.Namespace) -> int:
    with open_source(path) as source:
        if args.output is None:
            _write_export(source, sys.stdout.buffer)
        else:
            try:
                with args.output.open("xb") as file:
                    _write_export(source, file)
            except FileExistsError:
                raise UserError(f"{args.output}: is there already; nothing was written") from None
            except OSError as error:
                raise UserError(f"{args.output}: {error.strerror}") from None
    return EXIT_OK


def _write_export(source: Source, file: BinaryIO) -> None:
    head = {"journal": {"id": source.journal, "table": source.table_id}}
    file.write(json.dumps(head, separators=(",", ":")).encode() + b"\n")
    checkpoints = {int(json.loads(body)["inputs"]): body for body in source.checkpoints()}
    for turn in source.turns():
        _write_turn(file, turn)
        if turn.number in checkpoints:
            file.write(line_of("checkpoint", checkpoints[turn.number]))


def _write_turn(file: BinaryIO, turn: StoredTurn) -> None:
    file.write(line_of("input", turn.body, turn.outcome))
    for body in turn.effects:
        file.write(line_of("effect", body))
    for body in turn.events:
        file.write(line_of("event", body))
    for body in turn.checkpoints:
        file.write(line_of("checkpoint", body))


def _print(kind: str, body: bytes, as_json: bool) -> None:
    if as_json:
        sys.stdout.write(line_of(kind, body).decode())
        return
    members = json.loads(body)
    if kind != "event":
        sys.stdout.write(f"  {kind:<7} {body.decode()}\n")
        return
    said = members.get("data", {})
    hidden = ("actor", "cause")
    words = " ".join(f"{key}={_short(said[key])}" for key in said if key not in hidden)
    actor = said.get("actor", {})
    who = actor.get("id") or actor.get("role") or ""
    rule = f"  [{members['rule']}]" if "rule" in members else ""
    sequence, moment = int(members["sequence"]), members["time"]
    sys.stdout.write(f"{sequence:>8} {moment} {members['type']:<24} {who}: {words}{rule}\n")


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

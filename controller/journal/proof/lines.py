"""An export, line by line: JSON Lines whose bodies are the journal's own bytes.

{"journal":{…}}     the head: whose record it is, and where it begins
{"input":{…}}       one a turn; `,"outcome":"fault"` after it where the program broke on it
{"effect":{…}}, {"event":{…}}    what the turn brought
{"checkpoint":{…}}  a signed statement about the place where it stands
{"link":{…}}        in a part: an event after the last turn, on the way to the next checkpoint
{"snapshot":{…}}    the state before the first turn, where that is not the journal's first
{"end":{…}}         the last line: how much was written, so that a copy that broke off shows
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from controller.journal.proof.strict import RECORD_OCTETS_MAX
from controller.journal.proof.walk import RECORDS_PER_TURN_MAX
from controller.journal.turns import StoredTurn

# A record, its kind around it, and the end of the line.
LINE_OCTETS_MAX = RECORD_OCTETS_MAX + 64
OF_TURN = ("input", "effect", "event", "checkpoint")
LOOSE = ("link", "snapshot", "document", "end")
_FAULT = b',"outcome":"fault"}'


class NoTurn(ValueError):
    """A line of an export that is none; `line` counts from 1."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


@dataclass(frozen=True, slots=True)
class Loose:
    """A line of no turn: a `checkpoint`, `link`, `snapshot`, `document` or the `end`."""

    kind: str
    body: bytes


def line_of(kind: str, body: bytes, outcome: str = "ok") -> bytes:
    """One line of an export: the body's own bytes under its kind."""
    mark = b"" if outcome == "ok" else b',"outcome":' + json.dumps(outcome).encode()
    return b'{"' + kind.encode() + b'":' + body + mark + b"}\n"


def lines_in(file: BinaryIO) -> Iterator[bytes]:
    """Lines, none longer than one octet more than is lawful, so that memory stays flat."""
    while line := file.readline(LINE_OCTETS_MAX + 1):
        yield line


def parts_of_lines(lines: Iterable[bytes], first: int = 1) -> Iterator[StoredTurn | Loose]:
    """What an export holds after its head; its first turn is input `first`. Raises NoTurn.

    Bodies are cut out of the lines, not written anew: what is verified is what stands there.
    """
    turn: dict[str, list[bytes]] = {}
    outcome = "ok"
    number = first - 1
    for at, line in enumerate(lines, start=2):
        kind, body, said = _line(at, line)
        if kind in OF_TURN[1:] and turn:
            if any(turn[later] for later in OF_TURN[OF_TURN.index(kind) + 1 :]):
                raise NoTurn(at, f"an {kind} stands after what comes of it")
            turn[kind].append(body)
            if len(turn[kind]) > RECORDS_PER_TURN_MAX:
                raise NoTurn(at, f"more than {RECORDS_PER_TURN_MAX} records of one input")
            continue
        if turn:
            yield _turn(number, outcome, turn)
            turn = {}
        if kind == "input":
            turn = {name: [] for name in OF_TURN} | {"input": [body]}
            number, outcome = number + 1, said
        elif kind in (*LOOSE, "checkpoint"):
            yield Loose(kind, body)
        else:
            raise NoTurn(at, f"an {kind} before any input")
    if turn:
        yield _turn(number, outcome, turn)


def turns_of_lines(lines: Iterable[bytes], first: int = 1) -> Iterator[StoredTurn]:
    """The turns alone. Raises NoTurn."""
    return (part for part in parts_of_lines(lines, first) if isinstance(part, StoredTurn))


def _turn(number: int, outcome: str, parts: dict[str, list[bytes]]) -> StoredTurn:
    effects, events = tuple(parts["effect"]), tuple(parts["event"])
    checkpoints = tuple(parts["checkpoint"])
    return StoredTurn(number, outcome, "", parts["input"][0], effects, events, None, checkpoints)


def _line(at: int, line: bytes) -> tuple[str, bytes, str]:
    if len(line) > LINE_OCTETS_MAX:
        raise NoTurn(at, f"longer than {LINE_OCTETS_MAX} octets")
    if not line.endswith(b"\n"):
        raise NoTurn(at, "has no end: the file was cut")
    line = line.rstrip(b"\r\n")
    for kind in (*OF_TURN, *LOOSE):
        head = b'{"' + kind.encode() + b'":'
        if line.startswith(head) and line.endswith(b"}"):
            if kind == "input" and line.endswith(_FAULT):
                return kind, line[len(head) : -len(_FAULT)], "fault"
            return kind, line[len(head) : -1], "ok"
    raise NoTurn(at, "neither an input nor an effect, an event or a checkpoint")

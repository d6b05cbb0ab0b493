"""A day of inputs played without a device, a broker or a clock: lines in, lines out. Pure.

The inputs' own `at` is the only time there is; timers fire when it passes them. The same inputs
give the same bytes, on any machine, at any time.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from controller.core.altered import altered
from controller.core.book import Book
from controller.core.codec import arrived_of_line, canonical
from controller.core.inputs import Arrived, Malformed, TimerFired
from controller.core.outputs import Outputs
from controller.core.stamp import BadStamp, stamp_of
from controller.core.state import TableState
from controller.core.table import new_state, outputs_of, run
from controller.core.view import Turn
from controller.journal.record import Chain, effect_record, seal

JOURNAL = "replay"
# A command over MQTT has 16 KiB; a line of a file may have room for its stamps beside it.
LINE_OCTETS_MAX = 20_480
# 1970, as milliseconds: the time of a first line that has none of its own.
NO_TIME_MS = 0


@dataclass(frozen=True, slots=True)
class BadLine(Exception):
    """A line that is no JSON object: place counted from 1, and what would be right."""

    line: int
    column: int
    message: str


class Day:
    """One table from closed on; `play` takes a line and gives the lines that follow from it."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.state: TableState = new_state(book)
        self.chain = Chain(JOURNAL, book.setup.table_id)
        self.outputs: Outputs = outputs_of(book, self.state)
        self.first_ms: int | None = None
        self.at_ms = NO_TIME_MS

    def play_lines(self, lines: Iterable[bytes]) -> Iterator[bytes]:
        """Every output line of a file of inputs. Raises BadLine."""
        for place, octets in enumerate(lines, 1):
            if octets.strip():
                yield from self.play(members_of(octets, place))

    def play(self, members: dict[str, object]) -> Iterator[bytes]:
        """The lines of one input, those of timers that fall due before it first."""
        arrived = self._arrived(members)
        yield from self._timers_until(arrived.mono_ms)
        claimed = members.get("from")
        source = claimed[:32] if isinstance(claimed, str) else arrived.source
        number = self.chain.inputs + 1
        yield from self._turn(altered(arrived, number=number), source)

    def _arrived(self, members: dict[str, object]) -> Arrived:
        try:
            arrived = arrived_of_line(dict(members), 0, 0, 0)
        except BadStamp as problem:
            timed = {**members, "at": stamp_of(self.at_ms)}
            arrived = arrived_of_line(timed, 0, 0, 0)
            item = Malformed(str(members.get("type", ""))[:32], str(problem))
            arrived = altered(arrived, item=item)
        if self.first_ms is None:
            self.first_ms = arrived.at_ms
        self.at_ms = arrived.at_ms
        # The wall clock of a file may step back; monotonic time never does.
        mono_ms = max(self.state.last_mono_ms, arrived.at_ms - self.first_ms)
        return altered(arrived, mono_ms=mono_ms)

    def _timers_until(self, mono_ms: int) -> Iterator[bytes]:
        while self.state.timers:
            name, due = min(self.state.timers.items(), key=lambda timer: (timer[1], timer[0]))
            if due > mono_ms:
                return
            at_ms = (self.first_ms or 0) + due
            number = self.chain.inputs + 1
            fired = Arrived(number, at_ms, due, 0, False, "clock", None, TimerFired(name))
            yield from self._turn(fired, "clock")

    def _turn(self, arrived: Arrived, source: str) -> Iterator[bytes]:
        turn = run(self.book, self.state, arrived)
        sealed = seal(self.chain, arrived, turn.events, turn.effects)
        self.state, self.chain = turn.state, sealed.chain
        for event in sealed.events:
            yield b'{"event":' + event.body + b"}"
            if event.type == "input.refused":
                yield canonical({"refused": _refused(turn, source)})
        for effect in turn.effects:
            yield canonical({"effect": effect_record(effect)})
        yield from self._changes()

    def _changes(self) -> Iterator[bytes]:
        outputs = outputs_of(self.book, self.state)
        for member in dataclasses.fields(Outputs):
            value = getattr(outputs, member.name)
            if value != getattr(self.outputs, member.name):
                yield canonical({"output": {"name": member.name, "value": value}})
        self.outputs = outputs


def _refused(turn: Turn, source: str) -> dict[str, object]:
    assert turn.refusal is not None, "the event says that it was refused"
    item = turn.arrived.item
    name = item.claimed if isinstance(item, Malformed) else getattr(item, "TYPE", "")
    return {
        "at": stamp_of(turn.arrived.at_ms),
        "from": source,
        "by": turn.arrived.by,
        "type": name,
        "rule": turn.refusal.rule,
        "reason": turn.refusal.reason,
    }


def members_of(octets: bytes, place: int) -> dict[str, object]:
    """The members of one line. Raises BadLine where it is no JSON object."""
    if len(octets) > LINE_OCTETS_MAX:
        raise BadLine(place, LINE_OCTETS_MAX, f"longer than {LINE_OCTETS_MAX} bytes")
    try:
        # A line's own end is no part of it, or a mistake at its end would have a wrong column.
        text = octets.rstrip(b"\r\n").decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadLine(place, error.start + 1, "not UTF-8") from None
    try:
        value = json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise BadLine(place, error.pos + 1, f"not JSON: {error.msg}") from None
    except RecursionError:
        raise BadLine(place, 1, "nested too deeply; an input is one flat object") from None
    except ValueError as error:
        raise BadLine(place, 1, f"not an input: {error}") from None
    if not isinstance(value, dict):
        raise BadLine(place, 1, 'expected an object such as {"at":…,"from":…,"type":…}')
    return value


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a member is given twice")
    return members


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")

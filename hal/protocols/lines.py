"""Devices that print lines of text: which line states which facts, as a driver file says. Pure.

A text device numbers nothing and repeats nothing, so its events are numbered here, under a boot
that is new at each start: what it said while nobody listened is not known.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from hal import facts
from hal.member_types import DeviceName
from hal.protocols.members import NotUnderstood, readers_of
from hal.protocols.message import NUMBERS, Beat, Driver, Event, Hello, Junk, Message
from hal.protocols.template import Field, Template

TOO_LONG: Final = "too_long"
BROKEN_OFF: Final = "broken_off"
UNPRINTABLE: Final = "unprintable"
UNKNOWN: Final = "unknown_line"
UNKNOWN_WORD: Final = "unknown_word"

Encoding = Literal["ascii", "latin-1", "utf-8"]
Ending = Literal["CR LF", "LF", "CR"]
# What is a level, not an event: a device that is asked for it says it again and again.
LEVELS: Final = (facts.Lamp, facts.Door, facts.Lid, facts.Mode, facts.Power)
ENDINGS: Final[Mapping[Ending, bytes]] = {"CR LF": b"\r\n", "LF": b"\n", "CR": b"\r"}


@dataclass(frozen=True, slots=True)
class FactRule:
    """One fact of a line: member -> text and fields that make its value, joined."""

    fact: type
    values: Mapping[str, tuple[str | Field, ...]]


@dataclass(frozen=True, slots=True)
class LineRule:
    """One line and what it states; `words` translate a field's text, and know no other."""

    template: Template
    facts: tuple[FactRule, ...] = ()
    words: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LineTalk:
    """How one kind of device talks. Times are milliseconds; lines of the host have no ending here.

    `silence_ms`: no line that is understood for so long means that the device is not heard.
    """

    device: DeviceName
    rules: tuple[LineRule, ...]
    baud: int
    ending: Ending
    encoding: Encoding
    line_octets_max: int
    silence_ms: int
    at_open: tuple[str, ...] = ()
    poll: str | None = None
    poll_ms: int | None = None
    lock: str | None = None
    unlock: str | None = None
    digest: str = ""


class Decoder:
    """Octets of one device to messages, under `boot` (0..65535)."""

    def __init__(self, talk: LineTalk, boot: int) -> None:
        self._talk = talk
        self._boot = boot
        self._seq = 0
        self._cycle = 0
        self._levels: dict[type, object] = {}
        self._end = ENDINGS[talk.ending]
        self._held = b""
        # Octets of a line that is too long already, whose end has not come.
        self._lost = 0

    @property
    def held_octets(self) -> int:
        """How much is half read: never more than one line."""
        return len(self._held)

    def feed(self, chunk: bytes) -> list[Message]:
        """Messages of the lines that this chunk completed. Never raises, whatever the octets."""
        messages: list[Message] = []
        *lines, rest = (self._held + chunk).split(self._end)
        for line in lines:
            messages += self._line(line)
        self._hold(rest)
        return messages

    def line_idle(self) -> list[Message]:
        """Give up a half read line: its sender fell silent in the middle of it."""
        octets, reason = len(self._held) + self._lost, TOO_LONG if self._lost else BROKEN_OFF
        self._held, self._lost = b"", 0
        return [Junk(octets, reason)] if octets else []

    def _hold(self, rest: bytes) -> None:
        """Keep the beginning of a line; of one that is too long only how long it is."""
        if self._lost or len(rest) > self._talk.line_octets_max + len(self._end) - 1:
            # Half an ending must not be lost with it.
            kept = rest[-1:] if self._end.startswith(rest[-1:]) and rest[-1:] != self._end else b""
            self._lost += len(rest) - len(kept)
            rest = kept
        self._held = rest

    def _line(self, octets: bytes) -> list[Message]:
        if self._lost or len(octets) > self._talk.line_octets_max:
            lost, self._lost = self._lost + len(octets), 0
            return [Junk(lost, TOO_LONG)]
        try:
            text = octets.decode(self._talk.encoding)
        except UnicodeDecodeError:
            return [Junk(len(octets), UNPRINTABLE)]
        if not text.strip(" "):
            return []
        if not text.isprintable():
            return [Junk(len(octets), UNPRINTABLE)]
        try:
            return self._said(text)
        except NotUnderstood as problem:
            return [Junk(len(octets), problem.reason)]

    def _said(self, text: str) -> list[Message]:
        for rule in self._talk.rules:
            found = rule.template.match(text)
            if found is not None:
                break
        else:
            raise NotUnderstood(UNKNOWN)
        values = {name: _translated(rule, name, value) for name, value in found.items()}
        # All facts of a line or none: what is half understood is not.
        stated = [self._fact(one, values) for one in rule.facts]
        news = [fact for fact in stated if self._is_news(fact)]
        return [*map(self._message, news), Beat(self._boot, self._seq)]

    def _is_news(self, fact: object) -> bool:
        kind = type(fact)
        if kind not in LEVELS:
            return True
        before, self._levels[kind] = self._levels.get(kind), fact
        return fact != before

    def _fact(self, rule: FactRule, values: Mapping[str, str]) -> object:
        readers = readers_of(rule.fact)
        members: dict[str, object] = {}
        for member, parts in rule.values.items():
            read, _ = readers[member]
            members[member] = read("".join(
                values[part.name] if isinstance(part, Field) else part for part in parts
            ))  # fmt: skip
        if rule.fact is facts.Identity:
            # The file decides what the device's words mean: who approves one needs the other.
            members = {**_NOBODY, **members, "digest": self._talk.digest}
        if rule.fact is facts.CycleStarted:
            self._cycle += 1
        if "cycle" in readers and "cycle" not in members:
            members["cycle"] = self._cycle
        return rule.fact(**members)

    def _message(self, fact: object) -> Message:
        if isinstance(fact, facts.Identity):
            return Hello(self._boot, self._seq, fact)
        event = Event(self._boot, self._seq, fact)
        self._seq = (self._seq + 1) % NUMBERS
        return event


_NOBODY: Final = {"make": "", "model": "", "serial": "", "firmware": ""}


def _translated(rule: LineRule, name: str, value: str) -> str:
    words = rule.words.get(name)
    if words is None:
        return value
    if value not in words:
        raise NotUnderstood(UNKNOWN_WORD)
    return words[value]


class Encoder:
    """What the host may say to such a device; it waits for no acknowledgement."""

    def __init__(self, talk: LineTalk) -> None:
        self._talk = talk

    def acknowledge(self, boot: int, seq: int) -> bytes:
        """Nothing: a text device repeats nothing."""
        return b""

    def hold_locked(self, locked: bool) -> bytes:
        """The line that locks or unlocks, where there is one."""
        return self._octets(self._talk.lock if locked else self._talk.unlock)

    def ask_status(self) -> bytes:
        """What is said when the port opens, and the question."""
        lines = (*self._talk.at_open, self._talk.poll)
        return b"".join(map(self._octets, lines))

    def question(self) -> bytes:
        """What is asked again and again."""
        return self._octets(self._talk.poll)

    def _octets(self, line: str | None) -> bytes:
        if line is None:
            return b""
        return line.encode(self._talk.encoding) + ENDINGS[self._talk.ending]


def driver_of(talk: LineTalk, boot: int) -> Driver:
    """The driver of a device that talks so; `boot` (0..65535) is another one at each start."""
    encoder = Encoder(talk)
    return Driver(
        talk.line_octets_max + len(ENDINGS[talk.ending]),
        lambda device: Decoder(talk, boot),
        lambda own_boot: encoder,
        silence_ms_max=talk.silence_ms,
        poll=encoder.question(),
        poll_ms=talk.poll_ms,
    )

"""Which records a person wants: a time, a round, an irregularity, a rule, how grave."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from controller.core.stamp import milliseconds_of, stamp_of
from controller.journal.source import Source
from controller.journal.turns import StoredTurn


@dataclass(frozen=True, slots=True)
class Selection:
    """What an event must be; None where it may be anything.

    Times are milliseconds since 1970, both included; `first` and `last` sequences; `type` the
    beginning of a name; `rule` a part of a citation; `severity` the least.
    """

    first: int | None = None
    last: int | None = None
    since: int | None = None
    until: int | None = None
    round: int | None = None
    irregularity: str | None = None
    type: str | None = None
    rule: str | None = None
    severity: int | None = None

    def takes(self, envelope: Mapping[str, Any]) -> bool:
        """Whether this event is meant."""
        data = envelope.get("data", {})
        sequence = int(envelope["sequence"])
        return (
            (self.first is None or sequence >= self.first)
            and (self.last is None or sequence <= self.last)
            and (self.round is None or data.get("round") == self.round)
            and self.irregularity in (None, data.get("irregularity"))
            and (self.type is None or str(envelope["type"]).startswith(self.type))
            and (self.rule is None or self.rule in str(envelope.get("rule", "")))
            and (self.severity is None or int(envelope["severity"]) >= self.severity)
            and self._in_time(envelope)
        )

    def words(self) -> str:
        """`round 7`, `since 2026-01-05T18:00:02.000Z`: as a head and a message name it."""
        said = {one.name: getattr(self, one.name) for one in fields(self)}
        for name in ("since", "until"):
            if said[name] is not None:
                said[name] = stamp_of(said[name])
        return " ".join(f"{name} {value}" for name, value in said.items() if value is not None)

    def _in_time(self, envelope: Mapping[str, Any]) -> bool:
        if self.since is None and self.until is None:
            return True
        at = milliseconds_of(envelope["time"])
        return (self.since is None or at >= self.since) and (self.until is None or at <= self.until)


@dataclass(slots=True)
class Stretch:
    """Turns from `first` to `last`; `software` is what the last start before them said of itself:
    version and digests of program and profile."""

    first: int
    last: int
    software: dict[str, object] | None = None


def stretch_of(source: Source, selection: Selection) -> Stretch | None:
    """The shortest run of turns that holds every selected event, and for an irregularity the whole
    rounds that it touches; ends with an event. None where nothing is selected."""
    found: Stretch | None = None
    rounds: dict[object, Stretch] = {}
    touched: set[object] = set()
    software = None
    for turn in source.turns():
        software = _software(turn) or software
        for body in turn.events:
            envelope = json.loads(body)
            number = envelope["data"].get("round")
            _take(rounds.setdefault(number, Stretch(turn.number, turn.number, software)), turn)
            if not selection.takes(envelope):
                continue
            touched.add(number)
            found = found or Stretch(turn.number, turn.number, software)
            _take(found, turn)
    if found is None:
        return None
    if selection.irregularity is not None:
        for number in touched - {None}:
            one = rounds[number]
            if one.first < found.first:
                found.first, found.software = one.first, one.software
            found.last = max(found.last, one.last)
    return found


def _take(stretch: Stretch, turn: StoredTurn) -> None:
    stretch.last = max(stretch.last, turn.number)


def _software(turn: StoredTurn) -> dict[str, object] | None:
    if b'"type":"started"' not in turn.body:
        return None
    said = json.loads(turn.body)
    if (said.get("from"), said.get("type")) != ("system", "started"):
        return None
    names = ("version", "digest", "profile_digest", "book", "build", "at")
    return {name: said[name] for name in names if name in said}

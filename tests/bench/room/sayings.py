"""What a table of the bench says: events of a real day in a chain of its own, and its levels. Pure.

The events are those that the rules give for a game's worked day, sealed anew by the journal's own
code under the table's name and with the bench's times, so that a subscriber finds nothing wrong.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache

from config.profiles import profile_document
from controller.core.events import Event
from controller.core.inputs import Arrived, Done
from controller.core.outputs import Outputs
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.day import Day
from controller.games import book_of
from controller.journal.record import Chain, seal
from controller.messages import (
    EVENT_CONTENT,
    LEVEL_CONTENT,
    Birth,
    Outgoing,
    Topics,
    health_message,
    level_message,
    levels_of,
    status_message,
)
from tests.bench.room.wire import rest_of, topic_of
from tests.controller.monitor.hall import DAYS, GAMES, HEALTH

BOOT = 1
PRINCIPAL = "surveillance"


@dataclass(frozen=True, slots=True)
class Sample:
    """One game: the events of its day, and the fullest of what its table shows on it."""

    events: tuple[Event, ...]
    outputs: Outputs


@cache
def sample_of(game: str) -> Sample:
    """A day played by the rules."""
    day = Day(book_of(DEFAULTS[game], profile_of(profile_document(game)[0])))
    events: list[Event] = []
    outputs = day.outputs
    for text in (DAYS / f"{game}.inputs.jsonl").read_text(encoding="utf-8").splitlines():
        for line in day.play(json.loads(text)):
            envelope = json.loads(line).get("event")
            if envelope is not None:
                events.append(_event_of(envelope))
        outputs = max(outputs, day.outputs, key=_octets_of)
    return Sample(tuple(events), outputs)


def _octets_of(outputs: Outputs) -> int:
    return sum(map(len, levels_of(Topics("tables", "t-0"), outputs, 0).values()))


def _event_of(envelope: dict[str, object]) -> Event:
    data = envelope["data"]
    assert isinstance(data, dict)
    actor = data["actor"]
    return Event(
        str(envelope["type"]),
        {name: value for name, value in data.items() if name not in ("actor", "cause")},
        str(envelope["rule"]) if "rule" in envelope else None,
        int(str(envelope["severity"])),
        str(envelope["subject"]),
        (str(actor["role"]), actor["id"]),
    )


@dataclass(frozen=True, slots=True)
class Said:
    """One publication, ready but for its number."""

    sequence: int
    head: bytes
    tail: bytes


class Sayings:
    """Of table `t-<number>`; the games in turn."""

    def __init__(self, number: int, life: str) -> None:
        """`life` tells the journals of two runs apart."""
        self.name = f"t-{number}"
        self._sample = sample_of(GAMES[number % len(GAMES)])
        self._topics = Topics("tables", self.name)
        self._chain = Chain(f"{life}-{number}", self.name)
        self._heads: dict[str, bytes] = {}
        state, body = self._level()
        self._state_head = topic_of(state)
        before, _, after = body.partition(b'"sequence":0')
        self._state_body = (before + b'"sequence":', after)

    @property
    def commands(self) -> str:
        """The filter of what it is told."""
        return self._topics.commands

    @property
    def sequence(self) -> int:
        """Of its last event."""
        return self._chain.sequence

    def birth(self) -> list[Outgoing]:
        """Status, health and state, as at a start."""
        birth = Birth(self.name, self._chain.journal, BOOT, "1.0", "d", "p")
        return [
            status_message(self._topics, birth, 1, "running"),
            self.health(),
            level_message(*self._level()),
        ]

    def health(self) -> Outgoing:
        """That all is well."""
        return health_message(self._topics, HEALTH)

    def next_event(self, at_ms: int) -> Said:
        """The next event, as of `at_ms`; never of a time before the last one."""
        events = self._sample.events
        event = events[self._chain.sequence % len(events)]
        number = self._chain.inputs + 1
        arrived = Arrived(number, at_ms, at_ms, BOOT, True, "dealer", "d1", Done())
        turn = seal(self._chain, arrived, (event,), ())
        self._chain = turn.chain
        head = self._heads.get(event.type)
        if head is None:
            head = self._heads[event.type] = topic_of(self._topics.event(event.type))
        return Said(turn.chain.sequence, head, rest_of(EVENT_CONTENT, turn.events[0].body))

    def state(self, sequence: int) -> Said:
        """The level `state` after an event."""
        before, after = self._state_body
        body = before + str(sequence).encode() + after
        return Said(sequence, self._state_head, rest_of(LEVEL_CONTENT, body))

    def answer(self, command: bytes) -> Said:
        """To a command of PRINCIPAL, such as a confirmation: taken."""
        answer = {"id": json.loads(command)["id"], "result": "accepted", "sequences": []}
        topic = topic_of(self._topics.below("replies", PRINCIPAL))
        return Said(0, topic, rest_of(LEVEL_CONTENT, json.dumps(answer).encode()))

    def _level(self) -> tuple[str, bytes]:
        state = self._topics.below("state")
        return state, levels_of(self._topics, self._sample.outputs, 0)[state]

"""One table as the room knows it, and what the wall and the page of one table show of it. Pure."""

from __future__ import annotations

import json
from collections import deque
from dataclasses import dataclass, field

from controller.core.codec import canonical
from controller.core.stamp import stamp_of
from controller.messages import Json
from controller.monitor.reading import (
    Members,
    items_of,
    members_of,
    severity_of,
    text_of,
    texts_of,
    whole_of,
    words_of,
)

# Some five rounds: what an operator scrolls back to; the record has the whole.
EVENTS_KEPT_MAX = 200
# From this severity on a floorperson has to come (interfaces, section 3).
FLOOR_ACTS = 3
DEALER_ACTS = 2
# The year 9998, the last that a stamp may name.
STAMP_MS_MAX = 253_300_000_000_000
NOTICE = 1
# Bookkeeping of an event that a person need not read.
HIDDEN = frozenset(("cause", "actor"))


@dataclass(slots=True)
class Tile:
    """`version` grows with each change; `silent` is set by whoever has the clock. `heard_ms` is 0
    until the table itself said something: what a broker kept is no sign of life. `events` are
    kept as JSON: two thousand timelines of objects take five times the memory, and a second of
    the garbage collector now and then."""

    table: str
    known_ms: int
    heard_ms: int = 0
    version: int = 1
    silent: bool = False
    status: Members = field(default_factory=dict)
    state: Members = field(default_factory=dict)
    health: Members = field(default_factory=dict)
    events: deque[bytes] = field(default_factory=lambda: deque(maxlen=EVENTS_KEPT_MAX))
    last: dict[str, Json] | None = None
    missing_events: int = 0
    problem: str = ""

    def take_event(self, envelope: Members) -> None:
        """Keep one event for the timeline; the oldest one goes."""
        data = members_of(envelope.get("data"))
        actor = members_of(data.get("actor"))
        members: list[Json] = [
            [name, words_of(value)] for name, value in data.items() if name not in HIDDEN
        ]
        self.last = {
            "time": text_of(envelope.get("time"), 32),
            "type": text_of(envelope.get("type"), 64),
            "severity": severity_of(envelope.get("severity")),
        }
        self.events.append(
            canonical(
                {
                    **self.last,
                    "sequence": text_of(envelope.get("sequence"), 16).lstrip("0"),
                    "rule": text_of(envelope.get("rule")),
                    "by": text_of(actor.get("id"), 64),
                    "data": members,
                }
            )
        )


def summary_of(tile: Tile) -> dict[str, Json]:
    """What the wall shows of a table: enough to see from across a room who is needed where."""
    state = tile.state
    play = members_of(state.get("round"))
    word, severity = standing_of(tile)
    prompt = members_of(state.get("prompt"))
    return {
        "table": tile.table,
        "word": word,
        "severity": severity,
        "stale": _is_stale(tile),
        "game": text_of(state.get("game"), 64),
        "phase": text_of(state.get("phase"), 32),
        "round": whole_of(play.get("number")),
        "number": text_of(state.get("digit"), 1).strip(),
        "lamps": _lamps(state),
        "who": text_of(prompt.get("who"), 32),
        "prompt": text_of(prompt.get("text")),
        "locks": [list[Json]((step, list[Json](rules))) for step, rules in _locks(state)],
        "alarms": alarms_of(tile),
        "devices": [list[Json](pair) for pair in _device_words(state)],
        "concerns": list[Json](concerns_of(tile)),
        "last": tile.last,
        "heard_ms": tile.heard_ms,
    }


def detail_of(tile: Tile) -> dict[str, Json]:
    """What the page of one table shows beside its summary."""
    state = tile.state
    prompt = members_of(state.get("prompt"))
    start = members_of(members_of(state.get("round")).get("start"))
    return {
        **summary_of(tile),
        "rule": text_of(prompt.get("rule")),
        "since": text_of(prompt.get("since"), 32),
        "dealer": text_of(state.get("dealer"), 64),
        "start": _pairs(start),
        "holds": [_pairs(members_of(one)) for one in items_of(state.get("holds"))],
        "void": _pairs(members_of(state.get("void"))),
        "things": [
            {"name": name, "members": _pairs(members_of(members))}
            for name, members in members_of(state.get("devices")).items()
        ],
        "methods": _pairs(members_of(state.get("methods"))),
        "load": _pairs(members_of(state.get("alarm_load"))),
        "health": _pairs(tile.health),
        "status": _pairs(tile.status),
        "events": [json.loads(one) for one in tile.events],
    }


def standing_of(tile: Tile) -> tuple[str, int]:
    """How the table stands in one word, and how much it asks for a person (a severity)."""
    worst = max((severity_of(one["severity"]) for one in _waiting(tile)), default=0)
    if tile.status.get("status") == "offline":
        stopped = tile.status.get("reason") == "stopped"
        return ("stopped", NOTICE) if stopped else ("lost", FLOOR_ACTS)
    if tile.silent:
        return "silent", FLOOR_ACTS
    if not tile.state:
        return "unknown", NOTICE
    if worst >= FLOOR_ACTS:
        return "alarm", worst
    if members_of(tile.state.get("void")):
        return "void", FLOOR_ACTS
    if items_of(tile.state.get("holds")):
        return "hold", FLOOR_ACTS
    if worst == DEALER_ACTS:
        return "alarm", worst
    return text_of(tile.state.get("phase"), 32) or "unknown", 0


def alarms_of(tile: Tile) -> list[Json]:
    """The open alarms, the worst and oldest first."""
    alarms: list[dict[str, Json]] = []
    for name, value in members_of(tile.state.get("alarms")).items():
        members = members_of(value)
        alarms.append(
            {
                "alarm": name,
                "code": text_of(members.get("code"), 64),
                "severity": severity_of(members.get("severity")),
                "text": text_of(members.get("text")),
                "since": text_of(members.get("since"), 32),
                "level": text_of(members.get("level"), 32),
                "rule": text_of(members.get("rule")),
                "by": text_of(members.get("acknowledged_by"), 64),
                "repeats": whole_of(members.get("repeats")) or 0,
                "live": members.get("live") is True,
                "chattering": members.get("chattering") is True,
            }
        )
    alarms.sort(key=_worst_first)
    return list[Json](alarms)


def concerns_of(tile: Tile) -> list[str]:
    """What is wrong with board, record and line, in words; empty where nothing is."""
    health = tile.health
    concerns = []
    if members_of(health.get("clock")).get("synchronised") is False:
        concerns.append("clock not synchronised")
    if members_of(health.get("storage")).get("writable") is False:
        concerns.append("storage not writable")
    if tile.state.get("recording") is False:
        concerns.append("not recording")
    if members_of(health.get("outbox")).get("refusing") is True:
        concerns.append("broker refuses its events")
    if members_of(tile.state.get("alarm_load")).get("flood") is True:
        concerns.append("alarm flood")
    if tile.missing_events:
        concerns.append(f"{tile.missing_events} events not seen here")
    if tile.problem:
        concerns.append(tile.problem)
    return concerns


def _worst_first(alarm: dict[str, Json]) -> tuple[bool, int, str]:
    return bool(alarm["by"]), -severity_of(alarm["severity"]), str(alarm["since"])


def _waiting(tile: Tile) -> list[dict[str, object]]:
    """The alarms that nobody has acknowledged."""
    alarms = (members_of(one) for one in members_of(tile.state.get("alarms")).values())
    return [{"severity": one.get("severity")} for one in alarms if not one.get("acknowledged_by")]


def _is_stale(tile: Tile) -> bool:
    return tile.silent or not tile.state or tile.status.get("status") != "online"


def _lamps(state: Members) -> dict[str, Json]:
    lamps = members_of(state.get("lamps"))
    return {name: text_of(lamps.get(name), 8) for name in ("red", "amber", "green")}


def _locks(state: Members) -> list[tuple[str, list[str]]]:
    return [(step, texts_of(rules)) for step, rules in members_of(state.get("locks")).items()]


def _device_words(state: Members) -> list[tuple[str, str]]:
    """Each device with the one word that matters most of it."""
    words = []
    for name, value in members_of(state.get("devices")).items():
        members = members_of(value)
        if members.get("in_service") is False:
            word = "out of service"
        elif members.get("display_ok") is False:
            word = "display fault"
        elif members.get("link") == "down":
            word = "link down"
        elif members.get("jammed") is True:
            word = "jammed"
        else:
            word = text_of(members.get("state"), 16) or "ok"
        words.append((name, word))
    return words


def _pairs(members: Members) -> list[Json]:
    """Name and value, as texts, of an object of one or two storeys."""
    pairs: list[Json] = []
    for name, value in members_of(dict(members)).items():
        if isinstance(value, dict):
            inner = members_of(value).items()
            pairs += [[f"{name} {under}", words_of(one)] for under, one in inner]
        elif value not in (None, [], ""):
            pairs.append(_pair(name, value))
    return pairs


def _pair(name: str, value: object) -> Json:
    if isinstance(value, list):
        return [name, ", ".join(words_of(one) for one in items_of(value))]
    at_ms = whole_of(value)
    if name.endswith("since_ms") and at_ms is not None and 0 <= at_ms <= STAMP_MS_MAX:
        return [name.removesuffix("_ms"), stamp_of(at_ms)]
    return [name, words_of(value)]

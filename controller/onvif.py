"""Alarms and irregularities as video systems read them: ONVIF's event JSON over MQTT. Pure.

ONVIF Core Specification (25.12), "Event Broker": topic `<prefix>/onvif-ej/<topic>/&<source>`, and
a payload of `UtcTime`, `Source`, `Data`, in this order, each value a text. Made of the sealed event
alone, so that the same event gives the same bytes whenever it is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from controller.core.stamp import milliseconds_of, stamp_of
from controller.messages import LEVEL_CONTENT, Json, Outgoing, Topics

# The payload that the standard calls "ONVIF event with JSON payload".
PAYLOAD_PREFIX = "onvif-ej"
# Topics of ours are in no namespace of ONVIF's; the standard has such an alias stand before them.
ALIAS = "tablecontroller"
# The two hands that lead to a stack and what was done about it, seen by a person who looks.
BOOKMARK_BEFORE_S = 30
BOOKMARK_AFTER_S = 30
SECOND_MS = 1000

# Event type -> the topic in the alias.
KINDS: dict[str, str] = {
    "alarm.raised": "Alarm/Raised",
    "alarm.escalated": "Alarm/Escalated",
    "alarm.acknowledged": "Alarm/Acknowledged",
    "alarm.cleared": "Alarm/Cleared",
    "irregularity.raised": "Irregularity/Raised",
    "irregularity.withdrawn": "Irregularity/Withdrawn",
}
# Member of the event's data -> its name there.
NAMES: dict[str, str] = {
    "alarm": "Alarm",
    "irregularity": "Irregularity",
    "code": "Code",
    "outcome": "Outcome",
    "reason": "Text",
    "to": "Level",
    "note": "Note",
    "round": "Round",
    "shoe": "Shoe",
}


@dataclass(frozen=True, slots=True)
class OnvifLetters:
    """Makes the publication of each event that concerns a video system."""

    topics: Topics

    def __call__(self, event_type: str, body: bytes, historical: bool) -> Outgoing | None:
        """The publication of an event as it was sealed; None where it is none of KINDS."""
        if event_type not in KINDS:
            return None
        event: Mapping[str, Json] = json.loads(body)
        payload = json.dumps(
            payload_of(self.topics.table_id, event), ensure_ascii=False, separators=(",", ":")
        )
        topic = topic_of(self.topics, event_type)
        return Outgoing(topic, payload.encode(), content=LEVEL_CONTENT, historical=historical)


def topic_of(topics: Topics, event_type: str) -> str:
    """`tables/t-12/onvif-ej/tablecontroller:Alarm/Raised/&t-12`. Raises KeyError."""
    kind = KINDS[event_type]
    return topics.below(PAYLOAD_PREFIX, f"{ALIAS}:{kind}", f"&{topics.table_id}")


def payload_of(table_id: str, event: Mapping[str, Json]) -> dict[str, Json]:
    """`UtcTime`, `Source`, `Data` of an event's envelope."""
    data = event["data"]
    assert isinstance(data, dict), "a sealed event has data"
    told = {name: _text(data[member]) for member, name in NAMES.items() if member in data}
    start_ms, end_ms = window_of(milliseconds_of(event["time"]), data)
    about: dict[str, Json] = {
        "Event": event["id"],
        "Severity": _text(data.get("severity", event["severity"])),
        **told,
        "BookmarkStart": stamp_of(start_ms),
        "BookmarkEnd": stamp_of(end_ms),
        "ClockSync": _text(event["clocksync"]),
    }
    if "rule" in event:
        about["Rule"] = event["rule"]
    return {"UtcTime": event["time"], "Source": {"Table": table_id}, "Data": about}


def window_of(at_ms: int, data: Mapping[str, Json]) -> tuple[int, int]:
    """From before what the event is about to after it was told: ms since the epoch.

    An alarm's later events carry its age: their window begins where the alarm's own did.
    """
    age_s = data.get("age_s", 0)
    assert isinstance(age_s, int), "an age is whole seconds"
    start_ms = at_ms - (age_s + BOOKMARK_BEFORE_S) * SECOND_MS
    return max(0, start_ms), at_ms + BOOKMARK_AFTER_S * SECOND_MS


def _text(value: Json) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)

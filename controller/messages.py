"""What goes to the broker, as topics and bytes: events as they are, levels of the table. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from controller.core.codec import canonical
from controller.core.outputs import Outputs

# The version that every payload of ours carries; a break of shape takes a new number.
SCHEMA = 1
EVENT_CONTENT = "application/cloudevents+json"
LEVEL_CONTENT = "application/json"
# Below the root: every level that there is or was, whichever version told it.
LEVEL_FILTERS = ("+", "alarms/#", "devices/#")
Json = None | bool | int | str | list["Json"] | dict[str, "Json"]
End = Literal["running", "stopped", "lost"]


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One publication, QoS 1. An empty `payload` with `retain` clears the topic.

    `content`, `response_topic`, `correlation` and `historical` travel under MQTT 5 only.
    """

    topic: str
    payload: bytes
    retain: bool = False
    content: str | None = None
    response_topic: str | None = None
    correlation: bytes | None = None
    historical: bool = False


@dataclass(frozen=True, slots=True)
class Topics:
    """The tree of one table: `<prefix>/<table_id>/…` (spec: MQTT)."""

    prefix: str
    table_id: str

    @property
    def root(self) -> str:
        """The table's own level."""
        return f"{self.prefix}/{self.table_id}"

    def event(self, event_type: str) -> str:
        """`events/shuffle/completed` of `shuffle.completed`."""
        return f"{self.root}/events/{event_type.replace('.', '/')}"

    def below(self, *levels: str) -> str:
        """Any other topic of the table."""
        return "/".join((self.root, *levels))

    @property
    def status(self) -> str:
        """Birth and will share it, retained alike: else a will outlives the birth (faults M06)."""
        return self.below("status")

    @property
    def commands(self) -> str:
        """The filter that takes in `commands/<principal>/<type>` and nothing deeper."""
        return self.below("commands", "+", "+")


@dataclass(frozen=True, slots=True)
class Birth:
    """Who this process is; `boot` as in the events, digests as texts; `build` is that of the whole
    manifest, and `intact` whether the files are those of the one shipped, None without one."""

    table_id: str
    journal: str
    boot: int
    version: str
    digest: str
    profile_digest: str
    build: str = ""
    intact: bool | None = None


def event_message(
    topics: Topics, event_type: str, body: bytes, historical: bool = False
) -> Outgoing:
    """An event with the journal's own bytes: a subscriber verifies the chain on them.

    That it is told late cannot stand in the bytes, so `historical` is a user property beside them.
    """
    return Outgoing(topics.event(event_type), body, content=EVENT_CONTENT, historical=historical)


def status_message(topics: Topics, birth: Birth, session: int, end: End) -> Outgoing:
    """`online` or `offline`, retained.

    `session` counts the connections of this boot: of two values the one with the higher
    (boot, session) is newer, so that a late will is known as late (faults M05). `end` tells an
    orderly stop from a lost link (M08).
    """
    payload = {
        "schema": SCHEMA,
        "status": "online" if end == "running" else "offline",
        "reason": end,
        "table": birth.table_id,
        "journal": birth.journal,
        "boot": birth.boot,
        "session": session,
        "version": birth.version,
        "digest": birth.digest,
        "profile_digest": birth.profile_digest,
        "build": birth.build,
        "intact": birth.intact,
    }
    return Outgoing(topics.status, canonical(payload), retain=True, content=LEVEL_CONTENT)


def levels_of(
    topics: Topics, outputs: Outputs, sequence: int, counters: Mapping[str, Json] | None = None
) -> dict[str, bytes]:
    """Every retained level of the table but status and health, by topic.

    `sequence` is the last event of the turn that the levels follow from; `counters` what each
    device's driver has counted, as the last health report has it.
    """
    counted = counters or {}
    state = {
        **outputs.table,
        "schema": SCHEMA,
        "locks": outputs.locks,
        "lamps": outputs.lamps,
        "digit": outputs.digit,
        "sounder": outputs.sounder,
        "prompt": outputs.prompt,
        "device_locks": outputs.device_locks,
        "devices": outputs.devices,
        "alarms": outputs.alarms,
        "sequence": sequence,
    }
    levels = {
        topics.below("state"): canonical(state),
        topics.below("prompt"): canonical({"schema": SCHEMA, **outputs.prompt}),
    }
    for alarm, members in outputs.alarms.items():
        levels[topics.below("alarms", alarm)] = canonical({"schema": SCHEMA, **members})
    for device, members in outputs.devices.items():
        levels[topics.below("devices", device)] = canonical(
            {"schema": SCHEMA, **members, "counters": counted.get(device, {})}
        )
    return levels


def level_message(topic: str, payload: bytes) -> Outgoing:
    """A retained level; empty bytes clear it, and then there is no content to name."""
    return Outgoing(topic, payload, retain=True, content=LEVEL_CONTENT if payload else None)


def changes(shown: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> list[Outgoing]:
    """What must be published so that the broker shows `wanted` where it shows `shown`.

    New and changed levels first, in the order of `wanted`; then what is no longer true is cleared.
    """
    told = [
        level_message(topic, payload)
        for topic, payload in wanted.items()
        if shown.get(topic) != payload
    ]
    cleared = [level_message(topic, b"") for topic in shown if topic not in wanted and shown[topic]]
    return told + cleared


def is_level(topics: Topics, topic: str) -> bool:
    """Whether only the table itself says anything there, retained: what `LEVEL_FILTERS` take in."""
    name = topic.removeprefix(topics.below(""))
    return name != topic and ("/" not in name or name.startswith(("alarms/", "devices/")))


def is_older_status(birth: Outgoing, payload: bytes) -> bool:
    """Whether it is a status of this journal and not of a later connection than `birth` tells, or
    of the time before there was a journal: a will that came late."""
    try:
        ours, told = json.loads(birth.payload), json.loads(payload)
        age, newest = ((one["boot"], one["session"]) for one in (told, ours))
        if told["table"] != ours["table"]:
            return False
        return bool(told["journal"] == "" or (told["journal"] == ours["journal"] and age <= newest))
    except (ValueError, KeyError, TypeError, RecursionError):
        return False


def health_message(topics: Topics, report: Mapping[str, Json]) -> Outgoing:
    """The health of the appliance; members as `controller.health` measures them."""
    payload = canonical({"schema": SCHEMA, **report})
    return Outgoing(topics.below("health"), payload, retain=True, content=LEVEL_CONTENT)

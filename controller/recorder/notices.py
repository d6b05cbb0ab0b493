"""What the recorder publishes: its own status and alarms, confirmations and requests. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from controller.core.codec import canonical
from controller.core.stamp import stamp_of
from controller.messages import LEVEL_CONTENT, SCHEMA, End, Json, Outgoing, Topics, level_message
from controller.recorder.findings import Finding
from controller.recorder.follower import Head
from controller.recorder.inquiries import Ask

# Beside the tables and not among them: who follows `tables/+` must not take a recorder for one.
ROOT = "recorders"


def status_notice(principal: str, end: End, members: dict[str, Json]) -> Outgoing:
    """`online` or `offline`, retained; the will is the same with `lost`."""
    payload: dict[str, Json] = {
        "schema": SCHEMA,
        "status": "online" if end == "running" else "offline",
        "reason": end,
        **members,
    }
    topic = f"{ROOT}/{principal}/status"
    return Outgoing(topic, canonical(payload), retain=True, content=LEVEL_CONTENT)


def alarm_topic(principal: str, number: int) -> str:
    """Where an open finding is retained."""
    return f"{ROOT}/{principal}/alarms/{number}"


def alarm_payload(finding: Finding) -> bytes:
    """An open finding."""
    return canonical(
        {
            "schema": SCHEMA,
            "table": finding.table,
            "journal": finding.journal,
            "code": finding.kind,
            "severity": finding.severity,
            "sequence": finding.sequence,
            "text": finding.text,
            "since": finding.at,
            "count": finding.count,
        }
    )


class AlarmBoard:
    """What the recorder shows at the broker of itself, retained."""

    def __init__(self, principal: str) -> None:
        self._principal = principal
        self._shown: dict[str, bytes] = {}

    def begin_anew(self) -> None:
        """A new connection: everything is told again."""
        self._shown.clear()

    def changes(self, still_open: list[Finding], figures: dict[str, Json]) -> list[Outgoing]:
        """What must be published so that exactly this is shown; told at once is shown."""
        status = status_notice(self._principal, "running", figures)
        wanted = {status.topic: status.payload}
        for finding in still_open:
            wanted[alarm_topic(self._principal, finding.number)] = alarm_payload(finding)
        changed = [
            level_message(topic, payload)
            for topic, payload in wanted.items()
            if self._shown.get(topic) != payload
        ]
        changed += [level_message(topic, b"") for topic in self._shown.keys() - wanted.keys()]
        self._shown = wanted
        return changed


def confirmation(prefix: str, principal: str, head: Head, identifier: str, now_ms: int) -> Outgoing:
    """The room holds this journal up to here, durably."""
    members = {"journal": head.journal, "sequence": head.reached, "hash": head.hash}
    return _command(prefix, head.table, principal, "recorded", members, identifier, now_ms)


def request(prefix: str, principal: str, ask: Ask, identifier: str, now_ms: int) -> Outgoing:
    """Events that the room lacks."""
    members = {"first": ask.first, "last": ask.last}
    return _command(prefix, ask.table, principal, "replay", members, identifier, now_ms)


def _command(
    prefix: str, table: str, principal: str, kind: str, members: Mapping[str, object],
    identifier: str, now_ms: int,
) -> Outgoing:  # fmt: skip
    payload = canonical({**members, "id": identifier, "issued_at": stamp_of(now_ms)})
    topic = Topics(prefix, table).below("commands", principal, kind)
    return Outgoing(topic, payload, content=LEVEL_CONTENT)

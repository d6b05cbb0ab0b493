"""Topics and payloads: the levels of a table and what changes between two of them."""

from __future__ import annotations

import json

import pytest

from controller.core.outputs import Outputs
from controller.messages import (
    Birth,
    Topics,
    changes,
    event_message,
    health_message,
    is_older_status,
    levels_of,
    status_message,
)

TOPICS = Topics("floor", "T-1")
BIRTH = Birth("T-1", "j", 4, "1.0", "d", "p")


def test_an_event_keeps_its_bytes_and_takes_its_type_as_levels() -> None:
    message = event_message(TOPICS, "shuffle.completed", b"{}")
    assert message.topic == "floor/T-1/events/shuffle/completed"
    assert (message.payload, message.retain) == (b"{}", False)
    assert message.content == "application/cloudevents+json"


def test_birth_and_will_share_topic_retain_boot_and_session() -> None:
    birth = status_message(TOPICS, BIRTH, 7, "running")
    will = status_message(TOPICS, BIRTH, 7, "lost")
    assert (birth.topic, birth.retain) == (will.topic, will.retain) == ("floor/T-1/status", True)
    online, offline = json.loads(birth.payload), json.loads(will.payload)
    assert (online["status"], offline["status"]) == ("online", "offline")
    assert (online["boot"], online["session"]) == (offline["boot"], offline["session"]) == (4, 7)
    assert json.loads(status_message(TOPICS, BIRTH, 7, "stopped").payload)["reason"] == "stopped"


@pytest.mark.parametrize(
    ("table", "journal", "boot", "session", "older"),
    [
        ("T-1", "j", 4, 7, True), ("T-1", "j", 4, 8, False), ("T-1", "j", 3, 99, True),
        ("T-1", "k", 3, 1, False), ("T-2", "j", 3, 1, False),
        # It stood by before there was a journal.
        ("T-1", "", 0, 1, True), ("T-2", "", 0, 1, False),
    ],
)  # fmt: skip
def test_a_will_of_a_connection_before_is_known_as_late(
    table: str, journal: str, boot: int, session: int, older: bool
) -> None:
    birth = status_message(TOPICS, BIRTH, 7, "running")
    of_then = Birth(table, journal, boot, "1.0", "d", "p")
    will = status_message(TOPICS, of_then, session, "lost")
    assert is_older_status(birth, will.payload) is older


@pytest.mark.parametrize("payload", [b"", b"[]", b"{}", b'{"table":"T-1"}', b"[" * 9_999, b"\xff"])
def test_what_is_no_status_is_not_of_a_connection_before(payload: bytes) -> None:
    assert not is_older_status(status_message(TOPICS, BIRTH, 7, "running"), payload)


def test_every_level_has_its_topic() -> None:
    outputs = Outputs(
        alarms={"A1": {"severity": 4}}, devices={"shoe": {"link": True}}, table={"phase": "deal"}
    )
    levels = levels_of(TOPICS, outputs, 9)
    assert set(levels) == {
        "floor/T-1/state", "floor/T-1/prompt", "floor/T-1/alarms/A1", "floor/T-1/devices/shoe",
    }  # fmt: skip
    state = json.loads(levels["floor/T-1/state"])
    assert (state["phase"], state["sequence"], state["schema"]) == ("deal", 9, 1)


def test_only_what_changed_is_told_and_what_is_gone_is_cleared() -> None:
    shown = {"a": b"1", "b": b"2", "c": b"3", "d": b""}
    wanted = {"a": b"1", "b": b"9", "e": b"5"}
    told = [(message.topic, message.payload) for message in changes(shown, wanted)]
    assert told == [("b", b"9"), ("e", b"5"), ("c", b"")]
    assert all(message.retain for message in changes(shown, wanted))
    assert changes(wanted, wanted) == []


def test_health_is_a_retained_level() -> None:
    message = health_message(TOPICS, {"outbox": {"depth": 0}})
    assert (message.topic, message.retain) == ("floor/T-1/health", True)

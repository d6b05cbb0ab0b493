"""What the recorder shows and writes."""

from __future__ import annotations

import json

from controller.recorder.findings import Finding
from controller.recorder.follower import Head
from controller.recorder.inquiries import Ask
from controller.recorder.notices import (
    AlarmBoard,
    alarm_payload,
    alarm_topic,
    confirmation,
    request,
    status_notice,
)

FORK = Finding(3, "t", "T1", "j", "fork", 7, "x")


def test_the_will_is_offline_and_shares_the_topic() -> None:
    up, lost = status_notice("eye-1", "running", {}), status_notice("eye-1", "lost", {})
    assert up.topic == lost.topic == "recorders/eye-1/status"
    assert [json.loads(one.payload)["status"] for one in (up, lost)] == ["online", "offline"]
    assert up.retain
    assert lost.retain


def test_an_alarm_is_shown_once_and_cleared_when_it_is_over() -> None:
    board = AlarmBoard("eye-1")
    shown = board.changes([FORK], {})
    assert [one.topic for one in shown] == ["recorders/eye-1/status", alarm_topic("eye-1", 3)]
    assert shown[1].payload == alarm_payload(FORK)
    assert board.changes([FORK], {}) == []
    cleared = board.changes([], {})
    assert [(one.topic, one.payload, one.retain) for one in cleared] == [
        (alarm_topic("eye-1", 3), b"", True)
    ]
    board.begin_anew()
    assert len(board.changes([FORK], {})) == 2


def test_commands_go_below_the_recorders_own_name() -> None:
    head = Head("j", "T1", 0, 7, "a" * 64, False)
    told = confirmation("tables", "eye-1", head, "r1", 0)
    assert told.topic == "tables/T1/commands/eye-1/recorded"
    assert json.loads(told.payload) == {
        "journal": "j", "sequence": 7, "hash": "a" * 64, "id": "r1",
        "issued_at": "1970-01-01T00:00:00.000Z",
    }  # fmt: skip
    asked = request("tables", "eye-1", Ask("T1", "j", 3, 9), "p1", 0)
    assert asked.topic == "tables/T1/commands/eye-1/replay"
    assert json.loads(asked.payload)["last"] == 9

"""How one table stands in a word, and what is wrong with it."""

from __future__ import annotations

import pytest

from controller.monitor.tile import EVENTS_KEPT_MAX, Tile, concerns_of, detail_of, summary_of
from controller.monitor.tile import standing_of as standing

ONLINE = {"status": "online", "reason": "running"}
ALARM = {"alarm": "A1", "code": "shoe.fault", "severity": 3, "text": "jam", "since": "s",
         "acknowledged_by": None}  # fmt: skip


def tile(**state: object) -> Tile:
    return Tile("t-1", 1, heard_ms=1, status=ONLINE, state={"phase": "deal", **state})


@pytest.mark.parametrize(
    ("state", "stands"),
    [
        ({}, ("deal", 0)),
        ({"holds": [{"id": "H1"}]}, ("hold", 3)),
        ({"void": {"irregularity": "I1"}, "holds": [{"id": "H1"}]}, ("void", 3)),
        ({"alarms": {"A1": ALARM}, "holds": [{"id": "H1"}]}, ("alarm", 3)),
        ({"alarms": {"A1": {**ALARM, "severity": 5}}}, ("alarm", 5)),
        ({"alarms": {"A1": {**ALARM, "severity": 2}}}, ("alarm", 2)),
        ({"alarms": {"A1": {**ALARM, "severity": 1}}}, ("deal", 0)),
        ({"alarms": {"A1": {**ALARM, "acknowledged_by": "rivera"}}}, ("deal", 0)),
    ],
)
def test_the_worst_that_waits_for_somebody_is_the_word(
    state: dict[str, object], stands: tuple[str, int]
) -> None:
    assert standing(tile(**state)) == stands
    assert summary_of(tile(**state))["stale"] is False


def test_a_table_that_is_not_heard_is_not_shown_as_if_it_were() -> None:
    one = tile(alarms={"A1": ALARM})
    one.silent = True
    assert (standing(one), summary_of(one)["stale"]) == (("silent", 3), True)
    one.status = {"status": "offline", "reason": "lost"}
    assert (standing(one), summary_of(one)["stale"]) == (("lost", 3), True)
    one.status = {"status": "offline", "reason": "stopped"}
    assert (standing(one), summary_of(one)["stale"]) == (("stopped", 1), True)
    empty = Tile("t-2", 1)
    assert (standing(empty), summary_of(empty)["stale"]) == (("unknown", 1), True)


def test_open_alarms_are_listed_the_worst_and_oldest_first() -> None:
    alarms = {
        "A1": {**ALARM, "since": "2"},
        "A2": {**ALARM, "since": "1"},
        "A3": {**ALARM, "severity": 5, "since": "3"},
        "A4": {**ALARM, "severity": 5, "acknowledged_by": "rivera"},
    }
    shown = summary_of(tile(alarms=alarms))["alarms"]
    assert isinstance(shown, list)
    assert [one["alarm"] for one in shown if isinstance(one, dict)] == ["A3", "A2", "A1", "A4"]


def test_what_is_wrong_with_the_board_is_named() -> None:
    one = tile(recording=False, alarm_load={"flood": True})
    one.health = {
        "clock": {"synchronised": False},
        "storage": {"writable": False},
        "outbox": {"refusing": True},
    }
    one.missing_events, one.problem = 2, "the chain breaks"
    assert concerns_of(one) == [
        "clock not synchronised", "storage not writable", "not recording",
        "broker refuses its events", "alarm flood", "2 events not seen here", "the chain breaks",
    ]  # fmt: skip
    assert concerns_of(tile()) == []


@pytest.mark.parametrize(
    ("device", "word"),
    [
        ({"state": "ok", "link": "up", "jammed": False}, "ok"),
        ({"state": "fault", "link": "up"}, "fault"),
        ({"state": "ok", "link": "down"}, "link down"),
        ({"state": "fault", "link": "up", "jammed": True}, "jammed"),
        ({"in_service": False, "display_ok": True}, "out of service"),
        ({"in_service": True, "display_ok": False}, "display fault"),
        ({"in_service": True, "display_ok": True}, "ok"),
    ],
)
def test_a_device_is_shown_by_what_matters_most(device: dict[str, object], word: str) -> None:
    assert summary_of(tile(devices={"shoe": device}))["devices"] == [["shoe", word]]


def test_the_timeline_keeps_the_newest_events_with_their_words() -> None:
    one = tile()
    for n in range(EVENTS_KEPT_MAX + 1):
        one.take_event({
            "sequence": f"{n:012}", "time": "2026-11-30T12:00:00.000Z", "type": "shoe.loaded",
            "severity": 1, "rule": "58 Pa. Code § 687a.7",
            "data": {"cards": 53, "cause": 3, "actor": {"role": "dealer", "id": "chen"}},
        })  # fmt: skip
    events = detail_of(one)["events"]
    assert isinstance(events, list)
    assert len(events) == EVENTS_KEPT_MAX
    assert events[-1] == {
        "sequence": str(EVENTS_KEPT_MAX), "time": "2026-11-30T12:00:00.000Z",
        "type": "shoe.loaded", "severity": 1, "rule": "58 Pa. Code § 687a.7", "by": "chen",
        "data": [["cards", "53"]],
    }  # fmt: skip


def test_the_page_of_a_table_says_times_and_lists_as_people_read_them() -> None:
    hold = {"id": "H1", "choices": ["void", "continue"], "since_ms": 1_767_636_000_000}
    assert detail_of(tile(holds=[hold], round={"start": {"raw": 4, "method": "rng"}}))["holds"] == [
        [["id", "H1"], ["choices", "void, continue"], ["since", "2026-01-05T18:00:00.000Z"]]
    ]

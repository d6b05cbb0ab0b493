"""All tables together: who is silent, what is news to a browser, what strangers cannot fill."""

from __future__ import annotations

import json
from typing import Any

import pytest

from controller.monitor.wall import SILENCE_MS, TABLES_MAX, Gaze, Wall
from controller.subscriber import Seen

NOW = 1_767_636_000_000
STATE = b'{"phase":"deal","alarms":{"A1":{"severity":3,"code":"shoe.fault"}}}'
ONLINE = {"status": "online", "reason": "running"}


def seen(table: str, sequence: int = 1, **more: Any) -> Seen:
    envelope: dict[str, object] = {"type": "round.dealt", "sequence": str(sequence), "data": {}}
    return Seen(table, envelope, sequence, 0, **more)


def news(wall: Wall, gaze: Gaze) -> dict[str, Any]:
    octets = wall.news(gaze, NOW)
    assert octets is not None
    value: dict[str, Any] = json.loads(octets)
    return value


def test_a_browser_is_told_what_changed_and_each_change_once() -> None:
    wall = Wall()
    wall.take_level("t-1", "state", STATE, False, NOW)
    one, other = wall.look(), wall.look()
    assert [tile["table"] for tile in news(wall, one)["tables"]] == ["t-1"]
    assert wall.news(one, NOW) is None
    wall.take_event(seen("t-2"), NOW)
    assert [tile["table"] for tile in news(wall, one)["tables"]] == ["t-2"]
    assert [tile["table"] for tile in news(wall, other)["tables"]] == ["t-1", "t-2"]
    wall.take_link(True, NOW)
    assert news(wall, one) == {"now": NOW, "broker": True, "gone": [], "tables": []}
    wall.leave(one)
    assert wall.browsers == 1


@pytest.mark.parametrize("over_ms", [0, 1])
def test_a_table_is_silent_after_the_bound_and_not_before(over_ms: int) -> None:
    wall = Wall()
    wall.take_link(True, NOW)
    wall.take_level("t-1", "state", STATE, True, NOW)
    wall.take_status("t-1", ONLINE, NOW)
    wall.look_at_clock(NOW + SILENCE_MS + over_ms)
    assert wall.tiles["t-1"].silent is bool(over_ms)
    wall.take_event(seen("t-1"), NOW + SILENCE_MS + over_ms)
    assert not wall.tiles["t-1"].silent


def test_what_a_broker_kept_is_no_sign_of_life() -> None:
    wall = Wall()
    wall.take_link(True, NOW)
    wall.take_level("t-1", "state", STATE, False, NOW)
    wall.take_level("t-1", "health", b"{}", False, NOW + SILENCE_MS)
    assert wall.tiles["t-1"].heard_ms == 0
    wall.look_at_clock(NOW + SILENCE_MS + 1)
    assert wall.tiles["t-1"].silent


def test_nobody_is_silent_because_the_broker_was_away() -> None:
    wall = Wall()
    wall.take_link(True, NOW)
    wall.take_level("t-1", "state", STATE, True, NOW)
    wall.take_link(False, NOW)
    late = NOW + 2 * SILENCE_MS
    wall.look_at_clock(late)
    assert not wall.tiles["t-1"].silent
    wall.take_link(True, late)
    wall.look_at_clock(late + SILENCE_MS)
    assert not wall.tiles["t-1"].silent
    wall.look_at_clock(late + SILENCE_MS + 1)
    assert wall.tiles["t-1"].silent


def test_strangers_make_the_longest_silent_table_go() -> None:
    wall = Wall()
    gaze = wall.look()
    for n in range(TABLES_MAX):
        wall.take_event(seen(f"t-{n}"), NOW)
    wall.take_event(seen("t-0", 2), NOW)
    news(wall, gaze)
    wall.take_event(seen("new"), NOW)
    assert len(wall.tiles) == TABLES_MAX
    assert news(wall, gaze)["gone"] == ["t-1"]
    assert "t-0" in wall.tiles


@pytest.mark.parametrize("table", ["", "t" * 65, "<b>", "t_1", "t 1", "tisch-ä"])
def test_what_is_no_table_s_name_is_not_shown(table: str) -> None:
    wall = Wall()
    wall.take_event(seen(table), NOW)
    wall.take_level(table, "state", STATE, True, NOW)
    wall.take_status(table, ONLINE, NOW)
    assert not wall.tiles


def test_repeats_are_not_shown_and_gaps_and_broken_chains_are_counted() -> None:
    wall = Wall()
    wall.take_event(seen("t-1", 5, gap=(2, 4), problem="the chain breaks"), NOW)
    wall.take_event(seen("t-1", 5, repeat=True), NOW)
    tile = wall.tiles["t-1"]
    assert (len(tile.events), tile.missing_events, tile.problem) == (1, 3, "the chain breaks")


def test_a_cleared_level_is_empty_and_a_damaged_one_changes_nothing() -> None:
    wall = Wall()
    wall.take_level("t-1", "state", STATE, True, NOW)
    wall.take_level("t-1", "state", b"{", True, NOW)
    wall.take_level("t-1", "unknown", b"{}", True, NOW)
    assert wall.has_alarm("t-1", "A1")
    wall.take_level("t-1", "state", b"", True, NOW)
    assert not wall.has_alarm("t-1", "A1")
    assert not wall.has_alarm("t-2", "A1")


def test_a_table_in_full_is_given_by_its_name_alone() -> None:
    wall = Wall()
    wall.take_level("t-1", "state", STATE, True, NOW)
    octets = wall.detail("t-1", NOW)
    assert octets is not None
    assert json.loads(octets)["now"] == NOW
    assert wall.detail("t-2", NOW) is None

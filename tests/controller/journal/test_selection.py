"""What a person asks for is found, to the first value that no longer counts."""

from __future__ import annotations

import pytest

from controller.core.stamp import milliseconds_of
from controller.journal.selection import Selection

EVENT = {
    "sequence": "000000000007", "time": "2026-01-05T18:00:00.000Z", "type": "cut.made",
    "severity": 3, "rule": "58 Pa. Code § 687a.13(f)", "data": {"round": 4, "irregularity": "I2"},
}  # fmt: skip
AT = milliseconds_of(EVENT["time"])


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        ({}, True),
        ({"first": 7, "last": 7}, True), ({"first": 8}, False), ({"last": 6}, False),
        ({"since": AT, "until": AT}, True), ({"since": AT + 1}, False), ({"until": AT - 1}, False),
        ({"round": 4}, True), ({"round": 5}, False),
        ({"irregularity": "I2"}, True), ({"irregularity": "I1"}, False),
        ({"type": "cut."}, True), ({"type": "cut.made."}, False),
        ({"rule": "687a.13"}, True), ({"rule": "687a.14"}, False),
        ({"severity": 3}, True), ({"severity": 4}, False),
        ({"severity": 3, "round": 5}, False),
    ],
)  # fmt: skip
def test_an_event_is_taken_only_where_all_of_it_holds(
    wanted: dict[str, object], taken: bool
) -> None:
    assert Selection(**wanted).takes(EVENT) is taken  # type: ignore[arg-type]


def test_an_event_without_a_rule_or_a_round_is_not_of_one() -> None:
    bare = {**EVENT, "data": {}}
    del bare["rule"]
    assert Selection().takes(bare)
    assert not Selection(round=4).takes(bare)
    assert not Selection(rule="687a").takes(bare)


def test_its_words_name_what_was_asked_for() -> None:
    assert Selection(round=4, since=AT).words() == "since 2026-01-05T18:00:00.000Z round 4"

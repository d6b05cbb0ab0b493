"""The eight fined cases: each stopped by an event, under a lock, before how many cards."""

from __future__ import annotations

import pytest

from tests.scenarios.fined import Row, page, rows
from tests.scenarios.test_questions import PAGE as AMBIGUITIES

ROWS = list(rows())
INCIDENTS = {
    "SugarHouse, Pennsylvania, 2018", "Rivers Pittsburgh, Pennsylvania, earlier",
    "Rivers Pittsburgh, Pennsylvania, 2018", "Parx, Pennsylvania, 2018",
    "Hollywood, Pennsylvania, 2015", "Ocean, New Jersey, 2024", "Showboat, New Jersey, 2013",
    "Golden Nugget, New Jersey, 2012",
}  # fmt: skip


def test_all_eight_incidents_are_played() -> None:
    assert {what.partition(":")[0] for row in ROWS for what in row.what} == INCIDENTS


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_each_is_stopped_by_an_event_with_its_paragraph_and_locks_the_deal(row: Row) -> None:
    assert row.event.rule is not None
    assert row.locks["deal"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.case)
def test_what_says_before_the_first_card_is_before_the_first_card(row: Row) -> None:
    assert ("before the first card" in row.case) <= (row.cards == 0)


def test_only_two_ways_need_cards_to_be_seen_at_all() -> None:
    """A device that does not count, within its first round; a pack in order, within ten cards."""
    assert sorted(row.cards for row in ROWS if row.cards) == [5, 10]


def test_the_page_is_what_playing_the_files_gives() -> None:
    written = AMBIGUITIES.with_name("fined-cases.md").read_text(encoding="utf-8")
    assert written == page(), (
        "write it again: python -m tests.scenarios.fined > docs/fined-cases.md"
    )

"""What one person may ask: a burst, a pace in the long run, and counts instead of records."""

from __future__ import annotations

import pytest

from controller.allowance import (
    BURST_COMMANDS_MAX,
    BURST_REFUSALS_MAX,
    MINUTE_MS,
    REFUSALS_PER_MINUTE,
    Allowances,
    Bucket,
)

DAY_MS = 24 * 60 * MINUTE_MS


@pytest.mark.parametrize("start_ms", [0, 1, 10**12])
def test_a_bucket_gives_its_burst_and_then_its_pace(start_ms: int) -> None:
    bucket = Bucket(most=3, per_minute=6)
    assert [bucket.take(start_ms) for _ in range(4)] == [True, True, True, False]
    assert not bucket.take(start_ms + 9_999)
    assert bucket.take(start_ms + 10_000)
    assert not bucket.take(start_ms + 10_000)
    assert [bucket.take(start_ms + DAY_MS) for _ in range(4)] == [True, True, True, False]


def test_a_clock_that_steps_back_gives_nothing() -> None:
    bucket = Bucket(most=1, per_minute=60_000)
    assert bucket.take(5_000)
    assert not bucket.take(4_000)
    assert not bucket.take(4_000)


def test_one_person_who_asks_too_much_leaves_the_others_alone() -> None:
    allowances = Allowances(["chen", "rivera"], 60)
    taken = [allowances.may_ask("chen", 0) for _ in range(BURST_COMMANDS_MAX + 5)]
    assert taken == [True] * BURST_COMMANDS_MAX + [False] * 5
    assert allowances.may_ask("rivera", 0)
    assert allowances.may_ask("chen", 1_000)
    assert not allowances.may_ask("chen", 1_000)
    assert allowances.counted() == [("chen", 6)]
    assert allowances.counted() == []


def test_strangers_share_one_allowance_whatever_they_call_themselves() -> None:
    allowances = Allowances(["chen"], 60)
    names = [None, *(f"mallory-{n}" for n in range(BURST_REFUSALS_MAX + 9))]
    taken = [allowances.may_be_refused(name, 0) for name in names]
    assert taken.count(True) == BURST_REFUSALS_MAX
    assert allowances.counted() == [("unknown", 10)]
    assert allowances.may_be_refused("chen", 0)


def test_who_was_refused_too_often_has_to_wait_with_his_commands_too() -> None:
    allowances = Allowances(["chen"], 60_000)
    for _ in range(BURST_REFUSALS_MAX):
        assert allowances.may_ask("chen", 0)
        allowances.was_refused("chen", 0)
    wait_ms = MINUTE_MS // REFUSALS_PER_MINUTE
    assert not allowances.may_ask("chen", wait_ms - 1)
    assert allowances.may_ask("chen", wait_ms)


def test_a_day_of_refusals_leaves_a_bounded_trace() -> None:
    allowances = Allowances(["chen"], 60)
    on_record = sum(allowances.may_be_refused("mallory", ms) for ms in range(0, DAY_MS, 500))
    assert on_record <= BURST_REFUSALS_MAX + 24 * 60 * REFUSALS_PER_MINUTE
    assert allowances.counted() == [("unknown", DAY_MS // 500 - on_record)]

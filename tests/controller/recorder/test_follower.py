"""One journal followed: order, gaps, forks, and a memory that does not grow."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.recorder import follower as module
from controller.recorder.follower import Fit, Follower
from tests.controller.recorder.chains import records


def followed(*sequences: int) -> Follower:
    one, chain = Follower("j", "T1"), records(max(sequences))
    for sequence in sequences:
        one.take(chain[sequence - 1])
        assert one.advance()
    return one


@settings(max_examples=60, deadline=None)
@given(st.permutations(list(range(1, 9))), st.lists(st.integers(1, 8), max_size=5))
def test_any_order_with_repeats_ends_whole(order: list[int], again: list[int]) -> None:
    one = followed(*order, *again)
    assert (one.reached, one.ahead, one.gap(), one.disputed) == (8, {}, None, False)


def test_the_gap_is_told_up_to_what_came_ahead_or_was_announced() -> None:
    one = followed(1, 2, 5)
    assert one.gap() == (3, 4)
    rest = followed(1, 2)
    rest.newest = 9
    assert rest.gap() == (3, 9)


def test_another_record_of_a_sequence_ahead_is_a_fork() -> None:
    one, chain = followed(1, 3), records(3)
    assert one.take(chain[2]) is Fit.KNOWN
    assert one.take(dataclasses.replace(chain[2], hash="f" * 64)) is Fit.FORK


def test_a_record_that_does_not_link_breaks_the_chain() -> None:
    one, chain = followed(1), records(2)
    assert one.take(dataclasses.replace(chain[1], prevhash="f" * 64)) is Fit.BREAK
    later = followed(1, 3)
    later.take(dataclasses.replace(chain[1], hash="f" * 64))
    assert not later.advance()
    assert later.reached == 2


def test_a_disputed_row_stands_still() -> None:
    one, chain = followed(1, 2), records(4)
    one.dispute()
    assert one.take(chain[2]) is Fit.BESIDE
    assert one.take(chain[1]) is Fit.KNOWN
    assert (one.reached, one.gap()) == (2, None)


def test_ahead_of_a_gap_the_lowest_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "AHEAD_EVENTS_MAX", 3)
    one = followed(1, 5, 6, 7)
    chain = records(9)
    assert one.take(chain[7]) is Fit.TOO_FAR
    assert not one.forgot
    assert one.take(chain[3]) is Fit.NEW
    assert (sorted(one.ahead), one.forgot) == ([4, 5, 6], True)


def test_what_is_gone_for_good_is_passed_over() -> None:
    one = followed(1, 2, 6, 7)
    assert one.pass_over(6) == (3, 5)
    assert one.advance()
    assert (one.base, one.reached) == (0, 7)
    late = followed(6, 7)
    assert late.pass_over(6) == (1, 5)
    assert late.advance()
    assert (late.base, late.reached) == (5, 7)

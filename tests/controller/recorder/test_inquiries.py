"""What stands still is asked for, again with patience, and given up only when it is gone."""

from __future__ import annotations

import itertools

from controller.recorder.follower import Follower
from controller.recorder.inquiries import ANSWER_S, INQUIRIES_MAX, STILL_S, Ask, Inquiries
from controller.replayer import REPLAY_EVENTS_MAX
from tests.controller.recorder.chains import records


def behind(reached: int, newest: int, journal: str = "j") -> Follower:
    return Follower(journal, "T1", reached=reached, newest=newest)


def test_a_row_that_stands_still_is_asked_for_and_one_that_moves_is_not() -> None:
    one, kept = behind(4, 9), Inquiries()
    assert kept.due([one], 0) == []
    assert kept.due([one], STILL_S - 0.1) == []
    one.reached = 5
    assert kept.due([one], STILL_S) == []
    assert kept.due([one], 2 * STILL_S) == [Ask("T1", "j", 6, 10)]


def test_a_request_without_an_answer_is_repeated_ever_more_slowly() -> None:
    one, kept = behind(4, 9), Inquiries()
    kept.due([one], 0)
    asked, now_s = [], 0.0
    while len(asked) < 4:
        now_s += 0.5
        if kept.due([one], now_s):
            asked.append(now_s)
    pauses = [later - earlier for earlier, later in itertools.pairwise(asked)]
    assert pauses == [ANSWER_S, 2 * ANSWER_S, 4 * ANSWER_S]
    assert kept.tries("j") == 4


def test_a_long_gap_is_asked_for_in_pieces() -> None:
    one, kept = behind(0, 5 * REPLAY_EVENTS_MAX), Inquiries()
    kept.due([one], 0)
    assert kept.due([one], STILL_S) == [Ask("T1", "j", 1, REPLAY_EVENTS_MAX)]


def test_only_a_few_tables_are_asked_at_once() -> None:
    many, kept = [behind(0, 9, f"j{n}") for n in range(INQUIRIES_MAX + 3)], Inquiries()
    kept.due(many, 0)
    assert len(kept.due(many, STILL_S)) == INQUIRIES_MAX
    assert len(kept.due(many, 3 * STILL_S)) == 3


def test_a_table_that_twice_begins_later_has_nothing_before() -> None:
    one, kept, chain = Follower("j", "T1"), Inquiries(), records(9)
    one.take(chain[8])
    kept.due([one], 0)
    now_s = STILL_S
    for tries in (1, 2):
        assert kept.due([one], now_s)
        for record in chain[5:]:
            one.take(record)
            kept.heard("j", record.sequence, now_s)
        assert kept.gone_before(one) is None, tries
        now_s += STILL_S
    kept.due([one], now_s)
    assert kept.gone_before(one) == 6


def test_a_gap_that_closes_is_forgotten() -> None:
    one, kept = behind(4, 9), Inquiries()
    kept.due([one], 0)
    kept.due([one], STILL_S)
    assert kept.tries("j") == 1
    one.reached = 9
    assert kept.due([one], STILL_S) == []
    assert kept.tries("j") == 0

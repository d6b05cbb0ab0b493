"""Waits grow, are never periodic, and start anew only after lasting health."""

from __future__ import annotations

import itertools
import random

from controller.backoff import HEALTHY_S, MOST_S, Backoff


def test_at_most_eight_tries_in_a_minute_however_the_jitter_falls() -> None:
    for seed in range(200):
        backoff = Backoff(random.Random(seed))
        starts = list(itertools.accumulate((backoff.after(0) for _ in range(20)), initial=0.0))
        assert sum(moment < 60 for moment in starts) <= 9
        assert all(wait <= MOST_S for wait in map(float.__sub__, starts[1:], starts))


def test_a_link_that_lasts_almost_long_enough_does_not_reset() -> None:
    backoff = Backoff(random.Random(1))
    for _ in range(4):
        backoff.after(HEALTHY_S - 0.001)
    assert backoff.failures == 4
    assert backoff.after(HEALTHY_S) <= 1
    assert backoff.failures == 1


def test_fifty_tables_do_not_knock_at_once() -> None:
    waits = sorted(Backoff(random.Random(seed)).after(HEALTHY_S) for seed in range(50))
    busiest = max(sum(1 for wait in waits if at <= wait < at + 0.05) for at in waits)
    assert busiest <= 15

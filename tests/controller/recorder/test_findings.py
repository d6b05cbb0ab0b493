"""Each cause is one alarm while it is open."""

from __future__ import annotations

import pytest

from controller.recorder import findings as module
from controller.recorder.findings import Finding, Findings


def test_a_cause_is_told_once_counted_and_told_again_after_it_was_over() -> None:
    kept = Findings()
    first = kept.find("t1", "T1", "", "silence", 0, "x")
    assert first is not None
    assert kept.find("t2", "T1", "", "silence", 0, "x") is None
    assert kept.open[0].count == 2
    closed = kept.close("t3", "T1", "", "silence")
    assert closed is not None
    assert closed.closed_at == "t3"
    assert kept.close("t4", "T1", "", "silence") is None
    again = kept.find("t5", "T1", "", "silence", 0, "x")
    assert again is not None
    assert again.number == 2
    assert [one.number for one in kept.take_news()] == [1, 1, 2]
    assert [one.number for one in kept.take_changed()] == [1, 2]
    assert not kept.has_changed


def test_a_strangers_words_are_kept_without_what_cannot_be_printed() -> None:
    kept = Findings()
    found = kept.find("t", "T1", "", "refused", 0, "a\0b\ud800\x1b[2Jé")
    assert found is not None
    assert found.text == "a?b??[2Jé"


def test_what_was_left_open_is_still_open_and_numbers_go_on() -> None:
    kept = Findings()
    kept.restore(7, [Finding(5, "t", "T1", "j", "fork", 3, "x")])
    assert kept.is_open("T1", "j", "fork")
    fresh = kept.find("t", "T2", "j", "fork", 3, "x")
    assert fresh is not None
    assert fresh.number == 8


def test_the_last_finding_that_fits_is_kept_and_the_next_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "OPEN_FINDINGS_MAX", 2)
    kept = Findings()
    told = [kept.find("t", f"T{n}", "", "gap", 0, "x") is not None for n in range(3)]
    assert told == [True, True, False]

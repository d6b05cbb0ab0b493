"""Progress speaks every few seconds of a long run, and never of a short one."""

from __future__ import annotations

from controller.laboratory.progress import EVERY_S, NS_PER_S, Progress


def test_a_line_comes_every_few_seconds_with_what_is_left() -> None:
    now, said = 0, []
    progress = Progress("numbers", 100, lambda: now, said.append)
    for second in range(1, 12):
        now = second * NS_PER_S
        progress.done(5)
    assert len(said) == 2
    assert EVERY_S == 5
    assert said[0] == "numbers: 25 of 100, some 15 s left\n"


def test_a_short_run_is_silent() -> None:
    said: list[str] = []
    Progress("numbers", 10, lambda: 0, said.append).done(10)
    assert said == []

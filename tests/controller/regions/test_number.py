"""The generator's number and its digit: what nobody could see is said aloud before it is dealt."""

from __future__ import annotations

from controller.core.state import Phase
from tests.play import Play


def drawing() -> Play:
    day = Play("fortune-asia-poker").ready().bets(1)
    day.do("rng", "button")
    return day


def drawn(day: Play) -> None:
    day.do("rng", "drawn", number=3, draw=1)


def test_a_number_that_comes_after_its_digit_failed_is_asked_about_before_the_deal() -> None:
    day = drawing()
    day.do("panel", "display_fault", segment="a")
    drawn(day)
    assert day.state.round.start is not None
    assert day.state.holds[0].code == "digit"
    day.floor("decide", hold=day.hold, choice="continue", reason="said aloud")
    assert day.state.phase is Phase.DEAL
    assert day.types(day.stack())[0] == "round.deal_progress"


def test_a_number_at_a_digit_that_works_is_dealt_from_at_once() -> None:
    day = drawing()
    drawn(day)
    assert not day.state.holds

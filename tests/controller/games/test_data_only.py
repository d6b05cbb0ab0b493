"""A fifth game by data alone: no line of Python knows chapter 680a."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.core.state import Phase
from tests.play import Play

GAME = "chapter-680a"
ROOT = Path(__file__).parents[3]


def loaded() -> Play:
    play = Play(GAME).opened().shuffled()
    play.dealer("loaded", into="hand")
    return play


def test_no_line_of_python_knows_the_chapter() -> None:
    for package in ("controller", "hal", "config"):
        for file in (ROOT / package).rglob("*.py"):
            assert "680a" not in file.read_text(encoding="utf-8"), file


def test_a_round_is_dealt_from_the_hand_and_cites_its_own_chapter() -> None:
    play = loaded().bets(2, 5)
    for to in (2, 5, "dealer"):
        play.dealer("delivered", to=to, cards=5)
    assert play.rule("round.deal_progress") == "680a.9"
    assert play.state.phase is Phase.DECISIONS
    play.dealer("raises_closed")
    play.dealer("round_done")
    assert play.last("shuffle.required")["reason"] == "round"


def test_its_hand_needs_a_shuffler_as_its_text_says() -> None:
    play = Play(GAME, shuffle="manual").opened()
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    play.dealer("cut_made", cutter="dealer")
    play.dealer("loaded", into="hand")
    assert play.refused("dealer", "no_more_bets", seats=[1]).endswith("680a.9")


def test_its_irregularities_were_not_read_and_only_ask() -> None:
    play = loaded().bets(2)
    play.dealer("face_up_card")
    play.dealer("wrong_count", to=2, cards=4)
    assert {event.data["outcome"] for event in play.of("irregularity.raised")} == {"hold"}
    assert not play.of("round.voided")


@pytest.mark.parametrize("rounds", [5])
def test_its_stub_is_due_in_the_fifth_round(rounds: int) -> None:
    play = Play(GAME).opened()
    for number in range(1, rounds + 1):
        play.shuffled(None)
        play.dealer("loaded", into="hand")
        play.bets(1)
        play.dealer("delivered", to=1, cards=5)
        play.dealer("delivered", to="dealer", cards=5)
        assert (play.state.phase is Phase.STUB) is (number == rounds)
        if number == rounds:
            play.dealer("stub", cards=43)
        play.dealer("raises_closed")
        play.dealer("round_done")

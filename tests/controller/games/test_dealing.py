"""Cards that leave the shoe when none should, and a shoe that is empty when it should not be."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.state import Phase
from controller.games.dealing import CLOSING
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, playing


def mismatch(play: Play) -> tuple[object, ...]:
    said = play.last("deck.count_mismatch")
    return said["batch"], said["place"], said["expected"], said["got"]


def test_bets_are_closed_over_loaded_cards_only() -> None:
    play = Play().opened().shuffled()
    assert CLOSING, "every game closes its bets by the same guards"
    play.refused("dealer", "no_more_bets", seats=[1])
    play.loaded().bets(1)
    assert play.state.phase is Phase.DEAL


def test_a_shoe_that_is_empty_while_cards_must_be_in_it_holds_the_round() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.do("shoe", "emptied")
    assert mismatch(play) == ("A", "shoe", 311, 0)
    assert play.state.holds[0].choices == ("continue", "void")
    assert play.state.batches[0].cards.unknown == 311


def test_a_shoe_that_is_empty_and_must_be_is_no_mismatch() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    cards = dataclasses.replace(play.state.batches[0].cards, shoe=0, hands=311)
    a, b = play.state.batches
    play.state = dataclasses.replace(
        play.state, batches=(dataclasses.replace(a, cards=cards), b)
    )  # fmt: skip
    play.do("shoe", "emptied")
    assert not play.of("deck.count_mismatch")


def test_cards_taken_out_of_the_shoe_between_rounds_cannot_be_dealt() -> None:
    play = playing(BLACKJACK, 1)
    play.do("shoe", "emptied")
    assert play.state.batches[0].cards.table == 311
    assert not play.state.holds
    play.bets(1)
    play.card()
    assert mismatch(play) == ("A", "shoe", 0, 1)


@pytest.mark.parametrize("game", [BLACKJACK, MINIBACCARAT])
def test_a_card_that_leaves_the_shoe_while_play_is_held_is_told_of(game: str) -> None:
    play = playing(game, 1)
    play.bets(1)
    dealt = play.do("shoe", "card", index=1, face="down")
    assert "irregularity.raised" not in play.types(dealt)
    play.dealer("wrong_count", to=1, cards=3)
    held = play.do("shoe", "card", index=2, face="down")
    assert "irregularity.raised" in play.types(held)
    assert play.last("irregularity.raised")["code"] == "early_card"

"""Who deals: a dealer who is relieved in mid-shoe, `controller.regions.session`."""

import pytest

from controller.core.state import Phase
from controller.regions.session import burn_for_new_dealer
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, playing


def in_round(game: str = BLACKJACK) -> ShoePlay:
    """A round is dealt by d1."""
    play = playing(game, 1)
    play.bets(1)
    assert play.state.session.dealer == "d1"
    return play


def test_a_dealer_who_is_relieved_in_a_round_leaves_a_burn_to_the_next_one() -> None:
    play = in_round()
    play.dealer("sign_in", dealer="d2")
    assert play.state.phase is Phase.PLAY
    play.round_done()
    assert play.state.phase is Phase.BURN
    play.dealer("no_more_bets", seats=[1])
    assert play.last("floor.decision_required")["code"] == "burn"
    assert play.rule("floor.decision_required") == "633a.7"
    play.floor("decide", hold=play.hold, choice="continue", reason="burned before the round ended")
    play.bets(1)
    play.round_done()
    assert play.state.phase is Phase.BETS, "owed once"


def test_the_burn_of_the_new_dealer_is_one_card() -> None:
    play = in_round()
    play.dealer("sign_in", dealer="d2")
    play.round_done()
    play.card()
    play.dealer("burned", cards=1)
    assert play.last("burn.completed")["cards"] == 1
    play.bets(1)
    assert not play.state.holds
    assert burn_for_new_dealer.__doc__


def test_the_same_dealer_signing_in_again_burns_nothing() -> None:
    play = in_round()
    play.dealer("sign_in", dealer="d1")
    play.round_done()
    assert play.state.phase is Phase.BETS


def test_a_shoe_that_ends_with_the_round_burns_after_its_load_only() -> None:
    play = in_round()
    play.do("shoe", "cover_card")
    play.dealer("cover_card_out", where="dealer")
    play.dealer("sign_in", dealer="d2")
    play.round_done()
    assert play.state.phase is Phase.SHUFFLE
    play.mixed("B").cut().in_shoe("B").burned()
    assert play.state.phase is Phase.BETS


@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker"])
def test_a_game_without_a_burn_asks_nothing_of_a_new_dealer(game: str) -> None:
    play = Play(game).ready()
    play.dealer("sign_in", dealer="d2")
    play.bets(1)
    assert not play.state.holds


def test_in_minibaccarat_only_the_first_card_of_the_shoe_is_burned() -> None:
    play = in_round(MINIBACCARAT)
    play.dealer("sign_in", dealer="d2")
    play.cards("2", "3", "6", "5").round_done()
    assert play.state.phase is Phase.BETS

"""The dealer's cut and its recut in the games of one deck: `controller.rules.cut`."""

import pytest

from controller.core.state import Phase
from controller.rules.cut import BEFORE_LOAD
from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, table

FAP = "fortune-asia-poker"


def to_the_cut(game: str = FAP) -> Play:
    play = Play(game, shuffle="manual").opened()
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    return play


@covers("CUT-DEPTH")
@pytest.mark.parametrize(("above", "lawful"), [(9, False), (10, True), (53, True), (54, False)])
def test_a_cut_is_ten_cards_from_the_top_at_least(above: int, lawful: bool) -> None:
    play = to_the_cut()
    if lawful:
        play.dealer("cut_made", cutter="dealer", from_top=above)
        assert play.last("cut.made")["from_top"] == above
    else:
        rule = play.refused("dealer", "cut_made", cutter="dealer", from_top=above)
        assert rule == "58 Pa. Code § 659a.5(c)"


@covers("CUT-DEPTH")
def test_an_unread_depth_asks_once_and_is_waived_for_the_round() -> None:
    play = to_the_cut("dj-wild")
    play.dealer("cut_made", cutter="dealer", from_top=9)
    assert play.last("floor.decision_required")["choices"] == ["continue", "reshuffle"]
    assert play.state.phase is Phase.CUT
    play.floor("decide", hold=play.hold, choice="continue", reason="seen")
    play.dealer("cut_made", cutter="dealer", from_top=9)
    assert play.state.phase is Phase.LOAD


@covers("CUT-BY-DEALER")
def test_a_player_never_cuts_where_the_dealer_does() -> None:
    play = to_the_cut()
    assert play.refused("dealer", "cut_made", cutter=3) == "58 Pa. Code § 659a.5(c)"


@covers("RECUT-WINDOW", "RECUT-BY")
def test_the_recut_window_opens_with_the_cut_and_shuts_with_the_first_card() -> None:
    play = to_the_cut()
    play.refused("floorperson", "order_recut", reason="r")
    play.dealer("cut_made", cutter="dealer")
    assert Phase.LOAD in BEFORE_LOAD
    play.refused("floorperson", "order_recut", reason="r", cutter=2)
    play.floor("order_recut", reason="r", cutter="dealer")
    play.dealer("cut_made", cutter="dealer")
    play.loaded().bets(1)
    play.draw(4)
    play.floor("order_recut", reason="r")
    play.do("shoe", "emptied")
    assert play.last("token.made")["method"] == "recut"
    play.dealer("cut_made", cutter="dealer")
    play.loaded()
    assert play.state.phase is Phase.DEAL
    assert play.state.round.start is not None
    play.stack()
    play.refused("floorperson", "order_recut", reason="r")


@covers("RECUT-WINDOW")
def test_a_load_before_the_ordered_recut_is_not_cut() -> None:
    play = to_the_cut()
    play.dealer("cut_made", cutter="dealer")
    play.loaded()
    play.floor("order_recut", reason="r")
    play.loaded()
    assert play.last("token.refused")["reason"] == "not_cut"
    assert play.state.phase is Phase.CUT


def test_cards_that_go_into_the_shuffler_during_a_recut_void_no_program() -> None:
    play = to_the_cut()
    play.dealer("cut_made", cutter="dealer")
    play.do("shuffler", "loaded", batch="A")
    assert play.state.phase is Phase.SHUFFLE
    assert play.refused("dealer", "cut_made", cutter="dealer")


@covers("RECUT-WINDOW")
def test_the_unread_game_has_the_same_window() -> None:
    play = to_the_cut("dj-wild")
    play.dealer("cut_made", cutter="dealer")
    play.loaded().bets(1, 2)
    play.floor("order_recut", reason="r")
    play.dealer("done")
    play.dealer("cut_made", cutter="dealer")
    play.loaded()
    assert play.state.phase is Phase.DEAL


# ---- who comes while the stack is offered ------------------------------------------------------
@covers("CUT-ARRIVAL")
def test_the_first_player_to_arrive_is_asked_although_the_shuffle_was_done_before() -> None:
    play = table(BLACKJACK)
    assert play.last("cut.offered")["to"] == "dealer"
    play.seated(4)
    assert play.last("cut.offered")["to"] == 4
    play.dealer("cut_made", cutter=4)


@covers("CUT-ARRIVAL")
@pytest.mark.parametrize(
    ("game", "seats", "comes", "asked"),
    [
        (BLACKJACK, (3, 6), 1, [3, 1, 6, "dealer"]),
        (BLACKJACK, (3, 6), 4, [3, 6, 4, "dealer"]),
        (MINIBACCARAT, (2, 5), 3, [5, 2, 3, "dealer"]),
        (MINIBACCARAT, (2, 5), 7, [5, 7, 2, "dealer"]),
    ],
)
def test_who_comes_while_others_are_asked_has_his_turn(
    game: str, seats: tuple[int, ...], comes: int, asked: list[object]
) -> None:
    assert table(game, *seats).seated(comes).offered() == asked


@covers("CUT-ARRIVAL")
def test_who_comes_after_every_other_refused_is_asked_before_the_dealer_cuts() -> None:
    play = table(MINIBACCARAT, 2, 5)
    play.offered()
    play.seated(7)
    assert play.offered() == [7, "dealer"]


@covers("CUT-ARRIVAL")
def test_a_cut_that_is_made_again_stays_with_those_who_were_entitled() -> None:
    play = table(BLACKJACK, 3)
    play.dealer("cut_made", cutter=3)
    play.floor("order_recut", reason="r")
    play.seated(5)
    assert play.offered() == [3, "dealer"]

"""Minibaccarat: the feathered check, the burn by the first card, and the third cards."""

from __future__ import annotations

import pytest

from controller.core.state import Phase
from controller.core.view import Table
from controller.rules.burn import RANKS
from controller.rules.third_card import POINTS, next_draw, points
from tests.covers import covers
from tests.shoe_play import MINIBACCARAT, ShoePlay, playing, table


def by_hand() -> ShoePlay:
    play = ShoePlay(MINIBACCARAT, shuffle="manual")
    play.opened()
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    return play


def test_a_hand_shuffle_stays_feathered_until_a_floorperson_saw_it() -> None:
    play = by_hand()
    assert play.state.phase is Phase.CHECK
    play.refused("dealer", "cut_made", cutter="dealer")
    play.floor("feathered", even=False)
    assert play.state.phase is Phase.SHUFFLE
    assert not play.of("token.made")


def test_an_even_stack_is_a_token_and_a_dealer_cannot_say_so_himself() -> None:
    play = by_hand()
    play.say("dealer", "feathered", even=True)
    assert not play.of("floor.feather_check")
    play.floor("feathered", even=True)
    assert play.last("token.made")["method"] == "manual"


@covers("BURN-VALUE", "BURN-COUNT")
@pytest.mark.parametrize(
    ("rank", "extra"), [(rank, min(RANKS.index(rank) + 1, 10)) for rank in RANKS]
)
def test_as_many_cards_burn_as_the_first_one_says(rank: str, extra: int) -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card(rank)
    assert play.last("burn.required") == {
        "rank": rank, "extra": extra, "round": 0, "shoe": 1,
    }  # fmt: skip
    for _ in range(extra):
        play.card()
    play.dealer("burned", cards=extra + 1)
    assert play.last("burn.completed")["cards"] == extra + 1


@covers("BURN-COUNT")
def test_one_card_too_few_is_held() -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card("5")
    for _ in range(4):
        play.card()
    play.dealer("burned", cards=5)
    assert play.last("burn.mismatch") == {
        "cards": 5, "expected": 6, "got": 5, "round": 0, "shoe": 1,
    }  # fmt: skip
    assert play.rule("burn.mismatch") == "627a.5(f)"


@covers("BURN-FIRST-EXPOSED")
@pytest.mark.parametrize(("kind", "members"), [("done", {}), ("burned", {"cards": 0}),
                                               ("burned", {"cards": 5})])  # fmt: skip
def test_no_burn_is_complete_before_its_first_card_was_named(
    kind: str, members: dict[str, int]
) -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    assert play.refused("dealer", kind, **members) == "58 Pa. Code § 627a.5(f)"
    assert play.refused("dealer", "no_more_bets", seats=[1]) == "58 Pa. Code § 627a.5(f)"
    play.dealer("first_card", rank="A")
    play.dealer("done")
    assert play.last("burn.completed")["cards"] == 2


@covers("BURN-FIRST")
def test_a_shoe_that_counted_the_whole_burn_is_witness_enough() -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card("2")
    play.card()
    play.refused("dealer", "no_more_bets", seats=[1])
    play.card()
    play.dealer("no_more_bets", seats=[1])
    assert play.last("burn.completed")["cards"] == 3
    assert play.state.phase is Phase.PLAY


def test_nobody_has_to_bet_on_the_player() -> None:
    play = playing(MINIBACCARAT, 1, 2)
    play.dealer("no_more_bets", seats=[1, 2], wagers={"player": [1], "banker": [2]})
    assert play.last("round.no_more_bets")["seats"] == [1, 2]


@covers("TOKEN-LOAD")
def test_a_load_before_the_check_asks_for_the_check_and_no_new_shuffle() -> None:
    play = by_hand()
    play.do("shoe", "loaded", cards=416)
    assert play.last("token.refused")["reason"] == "not_checked"
    assert play.state.phase is Phase.CHECK
    play.floor("feathered", even=True)
    assert play.state.phase is Phase.CUT


@covers("BURN-ONE-FIRST")
def test_shoe_and_dealer_name_the_same_first_card() -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card("5")
    play.dealer("first_card", rank="5")
    assert not play.state.holds
    play.dealer("first_card", rank="6")
    assert play.state.holds[0].code == "burn_mismatch"


@covers("BURN-FIRST")
def test_bets_are_not_closed_before_the_burn() -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    assert play.refused("dealer", "no_more_bets", seats=[1]).endswith("627a.5(f)")


# ---- third cards ---------------------------------------------------------------------------------
def test_ten_and_court_cards_count_nothing_in_play_and_ten_in_the_burn() -> None:
    assert [POINTS[rank] for rank in ("A", "9", "10", "J", "Q", "K")] == [1, 9, 0, 0, 0, 0]
    assert points("9", "9") == 8


# Rows of the published table: banker's count, then the player's third cards on which he draws.
BANKER_DRAWS = {
    0: "0123456789", 1: "0123456789", 2: "0123456789", 3: "012345679", 4: "234567", 5: "4567",
    6: "67", 7: "",
}  # fmt: skip
# Two cards that make each count without being a natural.
TWO = {0: ("K", "10"), 1: ("A", "10"), 2: ("2", "K"), 3: ("3", "K"), 4: ("4", "K"),
       5: ("5", "K"), 6: ("6", "K"), 7: ("7", "K"), 8: ("8", "K"), 9: ("9", "K")}  # fmt: skip
THIRD = {0: "K", 1: "A", **{count: str(count) for count in range(2, 10)}}


def hand(player: int, banker: int) -> tuple[str, ...]:
    return TWO[player][0], TWO[banker][0], TWO[player][1], TWO[banker][1]


@covers("THIRD-CARD")
@pytest.mark.parametrize("banker", range(8))
@pytest.mark.parametrize("third", range(10))
def test_the_banker_draws_by_the_players_third_card(banker: int, third: int) -> None:
    play = playing(MINIBACCARAT, 1)
    view = Table(play.book, play.state, play.turns[-1].arrived)
    ranks = (*hand(0, banker), THIRD[third])
    expected = "banker" if str(third) in BANKER_DRAWS[banker] else "none"
    assert next_draw(view, ranks) == expected


@covers("THIRD-CARD")
@pytest.mark.parametrize(
    ("player", "banker", "draws"),
    [
        (5, 0, "player"), (6, 5, "banker"), (6, 6, "none"), (7, 5, "banker"), (7, 7, "none"),
        (8, 0, "none"), (0, 9, "none"), (0, 8, "none"), (5, 7, "player"),
    ],
)  # fmt: skip
def test_naturals_stop_and_a_player_who_stands_leaves_it_to_the_banker(
    player: int, banker: int, draws: str
) -> None:
    play = playing(MINIBACCARAT, 1)
    view = Table(play.book, play.state, play.turns[-1].arrived)
    assert next_draw(view, hand(player, banker)) == draws


@covers("THIRD-CARD")
def test_a_card_that_is_not_permitted_is_held_and_never_voids() -> None:
    play = playing(MINIBACCARAT, 1)
    play.bets(1)
    play.cards("9", "2", "K", "3")
    play.cards("4")
    assert play.last("irregularity.raised")["code"] == "unauthorised_third_card"
    assert not play.of("round.voided")
    play.floor("decide", hold=play.hold, choice="continue", reason="house rule")
    play.round_done()


@covers("ROUND-CARDS")
@pytest.mark.parametrize(("cards", "asked"), [(3, True), (4, False), (6, False), (7, True)])
def test_a_counting_shoe_gives_four_to_six_cards_a_round(cards: int, asked: bool) -> None:
    play = playing(MINIBACCARAT, 1)
    play.bets(1)
    for _ in range(cards):
        play.card()
    play.round_done()
    assert bool(play.state.holds) is asked
    if asked:
        play.floor("decide", hold=play.hold, choice="continue", reason="seen")
        play.round_done()
    assert play.of("round.completed")


@covers("ROUND-CARDS")
def test_a_silent_shoe_is_not_asked_for_its_cards() -> None:
    play = playing(MINIBACCARAT, 1)
    play.bets(1)
    play.round_done()
    assert play.of("round.completed")

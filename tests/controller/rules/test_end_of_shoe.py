"""The end of a shoe, its last round said once it is known: `controller.rules.end_of_shoe`."""

import pytest

from controller.core.state import Phase
from controller.rules.end_of_shoe import rounds_after_cover
from tests.covers import covers
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, playing

HAND = ("2", "3", "6", "5")


def last_rounds(play: ShoePlay) -> list[object]:
    """Rounds that were said to be the last of their shoe."""
    return [one.data["round"] for one in play.of("round.last_of_shoe")]


def cover_out(after: int | None) -> ShoePlay:
    """The cover card came out in round 1, and the dealer told where."""
    play = playing(MINIBACCARAT, 1, rounds_after_cover=after)
    play.bets(1).do("shoe", "cover_card")
    play.dealer("cover_card_out", where="dealer")
    return play


@covers("SHOE-ROUNDS-AFTER", "SHOE-END")
@pytest.mark.parametrize(("after", "known"), [(0, [1]), (1, []), (None, [])])
def test_the_round_with_the_cover_card_is_the_last_only_where_the_house_says_so(
    after: int | None, known: list[int]
) -> None:
    play = cover_out(after)
    assert last_rounds(play) == known
    assert rounds_after_cover.__doc__


@covers("SHOE-ROUNDS-AFTER")
def test_one_round_more_is_said_to_be_the_last_before_it_begins() -> None:
    play = cover_out(1).cards(*HAND).round_done()
    assert len(last_rounds(play)) == 1
    play.bets(1)
    play.cards(*HAND).round_done()
    assert play.state.phase is Phase.SHUFFLE
    assert len(last_rounds(play)) == 1


@covers("SHOE-ROUNDS-AFTER")
def test_a_floorperson_who_orders_the_shuffle_makes_that_round_the_last() -> None:
    play = cover_out(None).cards(*HAND).round_done()
    turn = play.floor("decide", hold=play.hold, choice="reshuffle", reason="house rule")
    assert play.types(turn)[:3] == [
        "floor.authorization", "round.last_of_shoe", "shuffle.required",
    ]  # fmt: skip
    assert play.last("shuffle.required")["reason"] == "cover_card"
    assert last_rounds(play) == [1]


@covers("SHOE-ROUNDS-AFTER")
def test_a_floorperson_who_lets_one_more_be_played_makes_that_one_the_last() -> None:
    play = cover_out(None).cards(*HAND).round_done()
    play.floor("decide", hold=play.hold, choice="continue", reason="one more")
    assert len(last_rounds(play)) == 1
    play.bets(1)
    play.cards(*HAND).round_done()
    assert play.state.phase is Phase.SHUFFLE
    assert len(last_rounds(play)) == 1
    assert not play.state.holds


@covers("SHOE-END")
def test_in_blackjack_the_round_with_the_cover_card_is_always_the_last() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.dealer("cover_card_out", where=1)
    assert last_rounds(play) == [1]
    play.round_done()
    assert play.last("shuffle.required")["reason"] == "cover_card"


def test_the_rounds_after_the_cover_card_are_counted_from_the_first_time_it_is_seen() -> None:
    play = playing(MINIBACCARAT, 1, rounds_after_cover=1)
    for number in (1, 2):
        play.bets(1).do("shoe", "cover_card")
        play.cards(*HAND).round_done()
        assert (play.state.phase is Phase.SHUFFLE) is (number == 2)

"""A stack out of its turn: whose it is a person says, and the later ones keep their positions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.state import Phase
from controller.games.stacks import STACKS_WAITING_MAX
from tests.covers import covers
from tests.play import Play

FAP = "fortune-asia-poker"


def served(play: Play) -> list[object]:
    """Positions in the order in which they got their cards."""
    return [one.data["to"] for one in play.of("round.deal_progress")]


def dealing(*seats: int) -> Play:
    return Play().ready().bets(*seats)


def stack(play: Play, number: int) -> None:
    play.do("shoe", "stack", number=number, cards=5)


def decide(play: Play, choice: str) -> None:
    play.floor("decide", hold=play.hold, choice=choice, reason="r")


@covers("DEAL-NEXT")
def test_the_number_stands_the_one_left_out_comes_late_and_nothing_shifts() -> None:
    play = dealing(1, 3, 5)
    stack(play, 1)
    stack(play, 3)
    assert play.state.holds[0].choices == ("continue", "use_next", "void")
    decide(play, "continue")
    assert served(play) == [1, 5]
    assert "seat 3" in str(play.outputs.prompt["text"])
    stack(play, 4)
    assert served(play) == [1, 5, "dealer"]
    assert play.state.phase is Phase.DEAL, "seat 3 has no cards yet"
    stack(play, 2)
    assert served(play) == [1, 5, "dealer", 3]
    assert play.state.phase is Phase.REMAINDER
    assert len(play.of("irregularity.raised")) == 1, "asked about once"


@covers("DEAL-NEXT")
def test_the_shoe_left_a_number_out_and_is_counted_on_from() -> None:
    play = dealing(1, 3)
    stack(play, 2)
    decide(play, "use_next")
    assert served(play) == [1]
    stack(play, 3)
    stack(play, 4)
    assert served(play) == [1, 3, "dealer"]
    assert play.state.phase is Phase.REMAINDER
    assert len(play.of("irregularity.raised")) == 1


@covers("DEAL-NEXT")
def test_two_numbers_left_out_at_two_times_are_both_counted_on_from() -> None:
    play = dealing(1, 2, 3)
    for number in (2, 4):
        stack(play, number)
        decide(play, "use_next")
    stack(play, 5)
    stack(play, 6)
    assert served(play) == [1, 2, 3, "dealer"]


def test_a_stack_that_came_late_while_play_was_held_goes_where_its_number_says() -> None:
    play = dealing(1, 3)
    stack(play, 2)
    stack(play, 1)
    codes = [one.data["code"] for one in play.of("irregularity.raised")]
    assert codes == ["out_of_order", "early_card"]
    while play.state.holds:
        decide(play, "continue")
    assert served(play) == [3, 1]
    stack(play, 3)
    assert served(play) == [3, 1, "dealer"]
    assert not play.state.holds


@covers("DEAL-NEXT")
def test_a_shoe_that_begins_to_count_anew_gives_the_next_stack() -> None:
    play = dealing(1, 3)
    stack(play, 1)
    stack(play, 1)
    assert play.state.holds[0].choices == ("continue", "void")
    decide(play, "continue")
    assert served(play) == [1, 3]
    stack(play, 2)
    assert served(play) == [1, 3, "dealer"]


def test_a_number_beyond_the_last_position_is_the_next_stack() -> None:
    play = dealing(1)
    stack(play, 9)
    assert play.state.holds[0].choices == ("continue", "void")
    decide(play, "continue")
    assert served(play) == [1]


def test_a_late_position_that_never_gets_its_cards_is_not_a_whole_deal() -> None:
    play = dealing(1)
    stack(play, 2)
    decide(play, "continue")
    play.do("shoe", "remainder_removed", cards=48)
    assert play.last("irregularity.raised")["code"] == "shoe_failed"
    assert not play.of("round.dealt")
    decide(play, "void")
    assert play.state.void is not None


def test_a_delivery_confirms_the_stack_that_came_last() -> None:
    play = dealing(1, 3)
    stack(play, 2)
    decide(play, "continue")
    play.dealer("delivered", to=3, cards=5)
    assert not play.state.holds
    play.dealer("delivered", to=1, cards=5)
    assert play.last("irregularity.raised")["code"] == "out_of_order"


def test_a_withdrawn_question_lets_the_number_stand() -> None:
    play = dealing(1, 3)
    stack(play, 2)
    irregularity = play.last("irregularity.raised")["irregularity"]
    play.floor("withdraw", irregularity=irregularity, reason="misread")
    assert served(play) == [3]


def test_a_stack_before_the_deal_has_the_position_it_came_for() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("shoe", "stack", number=3, cards=7)
    decide(play, "continue")
    play.draw(1)
    assert served(play) == ["dealer"], "nobody goes by a wrong number before the deal"
    assert STACKS_WAITING_MAX >= 8


@given(st.permutations((1, 2, 3, 4)), st.sampled_from(("continue", "use_next")))
def test_in_any_order_every_position_gets_its_stack_once(numbers: list[int], choice: str) -> None:
    play = dealing(1, 3, 5)
    for number in numbers:
        if play.state.phase is not Phase.DEAL:
            return
        stack(play, number)
        while play.state.holds:
            offered = play.state.holds[0].choices
            decide(play, choice if choice in offered else "continue")
    got = served(play)
    assert len(got) == len(set(got))
    assert play.state.phase is Phase.REMAINDER
    if choice == "continue":
        order = [1, 3, 5, "dealer"]
        assert got == [order[number - 1] for number in numbers]


# ---- a shoe that is gone -------------------------------------------------------------------------
@pytest.mark.parametrize("covered", [False, True])
def test_a_round_whose_shoe_is_out_of_service_can_only_be_void(covered: bool) -> None:
    day = Play().ready().bets(1)
    day.stack()
    day.floor("declare_unusable", device="shoe", reason="r")
    if covered:
        day.dealer("covered", device="shoe", how="sign")
        day.floor("covered", device="shoe", how="sign")
    day.floor("withdraw", irregularity="I1", reason="mistaken")
    assert day.state.holds[0].choices == ("void",)
    day.floor("decide", hold=day.hold, choice="void", reason="no shoe")
    day.voided()
    assert day.state.phase is Phase.SHUFFLE


@pytest.mark.parametrize("drawn", [False, True])
def test_play_does_not_go_on_at_a_shoe_out_of_service_where_the_text_is_unread(drawn: bool) -> None:
    day = Play(FAP).ready().bets(1)
    if drawn:
        day.draw(3)
    day.floor("declare_unusable", device="shoe", reason="r")
    day.floor("decide", hold=day.hold, choice="continue", reason="r")
    assert day.state.holds[0].choices == ("void",)


def test_after_the_last_hand_the_shoe_is_needed_no_more() -> None:
    day = Play().ready().bets(1).dealt()
    day.floor("declare_unusable", device="shoe", reason="r")
    assert not day.state.holds or "continue" in day.state.holds[0].choices

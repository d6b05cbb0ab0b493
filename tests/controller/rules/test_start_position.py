"""659a.5(g) and (h) number by number: `controller.rules.start_position`."""

import dataclasses
import itertools
from collections import Counter

import pytest

from controller.core.seats import DEALER, clockwise_from, counted, positions, printed
from controller.core.state import Phase
from controller.rules.start_position import law_of
from tests.covers import covers
from tests.play import Play

FAP = "fortune-asia-poker"
# Total of three dice -> count within the lap, position (rules.md, FAP-5g1iii).
TABLE = {
    3: (3, 5), 4: (4, 4), 5: (5, 3), 6: (6, 2), 7: (7, 1), 8: (1, DEALER), 9: (2, 6), 10: (3, 5),
    11: (4, 4), 12: (5, 3), 13: (6, 2), 14: (7, 1), 15: (1, DEALER), 16: (2, 6), 17: (3, 5),
    18: (4, 4),
}  # fmt: skip


def shaker() -> Play:
    return Play(FAP, start="shaker").ready().bets(2)


@covers("START-COUNT")
@pytest.mark.parametrize("total", range(3, 19))
def test_a_total_finds_its_position_and_the_deal_goes_clockwise_from_it(total: int) -> None:
    play = shaker()
    play.dealer("shaken", times=3)
    play.dealer("dice", total=total)
    found = play.last("startpos.determined")
    assert (found["count"], found["to"]) == TABLE[total]
    play.dealt()
    served = [event.data["to"] for event in play.of("round.deal_progress")]
    assert served == list(clockwise_from(TABLE[total][1], 6))


@covers("START-COUNT")
def test_fair_dice_are_fair_positions() -> None:
    laps = Counter(counted(sum(dice), 6)[0] for dice in itertools.product(range(1, 7), repeat=3))
    assert laps == {1: 31, 2: 31, 3: 31, 4: 31, 5: 31, 6: 31, 7: 30}


@covers("START-COUNT", "START-NUMBER")
@pytest.mark.parametrize("number", range(9))
def test_one_to_seven_are_the_positions_themselves(number: int) -> None:
    play = Play(FAP).ready().bets(1)
    play.draw(number)
    if number in range(1, 8):
        found = play.last("startpos.determined")
        assert found["count"] == number
        assert found["to"] == (DEALER if number == 1 else 8 - number)
        assert play.outputs.digit == str(number)
    else:
        assert play.last("rng.failed")["test"] == "range"
        assert not play.of("startpos.determined")
        assert play.outputs.digit == " "


@covers("START-DRAW-ONCE")
def test_a_second_press_never_draws_again() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("rng", "button")
    assert play.outputs.digit == " "
    play.refused("rng", "button")
    play.do("rng", "drawn", number=4, draw=1)
    play.refused("rng", "button")
    assert play.state.counters.draws == 1
    play.do("rng", "drawn", number=5, draw=1)
    assert play.last("rng.failed")["test"] == "unexpected"
    assert play.outputs.digit == "4"


@covers("START-ONE-METHOD", "START-SHAKER")
def test_only_the_method_in_use_finds_the_position() -> None:
    rng = Play(FAP).ready().bets(1)
    rng.refused("dealer", "shaken", times=3)
    rng.refused("dealer", "dice", total=9)
    dice = shaker()
    dice.refused("rng", "button")
    assert law_of.__doc__


@covers("START-ONE-METHOD")
def test_the_method_changes_while_a_draw_is_on_its_way_and_the_late_number_counts_nothing() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("rng", "button")
    play.floor("set_method", step="start", method="shaker", reason="no answer")
    play.do("rng", "drawn", number=4, draw=1)
    assert not play.of("startpos.determined")
    play.dealer("shaken", times=3)
    play.dealer("dice", total=3)
    play.refused("floorperson", "set_method", step="start", method="rng", reason="r")


@covers("START-IN-SERVICE")
def test_a_generator_that_failed_waits_for_its_repair_or_the_shaker() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("rng", "health_failed", test="stuck")
    play.refused("rng", "button")
    play.refused("floorperson", "set_method", step="start", method="rng", reason="r")
    play.do("rng", "restored")
    play.do("rng", "button")


@covers("START-SHAKES")
@pytest.mark.parametrize(("shakes", "lawful"), [((2,), False), ((3,), True), ((2, 1), True)])
def test_three_shakes_at_least(shakes: tuple[int, ...], lawful: bool) -> None:
    play = shaker()
    for times in shakes:
        play.dealer("shaken", times=times)
    turn = play.say("dealer", "dice", total=10)
    assert (turn.refusal is None) is lawful


@covers("START-DICE")
@pytest.mark.parametrize(
    ("members", "lawful"),
    [({}, False), ({"total": 2}, False), ({"total": 3}, True), ({"total": 18}, True),
     ({"total": 19}, False), ({"values": [1, 1, 1]}, True), ({"values": [6, 6, 7]}, False),
     ({"values": [6, 6]}, False), ({"values": [1, 2, 3], "total": 6}, True),
     ({"values": [1, 2, 3], "total": 5}, False)],
)  # fmt: skip
def test_three_dice_make_a_total(members: dict[str, object], lawful: bool) -> None:
    play = shaker()
    play.dealer("shaken", times=3)
    turn = play.say("dealer", "dice", **members)  # type: ignore[arg-type]
    assert (turn.refusal is None) is lawful


@covers("START-RESET")
def test_the_shaker_is_put_back_once_after_the_deal_and_before_the_next_use() -> None:
    play = shaker()
    play.dealer("shaken", times=3)
    play.dealer("dice", total=5)
    play.refused("dealer", "shaker_reset")
    play.dealt()
    play.dealer("stub", cards=4)
    play.dealer("round_done")
    play.shuffled().loaded().bets(1)
    assert play.refused("dealer", "shaken", times=3) == "58 Pa. Code § 659a.5(g)(1)(iv)"
    play.dealer("shaker_reset")
    play.refused("dealer", "shaker_reset")
    play.dealer("shaken", times=3)


@covers("START-RNG-SEATS")
@pytest.mark.parametrize(("seats", "lawful"), [(5, False), (6, True), (7, False)])
def test_one_to_seven_fit_six_seats_and_the_dealer(seats: int, lawful: bool) -> None:
    play = Play(FAP, seats=seats, start="shaker").ready()
    turn = play.say("floorperson", "set_method", step="start", method="rng", reason="r")
    assert (turn.refusal is None) is lawful


@covers("START-MARK")
def test_the_position_may_be_marked_once_it_is_known() -> None:
    play = Play(FAP).ready().bets(1)
    play.refused("dealer", "start_marked")
    play.draw(2)
    play.dealer("start_marked")
    assert play.last("startpos.marked")["to"] == 6


@covers("START-AFTER-BETS")
def test_bets_close_before_the_position_is_found() -> None:
    play = Play(FAP).ready()
    assert play.state.round.start is None
    play.refused("rng", "button")
    play.bets(1)
    assert play.state.phase is Phase.START
    play.draw(2)
    play.refused("dealer", "no_more_bets", seats=[1])


def test_a_number_that_comes_after_its_round_gives_no_position_to_another() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("rng", "button")
    play.dealer("wrong_count", to=1, cards=6)
    play.floor("decide", hold=play.hold, choice="void", reason="r")
    play.voided()
    play.do("rng", "drawn", number=4, draw=1)
    assert play.state.round.start is None
    play.shuffled().loaded().bets(1)
    play.draw(3)
    assert play.last("startpos.determined")["raw"] == 3


def test_positions_and_printed_numbers() -> None:
    assert positions(3) == (1, 2, 3, DEALER)
    assert clockwise_from(2, 3) == (2, 3, DEALER, 1)
    assert [printed(seat, 6, "from_dealer_left") for seat in (1, 6)] == [1, 6]
    assert [printed(seat, 6, "from_dealer_right") for seat in (1, 6)] == [6, 1]


def test_the_prompt_names_the_number_on_the_layout() -> None:
    play = Play(FAP, numbering="from_dealer_right").ready().bets(1)
    play.draw(2)
    assert play.outputs.prompt["text"] == "Stack 1 to seat 1"
    assert play.stack().events[0].data["to"] == 6


@covers("START-REDRAW")
@pytest.mark.parametrize("lawful", [False, True])
def test_a_number_is_drawn_again_only_where_the_profile_lets_a_floorperson(lawful: bool) -> None:
    play = Play(FAP)
    law = play.book.profile.start_position
    assert law is not None
    law = dataclasses.replace(law, redraw=dataclasses.replace(law.redraw, value=lawful))
    profile = dataclasses.replace(play.book.profile, start_position=law)
    play.book = dataclasses.replace(play.book, profile=profile)
    play.ready().bets(1)
    play.draw(5)
    play.do("rng", "shown", number=5, readback=0)
    offered = play.last("floor.decision_required")["choices"]
    assert ("discard" in offered) is lawful  # type: ignore[operator]
    if not lawful:
        play.refused("floorperson", "decide", hold=play.hold, choice="discard", reason="r")
        return
    play.floor("decide", hold=play.hold, choice="discard", reason="digit was dark")
    assert play.last("floor.authorization")["reason"] == "digit was dark"
    assert play.state.round.start is None
    play.do("rng", "restored")
    play.draw(6)
    assert play.last("startpos.determined")["raw"] == 6


@covers("START-REDRAW")
def test_after_the_first_stack_the_number_stays_whatever_the_profile_says() -> None:
    play = Play(FAP)
    law = play.book.profile.start_position
    assert law is not None
    law = dataclasses.replace(law, redraw=dataclasses.replace(law.redraw, value=True))
    profile = dataclasses.replace(play.book.profile, start_position=law)
    play.book = dataclasses.replace(play.book, profile=profile)
    play.ready().bets(1)
    play.draw(5)
    play.stack()
    play.do("rng", "shown", number=5, readback=0)
    assert play.last("floor.decision_required")["choices"] == ["continue", "void"]


@pytest.mark.parametrize("moment", [Phase.UNLOAD, Phase.CUT, Phase.LOAD])
def test_a_number_on_its_way_when_a_recut_is_ordered_is_the_rounds_number(moment: Phase) -> None:
    play = Play("fortune-asia-poker", shuffle="manual").opened()
    for kind in ("shuffle_started", "shuffled"):
        play.dealer(kind)
    play.dealer("cut_made", cutter="dealer")
    play.loaded().bets(1, 3)
    play.do("rng", "button")
    play.floor("order_recut", reason="r")
    for phase, kind in ((Phase.UNLOAD, "done"), (Phase.CUT, "cut_made"), (Phase.LOAD, "loaded")):
        if phase is moment:
            play.do("rng", "drawn", number=5, draw=1)
        members = {"cut_made": {"cutter": "dealer"}, "loaded": {"into": "shoe"}}.get(kind, {})
        play.dealer(kind, **members)
    assert play.state.phase is Phase.DEAL
    assert play.state.round.order[0] == play.last("startpos.determined")["to"] == 3
    play.refused("rng", "button")


def test_a_number_whose_round_was_not_in_its_start_when_it_was_recut_is_unexpected() -> None:
    play = Play("fortune-asia-poker", shuffle="manual").opened()
    for kind in ("shuffle_started", "shuffled"):
        play.dealer(kind)
    play.do("rng", "drawn", number=5, draw=1)
    assert play.last("rng.failed")["test"] == "unexpected"

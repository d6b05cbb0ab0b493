"""An open table without gaming: `controller.rules.idle`."""

import pytest

from controller.core.setup import ShufflerSetup
from controller.core.state import Phase
from controller.rules.idle import other_batch_is_spread_too, stored_batch_serves
from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, playing

FAP, DJ = "fortune-asia-poker", "dj-wild"
BY_HAND = {"shuffle": "manual", "shuffler": ShufflerSetup(present=False, counts=False)}


def spread(play: Play) -> Play:
    play.dealer("idle")
    play.dealer("spread", face="down")
    return play


def stored(**house: object) -> ShoePlay:
    """Blackjack: batch A was played, batch B lies shuffled in the device; the table is spread."""
    play = playing(BLACKJACK, 1, **house)
    play.do("shuffler", "loaded", batch="B")
    play.do("shuffler", "cycle_started", cycle=9, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=9, mode="shuffle", result="ok", cards=312)
    spread(play)
    return play


# ---- who may spread, and how -------------------------------------------------------------------
@covers("IDLE-EXEMPT")
def test_an_approved_device_switches_the_spread_off() -> None:
    play = Play(FAP, approved_device="X").opened()
    play.do("shuffler", "identity", make="m", model="X", serial="s", firmware="f")
    assert play.refused("dealer", "idle").endswith("659a.5(f)")


@covers("IDLE-FACE")
@pytest.mark.parametrize(
    ("game", "cite"), [(BLACKJACK, "633a.5(g)"), (MINIBACCARAT, "627a.5(g)"), (FAP, "659a.5(e)")]
)
def test_the_cards_lie_face_down_unless_a_player_asks(game: str, cite: str) -> None:
    play = playing(game, 1) if game != FAP else Play(FAP).ready()
    play.dealer("idle")
    assert play.refused("dealer", "spread", face="up").endswith(cite)
    play.dealer("asked_face_up")
    assert play.refused("dealer", "spread", face="down").endswith(cite)
    play.dealer("spread", face="up")
    assert play.last("idle.spread") == {"face": "up", "round": 0, "shoe": 1}


# ---- without a shuffler --------------------------------------------------------------------------
@covers("IDLE-WASH")
def test_without_a_shuffler_the_spread_cards_are_washed_before_they_are_stacked() -> None:
    play = ShoePlay(BLACKJACK, batches=1, **BY_HAND)
    play.opened()
    spread(play).dealer("inspected")
    assert play.refused("dealer", "stacked").endswith("633a.5(g)(1)")
    play.dealer("washed")
    play.dealer("stacked")
    assert play.last("idle.ended")["path"] == "manual"


@covers("IDLE-WASH")
def test_in_minibaccarat_the_wash_was_not_read_and_is_asked_about() -> None:
    play = ShoePlay(MINIBACCARAT, **BY_HAND)
    play.opened()
    spread(play).dealer("inspected")
    play.dealer("stacked")
    assert play.last("floor.decision_required")["code"] == "wash"
    play.floor("decide", hold=play.hold, choice="continue", reason="seen")
    play.dealer("stacked")
    assert play.state.phase is Phase.SHUFFLE


def opened_again(game: str, **house: object) -> Play:
    """Spread, looked at and verified again, as the opening has it."""
    play = spread(Play(game, **house).opened())
    play.dealer("inspected")
    play.floor("opening_verified")
    return play


@covers("IDLE-OPENING-WASH")
@pytest.mark.parametrize(("game", "cite"), [(FAP, "659a.4(c)"), (DJ, "687a.4")])
@pytest.mark.parametrize("done", [(), ("washed",), ("stacked",)])
def test_a_hand_shuffle_after_the_spread_asks_for_the_wash_that_was_not_read(
    game: str, cite: str, done: tuple[str, ...]
) -> None:
    play = opened_again(game, **BY_HAND)
    for one in done:
        play.dealer(one)
    play.dealer("shuffle_started")
    assert play.last("floor.decision_required")["code"] == "wash"
    assert play.rule("floor.decision_required") == cite
    play.floor("decide", hold=play.hold, choice="continue", reason="seen")
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    assert play.state.phase is Phase.CUT


@covers("IDLE-OPENING-WASH")
@pytest.mark.parametrize("when", ["before the verification", "after it"])
def test_cards_that_were_washed_and_stacked_are_shuffled_unasked(when: str) -> None:
    play = spread(Play(FAP, **BY_HAND).opened())
    play.dealer("inspected")
    if when == "after it":
        play.floor("opening_verified")
    play.dealer("washed")
    play.dealer("stacked")
    if when != "after it":
        play.floor("opening_verified")
    play.dealer("shuffle_started")
    assert not play.state.holds


@covers("IDLE-OPENING-WASH")
def test_a_shuffler_or_a_first_opening_asks_for_no_wash() -> None:
    opened_again(FAP).shuffled().loaded().bets(1)
    first = Play(FAP, **BY_HAND).opened()
    first.dealer("shuffle_started")
    assert not first.state.holds


@covers("IDLE-OPENING-WASH")
def test_the_wash_is_owed_to_one_spread_and_not_to_the_rounds_after_it() -> None:
    play = opened_again(FAP).shuffled().loaded().bets(1)
    play.draw(1)
    play.dealt().dealer("stub", cards=4)
    play.dealer("round_done")
    play.floor("declare_unusable", device="shuffler", reason="worn")
    play.dealer("covered", device="shuffler", how="sign")
    play.floor("covered", device="shuffler", how="sign")
    play.floor("set_method", step="shuffle", method="manual", reason="worn")
    play.dealer("shuffle_started")
    assert not play.state.holds


# ---- with a shuffler -----------------------------------------------------------------------------
@covers("IDLE-STORED")
@pytest.mark.parametrize(
    ("house", "serves"),
    [({}, True), ({"shuffler": ShufflerSetup(stores_one_batch=False)}, False)],
)
def test_the_stored_batch_serves_where_the_device_keeps_it_securely(
    house: dict[str, object], serves: bool
) -> None:
    play = stored(**house)
    play.dealer("inspected")
    play.dealer("stacked")
    assert bool(play.of("idle.ended")) is not serves
    assert stored_batch_serves.__doc__


@covers("IDLE-ASKED", "IDLE-STORED")
def test_who_asks_before_the_look_sees_both_batches_in_one_spread() -> None:
    play = stored()
    play.dealer("asked_spread")
    play.dealer("inspected")
    play.dealer("stacked")
    assert play.last("shuffle.required")["reason"] == "idle"


@covers("IDLE-ASKED")
def test_who_asks_after_the_look_has_the_other_batch_spread_too() -> None:
    play = stored()
    play.dealer("inspected")
    play.dealer("asked_spread")
    assert play.state.phase is Phase.IDLE
    assert play.refused("dealer", "stacked").endswith("633a.5(g)")
    play.dealer("spread", face="down")
    play.dealer("inspected")
    play.dealer("stacked")
    assert play.last("shuffle.required")["reason"] == "idle"
    assert len(play.of("idle.spread")) == 2
    assert other_batch_is_spread_too.__doc__


@covers("IDLE-ASKED")
def test_without_a_batch_in_the_shuffler_nothing_more_is_spread() -> None:
    play = playing(BLACKJACK, 1)
    spread(play).dealer("inspected")
    play.dealer("asked_spread")
    assert play.state.phase is Phase.WASH


@covers("IDLE-EXCHANGED")
@pytest.mark.parametrize("first", ["loaded", "ejected"])
def test_the_stored_batch_is_cut_once_the_spread_cards_are_in_its_place(first: str) -> None:
    play = stored()
    play.dealer("inspected")
    play.dealer("stacked")
    facts = {"loaded": "A", "ejected": "B"}
    play.do("shuffler", first, batch=facts.pop(first))
    assert play.state.phase is Phase.WASH
    ((second, batch),) = facts.items()
    play.do("shuffler", second, batch=batch)
    assert play.last("idle.ended")["path"] == "stored_batch"
    assert play.state.phase is Phase.CUT

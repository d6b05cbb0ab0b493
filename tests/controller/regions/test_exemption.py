"""An approved device that loses its exemption and has it back: `controller.regions.exemption`."""

import pytest

from controller.core.setup import ShufflerSetup
from controller.core.state import Phase
from controller.regions.exemption import LOST
from controller.rules.exemption import device_is_approved, exemption_fails_because
from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, ShoePlay

MODEL = "CSM-1"
FAP = "fortune-asia-poker"


def says_who(play: Play, model: str = MODEL, serial: str = "s1") -> None:
    play.do("shuffler", "identity", make="m", model=model, serial=serial, firmware="v1")


def approved(**house: object) -> ShoePlay:
    """A Blackjack table with one batch and the approved device, its cards out of it, uncut."""
    play = ShoePlay(BLACKJACK, approved_device=MODEL, batches=1, **house)
    play.opened()
    says_who(play)
    return play.seated(1, 2).mixed()


def modes(play: Play) -> list[object]:
    return [one.data["mode"] for one in play.of("config.mode")]


@covers("EXEMPT-DEVICE", "EXEMPT-PARAGRAPH")
def test_the_mode_is_said_once_and_not_with_every_greeting() -> None:
    play = approved()
    says_who(play)
    assert modes(play) == ["continuous"]
    assert play.state.phase is Phase.LOAD
    assert play.rule("config.mode") == "633a.5(h)"


# ---- the count ---------------------------------------------------------------------------------
@covers("EXEMPT-DEVICE")
def test_a_device_that_is_silent_about_its_count_has_its_cards_cut_like_any_other() -> None:
    play = approved().in_shoe()
    play.bets(1)
    play.round_done()
    play.floor("order_shuffle", reason="end of the day")
    play.shuffled(None)
    assert play.last("config.mode") == {
        "mode": "ordinary", "device": MODEL, "reason": "count", "round": 1, "shoe": 1,
    }  # fmt: skip
    assert play.state.phase is Phase.CUT
    assert "deal" in play.outputs.locks
    assert play.state.alarms[-1].key == "exemption"
    play.cut().in_shoe()
    assert play.state.phase is Phase.BURN
    assert not play.state.holds


@covers("EXEMPT-DEVICE")
def test_the_next_count_brings_the_exemption_back() -> None:
    play = approved()
    play.floor("order_shuffle", reason="r")
    play.shuffled(None)
    play.floor("order_shuffle", reason="count them")
    play.shuffled(312)
    assert modes(play) == ["continuous", "ordinary", "continuous"]
    assert play.state.phase is Phase.LOAD
    alarm = next(one for one in play.state.alarms if one.key == "exemption")
    play.floor("acknowledge", alarm=alarm.id)
    assert not play.state.alarms


@covers("EXEMPT-DEVICE")
def test_where_the_text_does_not_ask_for_a_count_silence_loses_nothing() -> None:
    play = Play(FAP, approved_device=MODEL).opened()
    says_who(play)
    play.shuffled(None).loaded()
    assert modes(play) == ["continuous"]
    assert device_is_approved.__doc__


@covers("EXEMPT-DEVICE")
def test_a_device_that_cannot_count_is_no_such_device() -> None:
    play = approved(shuffler=ShufflerSetup(counts=False))
    assert modes(play) == []
    assert play.state.phase is Phase.CUT


# ---- the identity --------------------------------------------------------------------------------
@covers("EXEMPT-DEVICE")
@pytest.mark.parametrize("way", ["identity", "identity_changed"])
def test_uncut_cards_wait_when_another_device_answers(way: str) -> None:
    play = approved().in_shoe()
    assert play.state.load is not None
    assert play.state.load.exempt
    if way == "identity":
        says_who(play, "OTHER")
    else:
        play.do("shuffler", "identity_changed", make="m", model="OTHER", serial="s2")
    assert play.last("config.mode")["reason"] == "identity"
    lost = next(one for one in play.state.holds if one.code == LOST)
    assert lost.choices == ("continue", "reshuffle")
    assert any(rule.endswith("633a.5(h)") for rule in play.outputs.locks["deal"])
    play.refused("dealer", "no_more_bets", seats=[1])


@covers("EXEMPT-DEVICE")
def test_to_go_on_without_the_approved_device_is_asked_again_at_once() -> None:
    play = approved().in_shoe()
    says_who(play, "OTHER")
    play.floor("decide", hold=play.hold, choice="continue", reason="looks fine")
    assert play.hold == "H2"
    says_who(play)
    play.floor("decide", hold=play.hold, choice="continue", reason="the approved one is back")
    assert not play.state.holds
    play.bets(1)
    assert play.state.phase is Phase.PLAY


@covers("EXEMPT-DEVICE")
def test_the_other_way_back_is_a_shuffle_and_a_cut() -> None:
    play = approved().in_shoe()
    says_who(play, "OTHER")
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="cannot be proved")
    assert play.state.phase is Phase.SHUFFLE
    play.mixed()
    assert play.state.phase is Phase.CUT
    play.cut().in_shoe().burned()
    play.bets(1)
    assert not play.state.holds


@covers("EXEMPT-DEVICE")
def test_cards_that_wait_to_be_loaded_are_cut_first() -> None:
    play = approved()
    says_who(play, "OTHER")
    assert play.state.phase is Phase.CUT
    assert play.last("cut.offered")["to"] == 1
    says_who(play)
    play.cut().in_shoe()
    assert play.state.load is not None
    assert not play.state.load.exempt, "cards that were cut need no exemption"


@covers("EXEMPT-DEVICE")
def test_a_round_in_play_is_the_floorpersons_to_decide_and_the_next_one_waits() -> None:
    play = approved().in_shoe()
    play.bets(1)
    says_who(play, "OTHER")
    assert play.last("floor.decision_required")["choices"] == ["continue", "void"]
    play.floor("decide", hold=play.hold, choice="continue", reason="finish it")
    play.round_done()
    assert play.state.holds[0].code == LOST
    assert play.last("floor.decision_required")["choices"] == ["continue", "reshuffle"]


def test_a_round_that_is_void_for_it_names_the_missing_proof() -> None:
    play = approved().in_shoe()
    play.bets(1)
    says_who(play, "OTHER")
    play.floor("decide", hold=play.hold, choice="void", reason="cannot be proved")
    play.voided()
    assert play.last("round.voided")["code"] == "no_token"
    assert play.state.phase is Phase.SHUFFLE


@covers("EXEMPT-DEVICE")
def test_a_table_that_shuffles_by_hand_has_no_device_in_use() -> None:
    play = approved().in_shoe()
    play.floor("declare_unusable", device="shuffler", reason="worn")
    play.dealer("covered", device="shuffler", how="sign")
    play.floor("covered", device="shuffler", how="sign")
    play.floor("set_method", step="shuffle", method="manual", reason="worn")
    assert play.last("config.mode")["reason"] == "method"
    assert play.state.holds[0].code == LOST
    assert exemption_fails_because.__doc__


def test_in_fortune_asia_poker_the_cards_in_the_shoe_wait_for_the_identity_too() -> None:
    play = Play(FAP, approved_device=MODEL).opened()
    says_who(play)
    play.shuffled().loaded()
    says_who(play, "OTHER")
    assert any(rule.endswith("659a.5(f)") for rule in play.outputs.locks["deal"])
    says_who(play)
    play.floor("decide", hold=play.hold, choice="continue", reason="back")
    play.bets(1)
    play.draw(3)

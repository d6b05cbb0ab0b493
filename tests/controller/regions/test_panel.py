"""Presses, the key, people and the idle spread: `controller.regions.panel`, `.session`, `.idle`."""

import pytest

from controller.core.setup import Person
from controller.core.state import Phase
from controller.regions.idle import WITHOUT_GAMING
from controller.regions.methods import see_cover
from controller.regions.number import drawn_late
from controller.regions.panel import SEAT
from controller.regions.session import COMMON_ROWS
from tests.play import Play

FAP = "fortune-asia-poker"
KEYS = {"k1": Person("f1", "floorperson"), "k2": Person("d1", "dealer")}


def press(play: Play, button: str) -> None:
    play.do("panel", "pressed", button=button)


def test_a_press_speaks_for_the_signed_in_dealer() -> None:
    play = Play()
    play.refused("panel", "pressed", button="call_floor")
    play.dealer("sign_in", dealer="d7")
    press(play, "call_floor")
    assert play.of("floor.called")[0].actor == ("dealer", "d7")


def test_a_whole_round_of_presses() -> None:
    play = Play().ready()
    for button in ("seat_2", "seat_3", "seat_3", "seat_5"):
        press(play, button)
    press(play, "no_more_bets")
    assert play.last("round.no_more_bets")["seats"] == [2, 5]
    play.refused("panel", "pressed", button="seat_1")
    while play.state.phase is Phase.DEAL:
        play.stack()
    press(play, "done")
    press(play, "card_up")
    assert play.last("irregularity.raised")["code"] == "face_up"
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    press(play, "done")
    press(play, "round_done")
    assert play.of("round.completed")
    assert SEAT


@pytest.mark.parametrize("button", ["seat_0", "seat_7", "seat_x", "seat_", "lever", ""])
def test_a_button_that_stands_for_nothing_is_refused(button: str) -> None:
    Play().ready().refused("panel", "pressed", button=button)


def test_done_confirms_the_step_that_is_prompted() -> None:
    play = Play(shuffle="manual")
    play.floor("open")
    play.dealer("sign_in", dealer="d1")
    press(play, "done")
    play.floor("opening_verified")
    for _ in range(4):
        press(play, "done")
    assert play.state.phase is Phase.BETS
    play.refused("panel", "pressed", button="done")
    play.bets(1)
    play.stack(4)
    press(play, "done")
    play.refused("panel", "pressed", button="done")
    play.floor("confirm_void")


def test_the_key_acknowledges_and_confirms_for_its_holder() -> None:
    play = Play(keys=KEYS).ready().bets(1)
    play.stack(4)
    play.do("panel", "key", on=True, id="k1")
    assert play.state.void is not None, "the wagers are not returned yet"
    assert play.last("alarm.acknowledged")["alarm"] == "A1"
    play.dealer("wagers_returned")
    play.do("panel", "key", on=False, id="k1")
    play.refused("panel", "key", on=True, id="k9")
    play.refused("panel", "key", on=True, id="k2")
    play.do("panel", "key", on=True, id="k1")
    assert play.of("round.voided")[0].actor == ("floorperson", "f1")


def test_a_stuck_button_and_a_dark_segment_are_told() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("panel", "stuck", button="rng")
    assert play.last("panel.fault")["button"] == "rng"
    play.draw(3)
    play.do("panel", "display_fault", segment="a")
    assert play.last("floor.decision_required")["code"] == "digit"
    assert play.outputs.digit == " "
    assert drawn_late.__doc__
    assert see_cover.__doc__


def test_a_generator_that_is_well_at_the_start_is_no_news() -> None:
    play = Play(FAP)
    play.do("rng", "restored")
    assert not play.events


def test_a_digit_that_shows_what_was_drawn_is_no_news() -> None:
    play = Play(FAP).ready().bets(1)
    play.draw(3)
    turn = play.do("rng", "shown", number=3, readback=3)
    assert not turn.events
    play.do("rng", "shown", number=3, readback=8)
    assert play.last("rng.failed")["test"] == "readback"


# ---- people --------------------------------------------------------------------------------------
def test_players_come_and_go() -> None:
    play = Play().opened()
    play.dealer("player_arrived", seat=2)
    play.refused("dealer", "player_arrived", seat=2)
    play.refused("dealer", "player_arrived", seat=7)
    play.refused("dealer", "player_left", seat=3)
    play.shuffled().loaded().bets(4)
    assert play.state.occupied == (2, 4)
    play.dealer("player_left", seat=4)
    play.do("surveillance", "annotate", event="replay/1", text="looked")
    assert play.last("annotation.added")["text"] == "looked"
    assert COMMON_ROWS


def test_a_table_closes_between_rounds_with_every_question_answered() -> None:
    play = Play()
    play.refused("floorperson", "close")
    play.ready().bets(1)
    play.refused("floorperson", "close")
    play.do("system", "overrun", lost=1)
    play.floor("void", reason="r")
    play.voided()
    play.floor("close")
    assert play.state.phase is Phase.CLOSED
    assert play.state.load is None
    assert play.state.batches[0].token is None


def test_nothing_of_a_day_is_left_for_the_next() -> None:
    play = Play().ready()
    play.dealer("player_arrived", seat=1)
    play.dealer("sign_in", dealer="d1")
    press(play, "seat_3")
    play.floor("close")
    assert (play.state.occupied, play.state.panel_seats) == ((), ())
    play.opened()
    play.do("shoe", "loaded", cards=53)
    assert play.of("token.refused")


# ---- idle ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("game", ["dj-wild", FAP])
def test_an_idle_table_is_spread_looked_at_opened_and_shuffled(game: str) -> None:
    play = Play(game).ready()
    play.dealer("idle")
    play.dealer("asked_face_up")
    if game == FAP:
        play.refused("dealer", "spread", face="down")
    else:
        # 687a.5 is unread: the wrong face is asked about, not refused.
        play.dealer("spread", face="down")
        play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.dealer("spread", face="up")
    play.dealer("inspected")
    play.refused("floorperson", "opening_verified", by="d1")
    play.floor("opening_verified")
    assert play.last("idle.ended")["path"] == "manual"
    assert play.last("shuffle.required")["reason"] == "idle"
    play.shuffled().loaded().bets(1)


def test_a_house_is_reminded_after_its_own_time_and_decides_itself() -> None:
    play = Play(idle_after_ms=600_000).ready()
    assert "idle" in play.state.timers
    assert Phase.BETS in WITHOUT_GAMING
    play.do("clock", "timer", name="idle")
    assert play.last("alarm.raised")["code"] == "idle"
    assert play.state.phase is Phase.BETS
    play.bets(1)
    assert "idle" not in play.state.timers

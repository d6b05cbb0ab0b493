"""Locks, lamps, digit and prompt follow from the state: `controller.core.levels` and `.table`."""

import pytest

from controller.core.levels import ALL_STEPS
from controller.core.table import BATCH_NAMES
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, table

FAP = "fortune-asia-poker"


def test_a_closed_table_is_locked_and_dark() -> None:
    play = Play(FAP)
    # There is nothing to settle at a closed table.
    assert list(play.outputs.locks) == [step for step in ALL_STEPS if step != "settle"]
    assert play.outputs.lamps == {"red": "on", "amber": "off", "green": "off"}
    assert play.outputs.device_locks == {"shuffler": True, "shoe": True}


def test_the_lights_of_a_round() -> None:
    play = Play().ready()
    assert play.outputs.lamps == {"red": "on", "amber": "on", "green": "off"}
    play.bets(1)
    assert play.outputs.lamps == {"red": "off", "amber": "off", "green": "on"}
    assert not play.outputs.device_locks["shoe"]
    play.stack(4)
    assert play.outputs.lamps["red"] == "blink"
    assert play.outputs.sounder == "alarm"


def test_the_dash_says_that_a_draw_is_allowed() -> None:
    play = Play(FAP).ready()
    assert play.outputs.digit == " "
    play.bets(1)
    assert play.outputs.digit == "-"
    play.draw(6)
    assert play.outputs.digit == "6"
    play.dealt()
    play.dealer("stub", cards=4)
    assert play.outputs.digit == "6"
    play.dealer("round_done")
    assert play.outputs.digit == " "


@pytest.mark.parametrize("game", ["dj-wild", FAP])
def test_a_game_without_a_start_position_has_no_such_lock(game: str) -> None:
    assert ("start" in Play(game).outputs.locks) is (game == FAP)
    assert BATCH_NAMES[0] == "A"


def test_every_lock_names_its_paragraphs_and_is_announced() -> None:
    play = Play().opened()
    play.floor("declare_unusable", device="shuffler", reason="r")
    assert play.outputs.locks["method"] == ["58 Pa. Code § 687a.13(g)"]
    assert play.last("lock.engaged")["step"] == "method"
    assert "Cover the shuffler" in str(play.outputs.prompt["text"])


def test_a_hold_is_the_prompt_and_since_when() -> None:
    play = Play().ready().bets(1)
    play.dealer("drawn_in_error", exposed=True)
    prompt = play.outputs.prompt
    assert (prompt["step"], prompt["who"]) == ("decide", "floorperson")
    since = prompt["since"]
    play.dealer("call_floor", reason="r")
    assert play.outputs.prompt["since"] == since


def test_a_replay_request_and_a_wrong_role_move_nothing() -> None:
    play = Play()
    assert not play.do("surveillance", "replay", first=1).events
    play.refused("surveillance", "open")
    play.refused("technician", "open")
    play.refused("nobody", "open")


def test_the_shoe_opens_for_the_burn_and_no_further() -> None:
    play = table(BLACKJACK, 1).cut()
    assert play.outputs.device_locks["shoe"]
    play.in_shoe()
    assert not play.outputs.device_locks["shoe"]
    play.card()
    assert play.outputs.device_locks["shoe"]


@pytest.mark.parametrize(("rank", "more"), [("A", 1), ("K", 10)])
def test_the_first_card_says_how_many_more_the_shoe_gives(rank: str, more: int) -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card(rank)
    for _ in range(more - 1):
        play.card()
    assert not play.outputs.device_locks["shoe"]
    play.card()
    assert play.outputs.device_locks["shoe"]


def test_a_hold_in_the_burn_locks_the_shoe() -> None:
    play = table(MINIBACCARAT, 1).cut().in_shoe()
    play.card("A")
    play.dealer("first_card", rank="2")
    assert play.state.holds
    assert play.outputs.device_locks["shoe"]


def test_bets_are_locked_until_the_burn_or_its_waiver() -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    assert "bets" in play.outputs.locks
    play.dealer("no_more_bets", seats=[1])
    play.floor("decide", hold=play.hold, choice="continue", reason="dealt without a burn")
    assert "bets" not in play.outputs.locks
    play.bets(1)

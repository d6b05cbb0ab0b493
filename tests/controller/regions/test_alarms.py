"""Alarms: one for each cause, latched, escalated, counted; an ordinary day stays in the budget."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from controller.core.alarm_load import BUDGET_DAY_ALARMS, CHATTER_SPAN_MS, DAY_MS
from controller.core.state import Phase
from tests.play import BEGIN_MS, Play
from tests.shoe_play import BLACKJACK, ShoePlay

MINUTE_MS = 60_000
# A crew plays a round in two minutes; the suite plays every fourth of them, in their time.
EVERY_ROUND = pytest.param(2 * MINUTE_MS, marks=pytest.mark.heavy)
FOURTH_ROUNDS = 8 * MINUTE_MS
STARTED = {"version": "v1", "digest": "d", "profile_digest": "p", "journal": "j"}


def load(play: Play) -> dict[str, object]:
    found: dict[str, object] = play.outputs.table["alarm_load"]
    return found


def fire_timers(play: Play) -> None:
    """Every timer that is due by now fires, the earliest first."""
    while due := [
        (at, name) for name, at in play.state.timers.items() if at <= play.at_ms - BEGIN_MS
    ]:
        play.say("clock", "timer", name=min(due)[1])


def answer_alarms(play: Play) -> None:
    """A floorperson who comes within a minute or two."""
    for alarm in play.state.alarms:
        if alarm.acknowledged_by is None:
            play.floor("acknowledge", alarm=alarm.id)


# ---- one alarm for each cause --------------------------------------------------------------------
def test_a_cause_that_comes_a_hundred_times_is_one_alarm() -> None:
    play = Play().opened()
    for _ in range(100):
        play.do("shuffler", "residue", cards=1)
    assert len(play.of("alarm.raised")) == 1
    assert len(play.state.alarms) == 1
    assert play.outputs.alarms["A1"]["repeats"] == 99
    assert load(play) == {
        "last_10_min": 1, "last_24_h": 1, "budget_24_h": BUDGET_DAY_ALARMS,
        "over_budget": False, "flood": False,
    }  # fmt: skip


def test_what_one_input_sets_off_is_one_alarm() -> None:
    """At Fortune Asia Poker a jam is a fault of the device and a question to the floorperson."""
    play = Play("fortune-asia-poker").opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    turn = play.do("shuffler", "jam")
    assert play.types(turn).count("alarm.raised") == 1
    (alarm,) = play.outputs.alarms.values()
    assert alarm["code"] == "shuffler.fault"
    assert alarm["also"] == ["irregularity.shuffler_failed"]


def test_the_alarm_stays_until_every_cause_that_lasts_is_gone() -> None:
    play = Play("fortune-asia-poker").opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "jam")
    play.floor("acknowledge", alarm="A1")
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="jam")
    assert play.outputs.alarms["A1"]["live"] is True
    play.do("shuffler", "jam_cleared")
    play.shuffled()
    assert play.outputs.alarms == {}
    assert play.types(play.turns[-2]).count("alarm.cleared") == 1


def test_an_acknowledged_cause_that_comes_again_is_a_new_alarm() -> None:
    play = Play().opened()
    play.do("shuffler", "lamp", colour="red")
    play.floor("acknowledge", alarm="A1")
    play.do("shuffler", "lamp", colour="red")
    assert [event.data["alarm"] for event in play.of("alarm.raised")] == ["A1", "A2"]
    assert set(play.outputs.alarms) == {"A2"}


# ---- chatter -------------------------------------------------------------------------------------
def chattering() -> Play:
    """A lamp that flickers, and somebody who acknowledges each alarm at once."""
    play = Play().opened()
    for number in (1, 2, 3):
        play.do("shuffler", "lamp", colour="red")
        play.floor("acknowledge", alarm=f"A{number}")
        play.do("shuffler", "lamp", colour="off")
    return play


def test_the_third_alarm_of_a_cause_within_a_minute_stays_and_counts() -> None:
    play = chattering()
    for _ in range(50):
        play.do("shuffler", "lamp", colour="red")
        play.do("shuffler", "lamp", colour="off")
    assert len(play.of("alarm.raised")) == 3
    assert play.outputs.alarms["A3"]["chattering"] is True
    assert play.outputs.alarms["A3"]["repeats"] == 50


def test_a_chattering_alarm_goes_once_its_cause_stays_away_for_a_minute() -> None:
    play = chattering()
    play.at_ms += CHATTER_SPAN_MS
    fire_timers(play)
    assert play.outputs.alarms == {}
    play.do("shuffler", "lamp", colour="red")
    assert play.last("alarm.raised")["alarm"] == "A4"


def test_a_chattering_alarm_whose_cause_lasts_does_not_go() -> None:
    play = chattering()
    play.do("shuffler", "lamp", colour="red")
    play.at_ms += CHATTER_SPAN_MS
    fire_timers(play)
    assert play.outputs.alarms["A3"]["live"] is True
    assert play.outputs.alarms["A3"]["chattering"] is False


def test_three_alarms_of_a_cause_in_more_than_a_minute_are_no_chatter() -> None:
    play = Play().opened()
    for number in (1, 2, 3):
        play.do("shuffler", "lamp", colour="red")
        play.floor("acknowledge", alarm=f"A{number}")
        play.do("shuffler", "lamp", colour="off")
        play.at_ms += CHATTER_SPAN_MS // 2
    assert play.outputs.alarms == {}


# ---- escalation ----------------------------------------------------------------------------------
def test_an_alarm_that_nobody_takes_goes_to_the_floor_and_then_to_the_pit() -> None:
    play = Play().opened()
    play.do("shuffler", "lamp", colour="red")
    play.at_ms += 20_000
    fire_timers(play)
    assert play.outputs.alarms["A1"]["level"] == "floorperson"
    play.at_ms += 40_000
    fire_timers(play)
    assert [event.data["to"] for event in play.of("alarm.escalated")] == [
        "floorperson", "pit_manager",
    ]  # fmt: skip
    # A second for each timer that was said, beside the minute.
    assert play.last("alarm.escalated")["age_s"] == 62


def test_an_alarm_that_somebody_took_is_not_escalated() -> None:
    play = Play().opened()
    play.do("shuffler", "lamp", colour="red")
    play.floor("acknowledge", alarm="A1")
    play.at_ms += MINUTE_MS
    fire_timers(play)
    assert play.of("alarm.escalated") == []


# ---- flood and budget ----------------------------------------------------------------------------
def test_the_eleventh_alarm_in_ten_minutes_is_a_flood() -> None:
    play = Play().opened()
    for number in range(1, 12):
        play.dealer("call_floor", reason="again")
        # Apart by a minute less than the flood's span all in all, and each taken: no chatter.
        play.floor("acknowledge", alarm=f"A{number}")
        assert load(play)["flood"] is (number == 11)
        play.at_ms += 31_000
    assert play.last("alarm.flood")["count"] == 11
    assert len(play.of("alarm.flood")) == 1


def test_a_flood_is_over_when_ten_minutes_have_no_more_than_ten() -> None:
    play = Play().opened()
    for number in range(1, 12):
        play.dealer("call_floor", reason="again")
        play.floor("acknowledge", alarm=f"A{number}")
        play.at_ms += 31_000
    play.at_ms += 10 * MINUTE_MS
    play.floor("order_shuffle", reason="worn")
    assert load(play)["flood"] is False


def test_marks_outlive_a_restart() -> None:
    play = Play().opened()
    play.do("shuffler", "lamp", colour="red")
    play.do("system", "started", **STARTED)
    assert load(play)["last_24_h"] == 1


def _rounds_of_a_day(play: Play, round_ms: int) -> Iterator[int]:
    number = 0
    while play.at_ms - BEGIN_MS < DAY_MS:
        yield number
        number += 1
        play.at_ms = max(play.at_ms, BEGIN_MS + number * round_ms)
        fire_timers(play)


@pytest.mark.parametrize("round_ms", [FOURTH_ROUNDS, EVERY_ROUND])
def test_a_day_of_ordinary_play_stays_in_the_budget(round_ms: int) -> None:
    """A day with what happens on an ordinary one: a jam, a misdeal, two calls of the floor."""
    play = Play("dj-wild").opened()
    for number in _rounds_of_a_day(play, round_ms):
        if number == 50:
            play.do("shuffler", "loaded", batch="A")
            play.do("shuffler", "cycle_started", cycle=9000, mode="shuffle")
            play.do("shuffler", "jam")
            play.do("shuffler", "jam_cleared")
        if number in (80, 150):
            play.dealer("call_floor", reason="change")
        answer_alarms(play)
        play.shuffled().loaded().bets(1, 3)
        if number == 120:
            play.stack(4)
            play.voided()
            answer_alarms(play)
            continue
        play.dealt()
        if play.state.phase is Phase.STUB:
            play.dealer("stub", cards=38)
        play.dealer("raises_closed")
        play.dealer("round_done")
    assert len(play.of("round.completed")) >= DAY_MS // round_ms - 2
    assert len(play.of("alarm.raised")) == 4 == BUDGET_DAY_ALARMS
    assert (
        play.of("alarm.over_budget") == play.of("alarm.flood") == play.of("alarm.escalated") == []
    )
    assert load(play)["over_budget"] is False


@pytest.mark.parametrize("round_ms", [FOURTH_ROUNDS, EVERY_ROUND])
def test_a_day_without_mishaps_at_a_shoe_game_asks_for_new_decks_and_nothing_else(
    round_ms: int,
) -> None:
    play = ShoePlay(BLACKJACK).opened().seated(2, 5)
    batch = "A"
    for number in _rounds_of_a_day(play, round_ms):
        if number % 40 == 0:
            play.mixed(batch).cut().in_shoe(batch).burned()
        play.bets(2, 5).cards("5", "9", "K", "2", "7", "J")
        if number % 40 == 39:
            play.do("shoe", "cover_card")
            play.dealer("cover_card_out", where=2)
            batch = "B" if batch == "A" else "A"
        play.round_done()
    raised = [event.data["code"] for event in play.of("alarm.raised")]
    assert len(raised) <= 2, raised
    assert all(str(code).startswith("deck") for code in raised)

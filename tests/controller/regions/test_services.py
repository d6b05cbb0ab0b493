"""Restart, power, clock, storage, case, alarms: `controller.regions.services` and `.alarms`."""

import dataclasses
import json

import pytest

from controller.core.codec import build, canonical, plain
from controller.core.setup import ShufflerSetup
from controller.core.state import Phase, TableState
from controller.regions.alarms import LEVELS
from controller.regions.device import POWER_FINE
from controller.regions.services import OFFSET_ALARM_MS
from controller.regions.shoe import DEALING
from controller.regions.shuffler import BROKEN_CYCLE
from tests.play import Play

START = {"version": "1", "digest": "d", "profile_digest": "p", "journal": "j"}


def restart(play: Play) -> Play:
    """The state goes through its JSON and a new boot begins."""
    text = canonical(plain(play.state))
    play.state = build(TableState, json.loads(text), "state")
    play.do("system", "started", **START)
    return play


# ---- restart -------------------------------------------------------------------------------------
def test_a_restart_between_rounds_goes_on() -> None:
    play = restart(Play().ready())
    assert play.last("power.restored")["phase"] == "bets"
    assert play.state.holds == ()
    play.bets(1)


@pytest.mark.parametrize(("choice", "void"), [("resume", False), ("void", True)])
def test_a_restart_in_a_round_waits_for_resume_or_void(choice: str, void: bool) -> None:
    play = restart(Play().ready().bets(1))
    play.refused("dealer", "raises_closed")
    play.floor(choice, reason="r")
    assert (play.state.void is not None) is void
    if not void:
        play.stack()


def test_a_number_that_was_drawn_stays_and_is_shown_again() -> None:
    play = Play("fortune-asia-poker").ready().bets(1)
    play.draw(5)
    restart(play)
    assert play.outputs.digit == "5"
    play.floor("resume", reason="r")
    play.refused("rng", "button")


@pytest.mark.parametrize("opened", [True, False])
def test_a_shuffle_that_nobody_heard_to_its_end_is_none(opened: bool) -> None:
    play = Play().opened() if opened else Play()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    restart(play)
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=53)
    assert not play.of("token.made")


def test_a_void_goes_on_after_a_restart() -> None:
    play = Play().ready().bets(1)
    play.stack(4)
    play.dealer("wagers_returned")
    restart(play)
    play.floor("confirm_void")


def test_a_closed_table_has_no_power_to_restore() -> None:
    play = restart(Play())
    assert not play.of("power.restored")
    assert play.of("config.profile_loaded")


# ---- alarms --------------------------------------------------------------------------------------
def test_an_alarm_is_latched_escalated_and_taken_in_a_name() -> None:
    play = Play().opened()
    play.dealer("call_floor", reason="drunk")
    raised = play.last("alarm.raised")
    assert (raised["severity"], raised["age_s"]) == (3, 0)
    play.dealer("call_floor", reason="again")
    assert len(play.of("alarm.raised")) == 1, "one alarm a cause"
    effects = [effect for turn in play.turns for effect in turn.effects]
    assert {(one.name, one.after_ms) for one in effects} == {  # type: ignore[union-attr]
        ("A1.floorperson", 20_000), ("A1.pit_manager", 60_000),
    }  # fmt: skip
    play.at_ms += 18_000
    play.do("clock", "timer", name="A1.floorperson")
    assert play.last("alarm.escalated")["to"] == "floorperson"
    play.do("clock", "timer", name="A1.pit_manager")
    assert play.outputs.alarms["A1"]["level"] == LEVELS[2]
    play.refused("dealer", "acknowledge", alarm="A1")
    play.refused("floorperson", "acknowledge", alarm="A9")
    play.floor("acknowledge", alarm="A1", note="seen")
    assert play.of("alarm.cleared")
    assert play.outputs.alarms == {}
    play.do("clock", "timer", name="A1.pit_manager")
    assert len(play.of("alarm.escalated")) == 2


def test_an_acknowledged_alarm_stays_while_its_cause_lasts() -> None:
    play = Play().opened()
    play.do("shuffler", "lamp", colour="red")
    play.floor("acknowledge", alarm="A1")
    assert play.outputs.alarms["A1"]["acknowledged_by"] == "f1"
    play.refused("floorperson", "acknowledge", alarm="A1")
    play.do("shuffler", "lamp", colour="green")
    assert play.outputs.alarms == {}
    play.do("shuffler", "lamp", colour="red")
    assert play.last("alarm.raised")["alarm"] == "A2"


def test_an_acknowledged_alarm_whose_cause_comes_again_is_a_new_one() -> None:
    play = Play().opened()
    play.do("shuffler", "lamp", colour="red")
    play.floor("acknowledge", alarm="A1")
    play.do("shuffler", "lamp", colour="blink")
    assert play.last("alarm.cleared")["alarm"] == "A1"
    assert list(play.outputs.alarms) == ["A2"]


# ---- services ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("offset", "alarm"),
    [(OFFSET_ALARM_MS, False), (OFFSET_ALARM_MS + 1, True), (-OFFSET_ALARM_MS - 1, True)],
)
def test_a_clock_that_is_far_off_alarms(offset: int, alarm: bool) -> None:
    play = Play()
    play.do("clock", "synchronised", offset_ms=offset)
    assert bool(play.of("alarm.raised")) is alarm
    assert play.last("clock.synchronised")["offset_ms"] == offset
    play.do("clock", "unsynchronised")
    assert play.of("clock.unsynchronised")[-1].severity == 1
    play.do("clock", "stepped", by_ms=5)
    assert play.last("clock.stepped")["by_ms"] == 5


def test_an_open_case_is_tampering_and_a_closed_one_at_the_start_no_news() -> None:
    play = Play()
    play.do("panel", "case", open=False)
    assert not play.events
    play.do("panel", "case", open=True)
    assert play.of("case.changed")[-1].severity == 5
    play.do("panel", "case", open=True)
    assert len(play.of("case.changed")) == 1
    play.do("panel", "case", open=False)
    play.floor("acknowledge", alarm="A1")
    assert play.outputs.alarms == {}


def test_broker_stop_power_and_unpublished_events_are_on_record() -> None:
    play = Play()
    play.do("system", "broker", up=True)
    play.do("system", "publish_refused", sequence=3, reason="quota")
    assert play.last("alarm.raised")["code"] == "broker.refused"
    play.do("system", "power_lost")
    play.do("system", "stopped")
    assert play.of("power.lost")


def test_a_room_that_does_not_confirm_and_a_copy_that_differs_are_alarms() -> None:
    play = Play()
    play.do("system", "recorder", up=False)
    assert play.last("alarm.raised")["code"] == "recorder"
    play.do("system", "recorder", up=True)
    play.floor("acknowledge", alarm="A1")
    assert play.outputs.alarms == {}
    play.do("system", "record_disputed", sequence=3, reason="event 3 has another hash in the room")
    assert play.last("alarm.raised")["severity"] == 4


def test_credentials_that_end_are_an_alarm_until_they_are_renewed() -> None:
    play = Play()
    play.do("system", "credentials", reason="the certificate ends within 7 d: renew /c")
    assert play.last("alarm.raised")["code"] == "credentials"
    play.floor("acknowledge", alarm="A1")
    # A day before its end it is a new alarm, for a person is needed again.
    play.do("system", "credentials", reason="the certificate ends within 1 d: renew /c")
    assert play.last("alarm.raised")["alarm"] == "A2"
    play.floor("acknowledge", alarm="A2")
    play.do("system", "credentials")
    assert play.outputs.alarms == {}


def test_a_flood_of_commands_is_one_event_and_one_alarm() -> None:
    play = Play()
    for commands in (1, 4_000):
        play.do("system", "flooded", principal="mallory", commands=commands)
    assert play.last("input.flooded")["commands"] == 4_000
    assert play.last("input.flooded")["by"] == "mallory"
    assert len(play.of("alarm.raised")) == 1
    play.floor("acknowledge", alarm="A1")
    assert play.outputs.alarms == {}


def test_a_forged_level_is_tampering_and_calls_a_person_and_a_late_will_is_not() -> None:
    play = Play()
    for cause in ("stale", "left_over"):
        play.do("system", "level_corrected", topic="status", cause=cause, times=1)
    assert [play.last("level.corrected")[name] for name in ("reason", "times")] == ["left_over", 1]
    assert play.of("alarm.raised") == []
    play.do("system", "level_corrected", topic="status", cause="forged", times=2)
    play.do("system", "level_corrected", topic="several", cause="forged", times=900)
    assert play.last("alarm.raised")["severity"] == 4
    assert len(play.of("alarm.raised")) == 1
    assert len(play.of("level.corrected")) == 4
    play.floor("acknowledge", alarm="A1")
    assert play.outputs.alarms == {}


# ---- devices -------------------------------------------------------------------------------------
def test_a_link_that_is_lost_and_found() -> None:
    play = Play().ready()
    for device in ("shuffler", "shoe"):
        play.do(device, "link", up=False)
        play.do(device, "link", up=False)
        assert play.outputs.devices[device]["link"] == "down"
        play.do(device, "link", up=True)
    assert len(play.of("link.lost")) == len(play.of("link.restored")) == 2


def test_a_shoe_that_is_not_heard_in_a_round_holds() -> None:
    play = Play().ready().bets(1)
    assert play.state.phase in DEALING
    play.do("shoe", "link", up=False)
    assert play.last("floor.decision_required")["code"] == "shoe_lost"
    play.do("shoe", "facts_missing", count=2)
    assert len(play.state.holds) == 2


@pytest.mark.parametrize(("severity", "stops"), [(2, False), (3, True)])
def test_a_fault_code_stops_a_device_from_severity_three(severity: int, stops: bool) -> None:
    play = Play().ready()
    play.do("shoe", "fault", code="E1", severity=severity)
    turn = play.say("dealer", "no_more_bets", seats=[1])
    assert (turn.refusal is not None) is stops
    play.do("shoe", "fault_cleared", code="E1")
    assert play.state.shoe.health == "ok"


@pytest.mark.parametrize(("state", "fails"), [*((one, False) for one in POWER_FINE),
                                              ("brownout", True), ("lost", True)])  # fmt: skip
def test_a_shoe_without_power_in_a_round_stopped_dealing(state: str, fails: bool) -> None:
    play = Play().ready().bets(1)
    play.do("shoe", "power", state=state)
    assert (play.state.void is not None) is fails


def test_another_device_on_the_port_holds_until_a_person_says_which_one_it_is() -> None:
    play = Play().opened()
    play.do("shuffler", "identity_changed", make="M", model="X", serial="S2")
    assert play.of("device.changed")[-1].severity == 5
    play.floor("decide", hold=play.hold, choice="return_to_service", reason="exchanged")
    assert play.state.shuffler.health == "ok"


def test_another_device_may_be_put_out_of_service_instead() -> None:
    play = Play().opened()
    play.do("shuffler", "identity_changed", make="M", model="X", serial="S2")
    play.floor("declare_unusable", device="shuffler", reason="unknown")
    assert play.state.holds == ()
    assert play.last("floor.authorization")["reason"] == "unknown"


def test_what_a_device_says_of_itself_is_kept_and_moves_nothing() -> None:
    play = Play().opened()
    before = dataclasses.replace(play.state, last_mono_ms=0)
    play.do("shuffler", "noise", octets=3, reason="crc")
    play.do("shuffler", "meters", values={"cycles": 9})
    assert dataclasses.replace(play.state, last_mono_ms=0) == before
    play.do("shuffler", "mode", mode="service")
    assert play.outputs.devices["shuffler"]["mode"] == "service"
    play.do("shuffler", "door", open=True)
    play.do("shoe", "lid", open=True)
    assert play.last("device.fault")["code"] == "door_open"


def test_a_shuffle_that_is_too_long_for_the_house_failed() -> None:
    play = Play(shuffle_timeout_ms=30_000).opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("clock", "timer", name="shuffle")
    assert play.last("shuffle.failed")["reason"] == "timeout"
    assert "aborted" in BROKEN_CYCLE


def test_a_shoe_that_is_silent_for_too_long_is_asked_about() -> None:
    play = Play(dispense_timeout_ms=15_000).ready().bets(1)
    play.do("clock", "timer", name="dispense")
    assert play.last("floor.decision_required")["choices"] == ["void", "continue"]
    assert "dispense" not in play.state.timers


def test_a_shoe_that_stays_silent_after_the_answer_is_noticed_again() -> None:
    play = Play(dispense_timeout_ms=15_000).ready().bets(1)
    for number in (1, 2):
        assert play.state.timers["dispense"] > play.state.last_mono_ms
        play.do("clock", "timer", name="dispense")
        assert play.hold == f"H{number}"
        play.floor("decide", hold=play.hold, choice="continue", reason="look again")
    play.dealt()
    assert "dispense" not in play.state.timers


def test_the_patience_for_a_stack_rests_while_play_is_held() -> None:
    play = Play(dispense_timeout_ms=15_000).ready().bets(1)
    play.dealer("drawn_in_error", exposed=True)
    assert "dispense" not in play.state.timers
    play.floor("decide", hold=play.hold, choice="use_next", reason="r")
    assert "dispense" in play.state.timers
    play.dealer("wrong_count", to=1, cards=4)
    assert "dispense" not in play.state.timers
    play.floor("withdraw", irregularity=play.last("irregularity.raised")["irregularity"],
               reason="recounted")  # fmt: skip
    assert "dispense" in play.state.timers


def test_cards_left_inside_after_the_load_are_missing_from_the_deck() -> None:
    play = Play().ready()
    play.do("shuffler", "residue", cards=2)
    assert play.state.phase is Phase.SHUFFLE
    play.do("shuffler", "residue", cards=0)
    running = Play().ready().bets(1)
    running.do("shuffler", "residue", cards=2)
    assert running.last("floor.decision_required")["code"] == "residue"


def test_the_batch_in_play_cannot_be_in_the_shuffler() -> None:
    play = Play().ready()
    play.do("shuffler", "loaded", batch="A")
    assert play.state.phase is Phase.SHUFFLE
    running = Play(shuffler=ShufflerSetup()).ready().bets(1)
    running.do("shuffler", "loaded", batch="A")
    assert running.last("batch.conflict")["batch"] == "A"
    assert running.state.holds

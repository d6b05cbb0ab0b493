"""Voids in their order, later causes, withdrawals, holds and every choice."""

from collections.abc import Callable

import pytest

from controller.core.state import Phase
from controller.regions.cards import BEFORE_SHUFFLE
from controller.regions.decisions import STUB_CODES
from controller.regions.holds import find
from controller.regions.irregularity import CAUSES_MAX, MINOR
from tests.play import Play

FAP = "fortune-asia-poker"


def dealing(game: str = "dj-wild") -> Play:
    play = Play(game).ready()
    if game == FAP:
        play.bets(1, 3)
        play.draw(7)
    else:
        play.bets(1, 3, progressive=[3], trips=[1])
    return play


def decided() -> Play:
    play = dealing().dealt()
    play.dealer("extra_card")
    return play


def test_a_void_locks_every_step_and_has_one_order() -> None:
    play = decided()
    play.dealer("revealed", whose=1)
    assert set(play.outputs.locks) == {
        "shuffle", "cut", "load", "bets", "deal", "settle", "method",
    }  # fmt: skip
    prompts = []
    for kind in ("bonuses_settled", "wagers_returned"):
        prompts.append(play.outputs.prompt["step"])
        play.refused("floorperson", "confirm_void")
        play.dealer(kind)
    prompts.append(play.outputs.prompt["step"])
    assert prompts == ["bonuses_settled", "wagers_returned", "confirm_void"]
    turn = play.floor("confirm_void")
    kinds = play.types(turn)
    order = ["wager.disposition", "round.voided", "shuffle.required"]
    assert [kind for kind in kinds if kind in order] == order
    assert play.state.phase is Phase.SHUFFLE
    assert "method" not in play.outputs.locks


def test_who_returned_the_wagers_does_not_confirm_and_a_dealer_never_does() -> None:
    play = dealing()
    play.stack(4)
    play.floor("wagers_returned")
    play.refused("floorperson", "confirm_void")
    play.refused("dealer", "done")
    play.refused("dealer", "confirm_void")
    play.do("pit_manager", "confirm_void")


@pytest.mark.parametrize("kind", ["raises_closed", "round_done", "stub", "delivered"])
def test_play_does_not_go_on_while_a_round_is_void(kind: str) -> None:
    members: dict[str, object] = {"stub": {"cards": 4}, "delivered": {"to": 1, "cards": 5}}.get(
        kind, {}
    )  # type: ignore[assignment]
    play = dealing()
    play.stack(4)
    play.refused("dealer", kind, **members)  # type: ignore[arg-type]


def test_a_mistaken_void_is_withdrawn_with_a_reason() -> None:
    play = dealing()
    play.dealer("wrong_count", to=1, cards=4)
    play.refused("floorperson", "withdraw", irregularity="I9", reason="r")
    play.refused("dealer", "withdraw", irregularity="I1", reason="r")
    play.floor("withdraw", irregularity="I1", reason="recounted")
    assert play.state.void is None
    assert play.last("irregularity.withdrawn")["reason"] == "recounted"
    play.stack()
    assert play.last("round.deal_progress")["stack"] == 1


def test_a_later_cause_stands_when_the_first_is_withdrawn() -> None:
    play = dealing()
    play.dealer("wrong_count", to=1, cards=4)
    play.do("shoe", "jam")
    assert play.last("irregularity.raised")["outcome"] == "escalated"
    play.floor("withdraw", irregularity="I1", reason="recounted")
    assert play.state.void is not None
    play.voided()
    assert play.last("round.voided")["code"] == "shoe_failed"


def test_a_later_cause_is_withdrawn_alone() -> None:
    play = dealing()
    play.do("shoe", "jam")
    play.dealer("wrong_count", to=1, cards=4)
    play.floor("withdraw", irregularity="I2", reason="recounted")
    play.voided()
    assert play.last("round.voided")["code"] == "shoe_failed"


def test_a_later_question_is_asked_when_the_void_was_a_mistake() -> None:
    play = dealing()
    play.dealer("wrong_count", to=1, cards=4)
    play.dealer("drawn_in_error", exposed=True)
    play.floor("withdraw", irregularity="I1", reason="recounted")
    assert play.state.void is None
    assert [one.code for one in play.state.holds] == ["drawn_in_error"]


def test_bonuses_and_a_void_that_returns_all_are_for_the_floor_to_decide() -> None:
    play = decided()
    play.dealer("revealed", whose=1)
    play.dealer("wrong_count", to=1, cards=6)
    assert play.last("floor.decision_required")["code"] == "revealed_and_void"
    play.floor("decide", hold=play.hold, choice="void", reason="A12")
    play.voided()
    assert play.last("wager.disposition")["settled"] == []


def test_bonuses_that_were_settled_stay_settled() -> None:
    play = decided()
    play.dealer("revealed", whose=1)
    play.dealer("wrong_count", to=1, cards=6)
    play.dealer("bonuses_settled")
    play.floor("decide", hold=play.hold, choice="void", reason="late")
    play.dealer("wagers_returned")
    play.floor("confirm_void")
    assert play.last("wager.disposition")["settled"] == ["trips", "progressive"]


def test_a_void_leaves_no_hold_and_no_living_alarm_behind() -> None:
    play = dealing()
    play.dealer("drawn_in_error", exposed=True)
    play.stack(4)
    play.stack(4)
    play.dealer("wrong_count", to=1, cards=4)
    play.voided()
    assert play.state.holds == ()
    assert not [one for one in play.state.alarms if one.live]
    for alarm in play.state.alarms:
        play.floor("acknowledge", alarm=alarm.id)
    assert play.state.alarms == ()


def test_a_withdrawn_stub_is_counted_again() -> None:
    play = dealing()
    for _ in range(3):
        play.stack()
    play.do("shoe", "remainder_removed", cards=37)
    play.dealer("extra_card")
    play.dealer("stub", cards=36)
    play.dealer("misdeal", misdealt=False, total=53)
    play.floor("withdraw", irregularity="I1", reason="two cards stuck together")
    assert play.state.phase is Phase.STUB
    play.dealer("stub", cards=37)
    assert play.state.phase is Phase.DECISIONS


# ---- holds ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("choice", ["use_next", "discard", "void"])
def test_every_choice_of_an_exposed_card_leads_on(choice: str) -> None:
    play = dealing()
    play.dealer("drawn_in_error", exposed=True)
    hold = play.hold
    play.refused("dealer", "decide", hold=hold, choice=choice, reason="r")
    play.refused("floorperson", "decide", hold="H9", choice=choice, reason="r")
    play.refused("floorperson", "decide", hold=hold, choice="remove_deck", reason="r")
    play.floor("decide", hold=hold, choice=choice, reason="r")
    assert play.last("floor.authorization")["choice"] == choice
    assert (play.state.void is not None) is (choice == "void")
    assert play.state.holds == ()
    assert STUB_CODES
    assert find.__name__


@pytest.mark.parametrize(("choice", "removed"), [("reshuffle", False), ("remove_deck", True)])
def test_a_deck_that_the_shuffler_counted_wrong(choice: str, removed: bool) -> None:
    play = Play().opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=52)
    assert play.last("deck.count_mismatch")["got"] == 52
    play.floor("decide", hold=play.hold, choice=choice, reason="r")
    assert bool(play.of("deck.removed")) is removed
    assert (play.state.phase is Phase.DECK) is removed
    if removed:
        play.floor("close")
        play.floor("open")
        assert play.state.phase is Phase.DECK, "a closed table forgets no missing deck"
        play.floor("new_deck", batch="A", ids=["x"])
        assert play.state.phase is Phase.OPENING


def test_a_removed_deck_is_not_shuffled_back_into_play() -> None:
    play = Play().opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=52)
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="r")
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=2, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=2, mode="shuffle", result="ok", cards=53)
    assert not play.of("token.made")


def test_resume_and_void_answer_the_hold_that_offers_them() -> None:
    play = dealing()
    play.refused("floorperson", "resume", reason="r")
    play.refused("floorperson", "void", reason="r")
    play.do("system", "overrun", lost=3)
    play.floor("resume", reason="looked at the cameras")
    play.stack()
    assert MINOR
    assert CAUSES_MAX


def test_a_call_for_a_shuffle_in_a_closed_table_opens_nothing() -> None:
    play = Play()
    play.do("system", "overrun", lost=1)
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="r")
    assert play.state.phase is Phase.CLOSED
    assert Phase.CLOSED in BEFORE_SHUFFLE


def test_cards_without_a_token_hold_the_table() -> None:
    play = Play().opened()
    play.do("shoe", "stack", number=1, cards=5)
    assert play.last("irregularity.raised")["code"] == "no_token"
    assert play.of("alarm.raised")[0].severity == 4
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="r")


@pytest.mark.parametrize(("choice", "stack"), [("continue", 1), ("reshuffle", None)])
def test_a_stack_before_the_bets_waits_or_goes_back(choice: str, stack: int | None) -> None:
    play = Play().ready()
    play.do("shoe", "stack", number=1, cards=5)
    play.refused("dealer", "no_more_bets", seats=[2])
    play.floor("decide", hold=play.hold, choice=choice, reason="r")
    if stack is None:
        assert play.state.phase is Phase.SHUFFLE
        return
    turn = play.dealer("no_more_bets", seats=[2])
    assert "round.deal_progress" in play.types(turn)
    play.do("shoe", "stack", number=2, cards=5)
    assert play.state.phase is Phase.REMAINDER


def test_the_rest_that_comes_out_too_early_is_asked_about() -> None:
    play = dealing()
    play.do("shoe", "emptied")
    assert play.last("floor.decision_required")["choices"] == ["void", "continue"]
    between = Play().ready()
    between.do("shoe", "emptied")
    assert between.state.phase is Phase.SHUFFLE


@pytest.mark.parametrize("fact", [
    {"kind": "overrun", "lost": 1},
    {"kind": "started", "version": "1", "digest": "d", "profile_digest": "p", "journal": "j"},
])  # fmt: skip
def test_a_void_that_no_text_speaks_of_cites_none(fact: dict[str, object]) -> None:
    play = Play().ready().bets(1)
    play.do("system", **fact)  # type: ignore[arg-type]
    play.floor("void", reason="r")
    assert play.outputs.locks["deal"] == ["void I1"]
    play.voided()
    assert play.last("round.voided")["irregularity"] == "I1"
    assert not [event.type for event in play.events if event.rule == ""]


@pytest.mark.parametrize("choice", ["continue", "reshuffle"])
def test_a_shoe_that_restarts_over_loaded_cards_is_asked_about(choice: str) -> None:
    play = Play().ready()
    play.do("shoe", "restarted")
    play.refused("dealer", "no_more_bets", seats=[1])
    play.floor("decide", hold=play.hold, choice=choice, reason="r")
    assert play.state.phase is (Phase.BETS if choice == "continue" else Phase.SHUFFLE)
    empty = Play().opened()
    empty.do("shoe", "restarted")
    assert not empty.state.holds


@pytest.mark.parametrize(("begin", "told"), [(Play.opened, False), (Play.ready, True)])
def test_a_lid_opened_over_loaded_cards_is_an_alarm_in_and_out_of_a_round(
    begin: Callable[[Play], Play], told: bool
) -> None:
    play = begin(Play())
    play.do("shoe", "lid", open=True)
    assert bool(play.of("alarm.raised")) is told

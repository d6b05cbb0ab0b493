"""What makes a token and what spends it: `controller.rules.shuffle`."""

import dataclasses

import pytest

from controller.core.setup import ShufflerSetup
from controller.core.state import Phase
from controller.rules.shuffle import SHUFFLE_CITES, batch_for_the_hand
from tests.covers import covers
from tests.play import Play

CYCLE_MS = 21_000  # what `Play.shuffled` takes: 20 s and one second for the line itself


def cycle(play: Play, **ended: object) -> dict[str, object]:
    """One cycle of batch A with its end changed; the data of what came of it."""
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    members = {"cycle": 1, "mode": "shuffle", "result": "ok", "cards": 53, **ended}
    turn = play.do("shuffler", "cycle_ended", **members)  # type: ignore[arg-type]
    return {event.type: event.data for event in turn.events}


@covers("CYCLE-GOOD")
@pytest.mark.parametrize(
    ("ended", "reason"),
    [
        ({"cycle": 2}, "no_cycle"),
        ({"mode": "sort"}, "sort_mode"),
        ({"mode": "count"}, "count_mode"),
        ({"result": "aborted"}, "aborted"),
        ({"result": "incomplete"}, "incomplete"),
        ({"batch": "B"}, "wrong_batch"),
        ({"cards": 52}, "wrong_count"),
        ({"cards": 54}, "wrong_count"),
    ],
)
def test_a_cycle_that_is_no_shuffle_leaves_its_reason(
    ended: dict[str, object], reason: str
) -> None:
    play = Play().opened()
    came = cycle(play, **ended)
    assert "token.made" not in came
    assert came["shuffle.failed"]["reason"] == reason  # type: ignore[index]
    play.do("shuffler", "ejected", batch="A")
    play.do("shoe", "loaded", cards=53)
    assert play.last("token.refused")["reason"] == reason
    assert play.state.phase in (Phase.SHUFFLE, Phase.DECK)


@covers("CYCLE-GOOD")
@pytest.mark.parametrize("ended", [{}, {"batch": "A"}])
def test_a_good_cycle_makes_a_token(ended: dict[str, object]) -> None:
    assert "token.made" in cycle(Play().opened(), **ended)


@covers("CYCLE-GOOD")
def test_a_cycle_without_a_count_makes_a_token_too() -> None:
    play = Play().opened().shuffled(cards=None)
    assert play.of("token.made")


@covers("CYCLE-GOOD")
@pytest.mark.parametrize(
    ("least", "most", "good"),
    [(CYCLE_MS, None, True), (CYCLE_MS + 1, None, False), (None, CYCLE_MS, True),
     (None, CYCLE_MS - 1, False)],
)  # fmt: skip
def test_a_cycle_outside_of_its_family_time_is_suspect(
    least: int | None, most: int | None, good: bool
) -> None:
    play = Play(shuffler=ShufflerSetup(cycle_ms_min=least, cycle_ms_max=most)).opened().shuffled()
    assert bool(play.of("token.made")) is good
    if not good:
        reason = "too_fast" if least else "too_slow"
        play.do("shoe", "loaded", cards=53)
        assert play.last("token.refused")["reason"] == reason


@covers("CYCLE-GOOD")
def test_a_shuffler_that_was_not_heard_did_not_shuffle() -> None:
    play = Play().opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "link", up=False)
    assert play.last("shuffle.failed")["reason"] == "link_lost"
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=53)
    assert not play.of("token.made")


@covers("CYCLE-GOOD")
def test_cards_left_inside_are_no_shuffled_deck() -> None:
    play = Play().opened().shuffled()
    play.do("shuffler", "residue", cards=1)
    play.do("shoe", "loaded", cards=53)
    assert play.last("token.refused")["reason"] == "residue"


@covers("TOKEN-LOAD")
def test_a_load_names_its_own_batch() -> None:
    play = Play().opened().shuffled()
    play.do("shoe", "loaded", cards=53, batch="B")
    assert play.last("token.refused") == {
        "reason": "wrong_batch", "batch": "B", "cards": 53, "round": 0, "shoe": 0,
    }  # fmt: skip


@covers("TOKEN-LOAD")
@pytest.mark.parametrize(("cards", "lawful"), [(52, False), (53, True), (54, False), (None, True)])
def test_a_load_has_the_whole_deck(cards: int | None, lawful: bool) -> None:
    play = Play().opened().shuffled()
    members = {} if cards is None else {"cards": cards}
    play.do("shoe", "loaded", **members)  # type: ignore[arg-type]
    assert bool(play.of("shoe.loaded")) is lawful
    assert bool(play.of("token.refused")) is not lawful


@covers("TOKEN-LOAD")
def test_a_token_is_spent_once() -> None:
    play = Play().ready()
    play.do("shoe", "loaded", cards=53, batch="A")
    assert play.last("token.refused")["reason"] == "already_spent"
    assert play.state.phase is Phase.SHUFFLE
    assert play.state.load is None


@covers("TOKEN-LOAD")
@pytest.mark.parametrize("colour", ["red", "blink"])
def test_a_red_lamp_counts_more_than_a_port_that_says_all_is_well(colour: str) -> None:
    play = Play().opened().shuffled()
    play.do("shuffler", "lamp", colour=colour)
    play.do("shoe", "loaded", cards=53)
    assert play.last("token.refused")["reason"] == "unknown_state"


@covers("TOKEN-LOAD")
def test_a_load_outside_of_the_procedure_is_never_play() -> None:
    play = Play()
    play.shuffled()
    play.do("shoe", "loaded", cards=53)
    assert play.state.phase is Phase.CLOSED
    assert play.of("token.refused")
    play.opened()
    assert play.state.phase is Phase.SHUFFLE, "what was shuffled before the inspection is not"


@covers("TOKEN-LOAD")
def test_a_dealers_load_without_a_token_is_refused_and_nothing_moves() -> None:
    play = Play().opened()
    assert play.refused("dealer", "loaded", into="shoe") == f"58 Pa. Code § {SHUFFLE_CITES[3]}"
    play.shuffled()
    play.dealer("loaded", into="shoe")
    assert play.state.phase is Phase.BETS
    play.refused("dealer", "loaded", into="shoe")


def test_shoe_and_dealer_report_one_load_and_differences_are_held() -> None:
    play = Play().ready()
    play.dealer("loaded", into="shoe", cards=53)
    assert not play.state.holds
    other = Play().ready()
    other.dealer("loaded", into="shoe", cards=52)
    assert other.last("floor.decision_required")["code"] == "load_differs"
    other.floor("decide", hold=other.hold, choice="reshuffle", reason="count again")
    assert other.state.phase is Phase.SHUFFLE


@covers("SHUFFLE-BY-HAND", "SHUFFLE-BEGAN")
def test_a_hand_shuffle_is_stated_only_where_the_hand_is_the_method_and_after_it_began() -> None:
    device = Play().opened()
    device.refused("dealer", "shuffle_started")
    hand = Play(shuffle="manual").opened()
    hand.refused("dealer", "shuffled")
    hand.dealer("shuffle_started")
    hand.dealer("shuffled")
    assert hand.last("token.made")["method"] == "manual"


@covers("SHUFFLE-BEGAN")
def test_a_hand_shuffle_that_another_step_broke_off_begins_again() -> None:
    play = Play(shuffle="manual").opened()
    play.dealer("shuffle_started")
    play.dealer("idle")
    play.dealer("spread", face="down")
    play.dealer("inspected")
    play.floor("opening_verified")
    play.refused("dealer", "shuffled")


@covers("CUT-REQUIRED")
@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker"])
def test_a_hand_shuffle_is_cut_and_a_devices_is_not(game: str) -> None:
    assert Play(game).opened().shuffled().state.phase is Phase.LOAD
    hand = Play(game, shuffle="manual").opened()
    hand.dealer("shuffle_started")
    hand.dealer("shuffled")
    assert hand.state.phase is Phase.CUT


@covers("SHUFFLE-ORDERED")
@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker"])
def test_an_order_to_shuffle_skips_no_step_before_the_shuffle(game: str) -> None:
    play = Play(game)
    play.refused("floorperson", "order_shuffle", reason="r")
    play.floor("open")
    play.floor("order_shuffle", reason="r")
    assert play.state.phase is Phase.OPENING
    play.dealer("inspected")
    play.floor("opening_verified")
    play.shuffled()
    play.floor("order_shuffle", reason="r")
    assert play.state.phase is Phase.SHUFFLE
    assert play.state.batches[0].token is None


@covers("SHUFFLE-WHEN")
def test_every_round_is_followed_by_a_shuffle() -> None:
    play = Play().ready().bets(1).dealt()
    play.dealer("raises_closed")
    play.dealer("round_done")
    assert play.last("shuffle.required")["reason"] == "round"
    assert dataclasses.asdict(play.state.round)["open"] is False


# ---- by hand, after a shuffler failed ----------------------------------------------------------
def failed_with_the_deck_inside() -> Play:
    """The shuffler jams, is signed out of order, and the hand is to shuffle what was in it."""
    play = Play().opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "jam")
    play.floor("declare_unusable", device="shuffler", reason="r")
    play.dealer("covered", device="shuffler", how="sign")
    play.floor("covered", device="shuffler", how="sign")
    play.floor("set_method", step="shuffle", method="manual", reason="r")
    return play


@covers("SHUFFLE-WHOLE")
def test_cards_taken_out_of_a_shuffler_by_hand_are_asked_about_before_they_are_shuffled() -> None:
    play = failed_with_the_deck_inside()
    play.dealer("shuffle_started")
    assert not play.of("shuffle.started")
    assert play.last("floor.decision_required")["code"] == "chamber"
    play.floor("decide", hold=play.hold, choice="continue", reason="looked inside: empty")
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    assert play.state.phase is Phase.CUT


@covers("SHUFFLE-WHOLE")
@pytest.mark.parametrize(("cards", "whole"), [(52, False), (53, True), (54, False)])
def test_a_whole_deck_that_was_counted_needs_no_look_into_the_shuffler(
    cards: int, whole: bool
) -> None:
    play = failed_with_the_deck_inside()
    play.dealer("deck_counted", cards=cards)
    assert play.last("stub.count_result")["ok"] is whole
    if not whole:
        assert play.last("floor.decision_required")["choices"] == ["reshuffle", "remove_deck"]
        return
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    assert play.of("token.made")


@covers("SHUFFLE-WHOLE")
def test_no_hand_shuffles_a_deck_while_cards_of_it_are_known_to_be_inside() -> None:
    play = failed_with_the_deck_inside()
    play.do("shuffler", "residue", cards=16)
    assert play.refused("dealer", "shuffle_started").endswith("687a.5")
    play.dealer("deck_counted", cards=37)
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="r")
    play.refused("dealer", "shuffle_started")
    play.dealer("deck_counted", cards=53)
    assert not play.state.cycle.residue
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    assert play.of("token.made")


@covers("SHUFFLE-WHOLE")
def test_a_count_does_not_outlive_the_next_run_of_the_shuffler() -> None:
    play = failed_with_the_deck_inside()
    play.dealer("deck_counted", cards=53)
    play.do("shuffler", "loaded", batch="A")
    play.dealer("shuffle_started")
    assert play.last("floor.decision_required")["code"] == "chamber"
    other = failed_with_the_deck_inside()
    other.dealer("deck_counted", cards=53)
    other.do("shuffler", "residue", cards=1)
    other.refused("dealer", "shuffle_started")


def test_a_deck_is_counted_for_the_shuffle_only_where_the_hand_shuffles() -> None:
    assert batch_for_the_hand.__doc__
    Play().opened().refused("dealer", "deck_counted", cards=53)

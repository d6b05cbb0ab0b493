"""From a shuffle's cause to its cut, and decks that are changed: `controller.regions.cards`."""

from __future__ import annotations

import pytest

from controller.core.setup import ShufflerSetup
from controller.core.state import Phase
from controller.regions.cards import begin_shuffle_step, deck_removed, pass_cut_on
from controller.regions.deck_age import follow_method
from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, playing, table

HOUR_MS = 3_600_000


# ---- whom the cut is offered to first ----------------------------------------------------------
def jammed_once(play: ShoePlay) -> ShoePlay:
    """The shuffle that is due fails, and is run again."""
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=90, mode="shuffle")
    play.do("shuffler", "jam")
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="r")
    play.do("shuffler", "jam_cleared")
    return play.mixed()


@covers("CUT-ORDER")
def test_a_preshuffled_game_begins_with_the_first_player_to_arrive() -> None:
    play = ShoePlay(BLACKJACK)
    play.floor("open", preshuffled=True)
    play.seated(3, 5)
    play.floor("preshuffled", seal="s1", receipt="r1")
    assert play.last("cut.offered")["to"] == 3
    assert play.last("cut.offered")["origin"] == "first_arrival"


@covers("CUT-ORDER")
def test_a_shuffle_that_failed_keeps_the_cause_of_the_cut() -> None:
    assert begin_shuffle_step.__doc__
    play = ShoePlay(BLACKJACK)
    play.opened()
    jammed_once(play.seated(3, 5))
    assert play.last("cut.offered")["to"] == 3
    assert play.last("cut.offered")["origin"] == "first_arrival"


@covers("CUT-ORDER")
def test_a_shuffle_that_failed_keeps_the_seat_of_the_cover_card() -> None:
    play = playing(BLACKJACK, 2, 4, shuffle="manual", batches=1)
    play.bets(2, 4)
    play.dealer("cover_card_out", where=2)
    play.round_done()
    play.do("shoe", "loaded", cards=312, batch="A")
    assert play.last("token.refused")["reason"] == "already_spent"
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    assert play.last("cut.offered")["origin"] == "cover_seat"
    assert play.last("cut.offered")["to"] == 2


@covers("CUT-ORDER")
def test_a_new_deck_between_two_shoes_keeps_the_seat_of_the_cover_card() -> None:
    play = playing(BLACKJACK, 2, 4)
    play.bets(2, 4)
    play.dealer("cover_card_out", where=2)
    play.round_done()
    play.floor("new_deck", batch="B", ids=["b2"])
    play.dealer("inspected")
    play.floor("opening_verified")
    play.mixed("B")
    assert play.last("cut.offered")["origin"] == "cover_seat"
    assert play.last("cut.offered")["to"] == 2


@covers("CUT-ORDER")
def test_after_an_idle_spread_the_game_begins_anew() -> None:
    play = playing(BLACKJACK, 2, 4, shuffle="manual")
    play.bets(2, 4)
    play.round_done()
    play.dealer("idle")
    play.dealer("spread", face="down")
    play.dealer("player_left", seat=4)
    play.dealer("player_arrived", seat=4)
    for word in ("inspected", "washed", "stacked", "shuffle_started", "shuffled"):
        play.dealer(word)
    assert play.last("cut.offered")["origin"] == "first_arrival"
    assert play.last("cut.offered")["to"] == 4


@covers("CUT-ORDER")
def test_a_floorpersons_order_before_the_load_is_a_new_cause() -> None:
    play = table(BLACKJACK, 3, 5)
    play.floor("order_shuffle", reason="r")
    play.mixed()
    assert play.last("cut.offered")["origin"] == "floor"
    assert play.last("cut.offered")["to"] == 5


def test_a_player_who_left_is_asked_no_more() -> None:
    assert pass_cut_on.__doc__
    play = table(BLACKJACK, 6, 7)
    assert play.last("cut.offered")["to"] == 6
    play.dealer("player_left", seat=6)
    assert play.last("cut.offered")["to"] == 7
    play.dealer("player_left", seat=7)
    assert play.last("cut.offered")["to"] == "dealer"


@covers("RECUT-BY")
@pytest.mark.parametrize(("left", "cutter"), [(4, 6), (6, 4), (2, 6)])
def test_a_recut_goes_to_one_who_still_sits_there(left: int, cutter: int) -> None:
    """Cut by seat 6, then 4 and 2 are next; the usual one is the last cutter, if he stayed."""
    play = table(BLACKJACK, 6, 2, 4).cut()
    play.dealer("player_left", seat=left)
    play.floor("order_recut", reason="r")
    assert play.last("cut.recut_ordered")["cutter"] == cutter


@covers("RECUT-BY")
def test_the_next_one_entitled_is_never_an_empty_seat() -> None:
    play = table(MINIBACCARAT, 2, 4, 7).cut()
    play.dealer("player_left", seat=2)
    assert play.refused("floorperson", "order_recut", reason="r", cutter=2)
    play.floor("order_recut", reason="r")
    assert play.last("cut.recut_ordered")["cutter"] == 4


# ---- washing, new decks, approved devices ------------------------------------------------------
@pytest.mark.parametrize("game", ["dj-wild", "fortune-asia-poker", BLACKJACK, MINIBACCARAT])
def test_cards_may_be_washed_and_stacked_before_any_shuffle(game: str) -> None:
    play = Play(game).opened()
    play.dealer("washed")
    play.dealer("stacked")
    assert play.state.phase is Phase.SHUFFLE


def test_unread_text_asks_about_cards_that_were_not_washed() -> None:
    play = Play(MINIBACCARAT, shuffle="manual").opened()
    play.dealer("idle")
    play.dealer("spread", face="down")
    play.dealer("inspected")
    play.dealer("stacked")
    assert play.state.holds[0].code == "wash"
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.dealer("stacked")
    assert play.last("idle.ended")["path"] == "manual"


def test_a_deck_is_changed_before_it_is_too_old() -> None:
    play = Play().opened()
    play.floor("new_deck", batch="A", ids=["d2"])
    assert play.last("deck.changed") == {"batch": "A", "ids": ["d2"], "round": 0, "shoe": 0}
    assert play.state.phase is Phase.OPENING
    play.floor("new_deck", batch="A", ids=["d3"])
    play.dealer("inspected")
    play.floor("opening_verified")
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.refused("floorperson", "new_deck", batch="A", ids=["d4"])


@covers("DECK-AGE")
def test_a_table_that_turns_to_the_hand_changes_its_decks_sooner() -> None:
    assert follow_method.__doc__
    play = Play(BLACKJACK).opened()
    born_ms = play.state.batches[0].since_ms
    assert born_ms is not None
    due_ms = play.state.timers["deck.A"]
    play.floor("set_method", step="deal", method="hand", reason="r")
    assert play.state.timers["deck.A"] == due_ms - 20 * HOUR_MS
    play.floor("set_method", step="deal", method="manual_shoe", reason="r")
    assert play.state.timers["deck.A"] == due_ms


@covers("EXEMPT-DEVICE")
@pytest.mark.parametrize(("counts", "phase"), [(True, Phase.LOAD), (False, Phase.CUT)])
def test_only_a_device_that_counts_switches_the_cut_off(counts: bool, phase: Phase) -> None:
    play = ShoePlay(BLACKJACK, approved_device="X", shuffler=ShufflerSetup(counts=counts))
    play.do(
        "shuffler", "identity", make="m", model="X", serial="1", firmware="1", digest="d"
    )  # fmt: skip
    assert bool(play.of("config.mode")) is counts
    play.opened()
    play.seated(1).mixed()
    assert play.state.phase is phase
    if counts:
        play.in_shoe()
        assert play.state.phase is Phase.BETS


@covers("BATCH-ALTERNATE")
def test_a_shoe_given_up_for_a_new_deck_of_the_other_batch_counts_as_played() -> None:
    play = playing(BLACKJACK, 1)
    play.shuffled(311, "B")
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="a card is missing")
    assert (play.state.phase, play.state.load, play.state.last_batch) == (Phase.DECK, None, "A")
    play.floor("new_deck", batch="B", ids=["new"])
    play.dealer("inspected")
    play.floor("opening_verified")
    play.mixed("B").cut().in_shoe("B").burned()
    assert play.state.load is not None
    assert play.state.load.batch == "B"


# ---- which deck leaves -------------------------------------------------------------------------
def test_the_deck_that_leaves_is_the_one_that_was_played_and_not_the_other_on_the_table() -> None:
    play = Play(batches=2).opened().shuffled(batch="B").loaded(batch="B").bets(1, 2).dealt()
    play.dealer("stub", cards=37)
    play.dealer("misdeal", misdealt=False, total=52)
    play.voided()
    assert play.last("deck.removed")["batch"] == "B"


def test_the_deck_that_is_too_old_leaves_and_not_the_other_on_the_table() -> None:
    play = playing(BLACKJACK, 1)
    play.floor("order_shuffle", reason="r")
    play.mixed("B")
    play.do("clock", "timer", name="deck.B")
    play.cut().in_shoe("B")
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="24 hours")
    assert play.last("deck.removed")["batch"] == "B"
    assert deck_removed.__doc__

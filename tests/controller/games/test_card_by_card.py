"""Blackjack, and what Minibaccarat shares with it: cut, cover card, burn, end of the shoe."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.state import Phase
from tests.covers import covers
from tests.shoe_play import BLACKJACK, CARDS, MINIBACCARAT, ShoePlay, playing, table

EVERYBODY = (1, 2, 3, 4, 5, 6, 7)


# ---- who cuts ----------------------------------------------------------------------------------
@covers("CUT-ORDER")
def test_the_first_arrival_is_asked_first_then_counter_clockwise() -> None:
    play = table(BLACKJACK, 3, 1, 2, 4, 5, 6, 7)
    assert play.last("cut.offered")["origin"] == "first_arrival"
    assert play.offered() == [3, 2, 1, 7, 6, 5, 4, "dealer"]


@covers("CUT-ORDER")
@pytest.mark.parametrize(
    ("where", "origin", "asked"),
    [
        (3, "cover_seat", [3, 2, 1, 7, 6, 5, 4, "dealer"]),
        ("dealer", "cover_dealer", [7, 6, 5, 4, 3, 2, 1, "dealer"]),
    ],
)
def test_the_place_of_the_cover_card_is_asked_first(
    where: object, origin: str, asked: list[object]
) -> None:
    play = playing(BLACKJACK, *EVERYBODY)
    play.bets(1)
    play.do("shoe", "cover_card")
    play.dealer("cover_card_out", where=where)
    play.round_done().mixed("B")
    assert play.last("cut.offered")["origin"] == origin
    assert play.offered() == asked


@covers("CUT-ORDER")
def test_an_ordered_shuffle_asks_the_farthest_right_first() -> None:
    play = playing(BLACKJACK, *EVERYBODY)
    play.floor("order_shuffle", reason="spill")
    play.mixed("B")
    assert play.last("cut.offered")["origin"] == "floor"
    assert play.offered() == [7, 6, 5, 4, 3, 2, 1, "dealer"]


@covers("CUT-ORDER")
@pytest.mark.parametrize(
    ("numbering", "asked"),
    [("from_dealer_left", [5, 2, "dealer"]), ("from_dealer_right", [2, 5, "dealer"])],
)
def test_minibaccarat_asks_the_highest_number_first(numbering: str, asked: list[object]) -> None:
    play = table(MINIBACCARAT, 2, 5, numbering=numbering)
    assert play.offered() == asked


@covers("CUT-ORDER")
def test_nobody_at_the_table_leaves_the_cut_to_the_dealer() -> None:
    assert table(BLACKJACK).offered() == ["dealer"]
    assert table(MINIBACCARAT).offered() == ["dealer"]


@covers("CUT-OFFERED", "CUT-REFUSED")
def test_only_who_is_asked_cuts_or_refuses() -> None:
    play = table(BLACKJACK, 3, 2)
    assert play.refused("dealer", "cut_made", cutter=2).endswith("633a.5(b)")
    assert play.refused("dealer", "cut_made", cutter="dealer").endswith("633a.5(b)")
    assert play.refused("dealer", "cut_refused", seat=2).endswith("633a.5(b)")
    play.dealer("cut_refused", seat=3)
    play.dealer("cut_made", cutter=2)


# ---- how deep ------------------------------------------------------------------------------------
@covers("CUT-DEPTH")
@pytest.mark.parametrize(
    ("game", "above", "lawful"),
    [
        (BLACKJACK, 9, False), (BLACKJACK, 10, True), (BLACKJACK, 302, True),
        (BLACKJACK, 303, False), (MINIBACCARAT, 9, False), (MINIBACCARAT, 10, True),
        (MINIBACCARAT, 406, True), (MINIBACCARAT, 407, False),
    ],
)  # fmt: skip
def test_a_cut_leaves_ten_cards_at_either_end(game: str, above: int, lawful: bool) -> None:
    play = table(game, 1)
    if lawful:
        play.dealer("cut_made", cutter=1, from_top=above)
    else:
        play.refused("dealer", "cut_made", cutter=1, from_top=above)


@covers("COVER-DEPTH")
@pytest.mark.parametrize(("decks", "least"), [(1, 13), (2, 26), (4, 52), (6, 78), (8, 104)])
def test_the_cover_card_goes_a_quarter_above_the_bottom(decks: int, least: int) -> None:
    play = table(BLACKJACK, 1, decks=decks, batches=1)
    play.dealer("cut_made", cutter=1)
    rule = play.refused("dealer", "cover_inserted", from_bottom=least - 1)
    assert rule.endswith("633a.5(d)")
    play.refused("dealer", "cover_inserted", from_bottom=52 * decks + 1)
    play.dealer("cover_inserted", from_bottom=least)
    assert play.last("cover.inserted")["from_bottom"] == least


@covers("COVER-DEPTH")
def test_minibaccarat_puts_the_second_cover_card_fourteen_above_the_bottom() -> None:
    play = table(MINIBACCARAT, 1)
    play.dealer("cut_made", cutter=1)
    play.refused("dealer", "cover_inserted", from_bottom=14)
    play.dealer("stacked")
    assert play.refused("dealer", "cover_inserted", from_bottom=13).endswith("627a.5(d)")
    play.dealer("cover_inserted", from_bottom=14)


def test_a_load_before_the_cover_card_lacks_a_step_of_the_cut() -> None:
    play = table(BLACKJACK, 1)
    play.dealer("cut_made", cutter=1)
    play.in_shoe()
    assert play.last("token.refused")["reason"] == "not_cut"
    assert play.state.load is None


# ---- recut ---------------------------------------------------------------------------------------
@covers("RECUT-BY", "RECUT-WINDOW")
def test_blackjack_is_cut_again_by_the_last_or_the_next_until_the_load() -> None:
    play = table(BLACKJACK, 3, 2, 1)
    play.dealer("cut_made", cutter=3)
    play.refused("floorperson", "order_recut", reason="r", cutter=1)
    play.floor("order_recut", reason="r")
    assert play.last("cut.recut_ordered")["cutter"] == 3
    play.cut()
    play.floor("order_recut", reason="r", cutter=2)
    assert play.last("cut.offered")["to"] == 2
    play.cut().in_shoe()
    assert play.refused("floorperson", "order_recut", reason="r").endswith("633a.5(e)")


@covers("RECUT-BY")
def test_minibaccarat_is_cut_again_by_the_next_one_only() -> None:
    play = table(MINIBACCARAT, 2, 5)
    play.dealer("cut_made", cutter=5)
    assert play.refused("floorperson", "order_recut", reason="r", cutter=5).endswith("627a.5(e)")
    play.floor("order_recut", reason="r")
    assert play.last("cut.recut_ordered")["cutter"] == 2


# ---- burn ----------------------------------------------------------------------------------------
@covers("BURN-FIRST", "BURN-COUNT")
def test_blackjacks_unread_burn_is_asked_about_and_no_more() -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    play.bets(1)
    assert play.state.phase is Phase.BURN
    assert play.last("floor.decision_required")["choices"] == ["continue", "reshuffle"]
    play.floor("decide", hold=play.hold, choice="continue", reason="house")
    play.bets(1)
    assert play.state.phase is Phase.PLAY


@covers("BURN-COUNT")
def test_a_burn_that_the_shoe_counted_otherwise_is_held() -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    play.card()
    play.card()
    play.dealer("burned", cards=1)
    assert play.last("burn.mismatch")["got"] == 2
    assert play.state.holds[0].code == "burn_mismatch"
    play.floor("decide", hold=play.hold, choice="continue", reason="two went to the rack")
    play.bets(1)


def test_a_new_dealer_burns_one_card_again() -> None:
    play = playing(BLACKJACK, 1)
    play.dealer("sign_in", dealer="d1")
    assert play.state.phase is Phase.BETS
    play.dealer("sign_in", dealer="d2")
    assert play.state.phase is Phase.BURN
    play.dealer("burned", cards=1)
    assert play.state.phase is Phase.BETS


# ---- rounds and the end of the shoe --------------------------------------------------------------
@covers("SHOE-END")
def test_the_cover_card_makes_the_last_round_and_the_other_batch_follows() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1).do("shoe", "cover_card")
    play.round_done()
    assert "where" not in play.last("shoe.cover_card_out")
    assert len(play.of("round.last_of_shoe")) == 1
    assert play.last("shuffle.required")["reason"] == "cover_card"


@covers("BATCH-ALTERNATE")
def test_the_batch_that_was_just_played_is_not_loaded_again() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.dealer("cover_card_out", where=1)
    play.round_done().mixed("A").cut().in_shoe("A")
    assert play.last("batch.conflict")["reason"] == "just_played"
    assert play.last("token.refused")["reason"] == "wrong_batch"
    play.mixed("B").cut().in_shoe("B")
    assert play.state.load is not None


@covers("BATCH-ALTERNATE")
def test_without_a_shuffler_one_batch_follows_itself() -> None:
    play = playing(BLACKJACK, 1)
    play.floor("order_shuffle", reason="r")
    play.floor("set_method", step="shuffle", method="manual", reason="no shuffler")
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    play.cut()
    play.do("shoe", "loaded", cards=312, batch="A")
    assert play.state.load is not None


@covers("SHOE-END")
def test_an_ordered_shuffle_waits_for_the_end_of_the_round() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.floor("order_shuffle", reason="r")
    assert play.state.phase is Phase.PLAY
    play.round_done()
    assert play.last("shuffle.required")["reason"] == "floor"


@covers("SHOE-ROUNDS-AFTER")
@pytest.mark.parametrize(("after", "rounds"), [(0, 1), (1, 2)])
def test_the_house_says_how_many_rounds_follow_the_cover_card(after: int, rounds: int) -> None:
    play = playing(MINIBACCARAT, 1, rounds_after_cover=after)
    play.bets(1).do("shoe", "cover_card")
    for _ in range(rounds):
        assert play.state.phase is Phase.PLAY
        play.cards("2", "3", "6", "5").round_done()
        if play.state.phase is Phase.BETS:
            play.bets(1)
    assert play.state.phase is Phase.SHUFFLE


@covers("SHOE-ROUNDS-AFTER")
def test_a_house_that_did_not_say_is_asked_after_that_round() -> None:
    play = playing(MINIBACCARAT, 1, rounds_after_cover=None)
    play.bets(1).do("shoe", "cover_card")
    play.cards("2", "3", "6", "5").round_done()
    assert play.last("floor.decision_required")["choices"] == ["reshuffle", "continue"]
    play.floor("decide", hold=play.hold, choice="continue", reason="one more")
    play.bets(1)
    play.cards("2", "3", "6", "5").round_done()
    assert play.state.phase is Phase.SHUFFLE


def test_two_places_of_one_cover_card_are_held() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.dealer("cover_card_out", where=1)
    play.dealer("cover_card_out", where=1)
    assert not play.state.holds
    play.dealer("cover_card_out", where="dealer")
    assert play.state.holds[0].code == "cover_differs"


def test_a_card_before_the_bets_are_closed_is_too_early_and_only_asked_about() -> None:
    play = playing(BLACKJACK, 1)
    play.card()
    assert play.last("irregularity.raised")["code"] == "early_card"
    assert not play.of("round.voided")


# ---- order of the pack, too many cards -----------------------------------------------------------
@covers("ORDER-CHECK")
def test_four_neighbours_among_ten_exposed_cards_call_the_floor() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    for rank in ("2", "3", "4", "5"):
        play.card(rank, "spades")
    assert not play.state.alarms
    play.card("6", "spades")
    assert [alarm.key for alarm in play.state.alarms] == ["unshuffled_pack"]
    assert play.state.alarms[0].severity == 4


@covers("ORDER-CHECK")
def test_neighbours_of_other_suits_or_after_the_tenth_card_are_chance() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.cards("2", "3", "4", "5", "6", "7", "8", "9", "10", "J")
    for rank in ("2", "3", "4", "5", "6", "7"):
        play.card(rank, "spades")
    assert not play.state.alarms


def test_more_cards_than_were_loaded_cannot_be() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    for _ in range(CARDS[BLACKJACK] - 1):
        play.card()
    assert play.state.batches[0].cards.shoe == 0
    assert not play.of("deck.count_mismatch"), "the last of 312 may still be dealt"
    play.card()
    said = play.last("deck.count_mismatch")
    assert (said["place"], said["expected"], said["got"]) == ("shoe", 0, 1)
    assert play.last("irregularity.raised")["code"] == "count_mismatch"
    assert play.state.holds[0].choices == ("continue", "void")


# ---- deck age ------------------------------------------------------------------------------------
@covers("DECK-AGE", "DECK-DUE")
@pytest.mark.parametrize(("deal", "hours"), [("manual_shoe", 24), ("hand", 4)])
def test_a_deck_that_is_too_old_finishes_its_round_and_is_changed(deal: str, hours: int) -> None:
    play = ShoePlay(BLACKJACK, deal=deal, batches=1)
    play.opened()
    assert play.state.timers["deck.A"] == 4_000 + hours * 3_600_000
    play.do("clock", "timer", name="deck.A")
    assert play.rule("deck.change_due") == "633a.3(d)"
    play.seated(1).mixed().cut()
    play.dealer("loaded", into="hand" if deal == "hand" else "shoe")
    assert play.state.holds[0].code == "deck_change"
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="old")
    play.floor("new_deck", batch="A", ids=["n1"])
    assert play.state.phase is Phase.OPENING
    assert not play.state.batches[0].change_due


@covers("DECK-AGE")
def test_an_inspection_does_not_make_an_old_deck_new() -> None:
    play = ShoePlay(BLACKJACK)
    play.opened()
    due = play.state.timers["deck.A"]
    play.floor("close")
    play.opened()
    assert play.state.timers["deck.A"] == due


# ---- idle ----------------------------------------------------------------------------------------
def spread(play: ShoePlay) -> ShoePlay:
    play.dealer("idle")
    play.dealer("spread", face="down")
    play.dealer("inspected")
    return play


def test_an_idle_table_may_take_the_stored_batch() -> None:
    play = playing(BLACKJACK, 1)
    play.do("shuffler", "loaded", batch="B")
    play.do("shuffler", "cycle_started", cycle=9, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=9, mode="shuffle", result="ok", cards=312)
    spread(play)
    play.seated(4)
    play.dealer("stacked")
    assert not play.of("idle.ended")
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "ejected", batch="B")
    assert play.last("batch.swapped")["batch"] == "B"
    assert play.last("idle.ended")["path"] == "stored_batch"
    assert play.last("cut.offered")["to"] == 4


def test_a_player_who_asks_gets_the_stored_batch_spread_and_shuffled_too() -> None:
    play = playing(BLACKJACK, 1)
    play.do("shuffler", "loaded", batch="B")
    play.do("shuffler", "cycle_started", cycle=9, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=9, mode="shuffle", result="ok", cards=312)
    play.dealer("idle")
    play.dealer("spread", face="down")
    play.dealer("asked_spread")
    play.dealer("inspected")
    play.dealer("stacked")
    assert play.last("idle.ended")["path"] == "manual"
    assert all(batch.token is None for batch in play.state.batches)


def test_without_a_shuffler_idle_cards_are_washed_before_they_are_stacked() -> None:
    play = playing(BLACKJACK, 1)
    play.floor("set_method", step="shuffle", method="manual", reason="r")
    spread(play)
    assert play.refused("dealer", "stacked").endswith("633a.5(g)(1)")
    play.dealer("washed")
    play.dealer("stacked")
    assert play.state.phase is Phase.SHUFFLE


# ---- approved device -----------------------------------------------------------------------------
@covers("EXEMPT-DEVICE", "EXEMPT-PARAGRAPH")
@pytest.mark.parametrize("counts", [True, False])
def test_an_approved_device_that_counts_switches_the_cut_off(counts: bool) -> None:
    play = ShoePlay(BLACKJACK, approved_device="CSM-1")
    if not counts:
        shuffler = dataclasses.replace(play.book.setup.shuffler, counts=False)
        setup = dataclasses.replace(play.book.setup, shuffler=shuffler)
        play.book = dataclasses.replace(play.book, setup=setup)
    play.opened()
    who = {"make": "m", "model": "CSM-1", "serial": "s", "firmware": "1", "digest": ""}
    play.do("shuffler", "identity", **who)
    play.seated(1).mixed()
    assert play.state.phase is (Phase.LOAD if counts else Phase.CUT)

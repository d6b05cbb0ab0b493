"""A device's count is testimony: it is held against the cards that must be there."""

from __future__ import annotations

import pytest

from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, table


def mismatch(play: Play) -> tuple[object, ...]:
    said = play.last("deck.count_mismatch")
    return said["batch"], said.get("place"), said["expected"], said["got"]


# ---- shuffler ------------------------------------------------------------------------------------
@pytest.mark.parametrize(("cards", "held"), [(53, False), (52, True), (54, True)])
def test_cards_loaded_into_the_shuffler_are_the_whole_deck(cards: int, held: bool) -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A", cards=cards)
    assert bool(play.state.holds) is held
    if held:
        assert mismatch(play) == ("A", "shuffler", 53, cards)
        assert play.last("irregularity.raised")["code"] == "count_mismatch"
        assert play.state.holds[0].choices == ("continue", "reshuffle", "remove_deck")
        assert play.state.batches[0].cards.unknown == max(0, 53 - cards)


def test_a_floorperson_may_let_the_cycle_count_what_the_feeder_miscounted() -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A", cards=52)
    play.floor("decide", hold=play.hold, choice="continue", reason="the feeder skips")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=53)
    assert play.state.batches[0].cards.shuffler == 53
    assert not play.state.holds


def test_a_deck_that_went_in_short_is_taken_away_where_the_floorperson_says_so() -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A", cards=52)
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="r")
    assert play.state.batches[0].cards.removed == 53


@covers("CYCLE-GOOD")
def test_a_wrong_count_of_a_cycle_leaves_the_missing_card_unknown() -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=52)
    assert play.state.batches[0].cards.shuffler == 52
    assert play.state.batches[0].cards.unknown == 1
    assert mismatch(play)[2:] == (53, 52)


@pytest.mark.parametrize("mode", ["count", "sort"])
@pytest.mark.parametrize(("cards", "held"), [(53, False), (52, True)])
def test_a_cycle_that_is_no_shuffle_counts_the_deck_all_the_same(
    mode: str, cards: int, held: bool
) -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode=mode)
    play.do("shuffler", "cycle_ended", cycle=1, mode=mode, result="ok", cards=cards)
    assert bool(play.state.holds) is held
    assert bool(play.of("deck.count_mismatch")) is held
    assert play.last("shuffle.failed")["reason"] == f"{mode}_mode"


@pytest.mark.parametrize(("cards", "inside"), [(53, 0), (51, 2)])
def test_what_did_not_come_out_is_in_the_shuffler(cards: int, inside: int) -> None:
    play = Play("dj-wild").opened()
    play.shuffled(batch="A")
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "ejected", batch="A", cards=cards)
    where = play.state.batches[0].cards
    assert (where.stack, where.shuffler) == (cards, inside)
    assert play.state.cycle.residue is bool(inside)


def test_more_cards_out_of_the_shuffler_than_the_deck_has_hold() -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "ejected", batch="A", cards=54)
    assert mismatch(play) == ("A", "stack", 53, 54)
    assert play.state.holds


def test_a_stored_batch_that_comes_out_short_left_cards_behind() -> None:
    play = table(BLACKJACK, 1)
    play.do("shuffler", "loaded", batch="B")
    play.do("shuffler", "cycle_started", cycle=9, mode="shuffle")
    play.at_ms += 20_000
    play.do("shuffler", "cycle_ended", cycle=9, mode="shuffle", result="ok", cards=312)
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "ejected", batch="B", cards=296)
    assert play.state.batches[1].cards.shuffler == 16
    assert play.state.batches[1].token is None
    assert play.state.cycle.residue


def test_cards_found_inside_are_missed_where_they_were_thought_to_be() -> None:
    play = Play("dj-wild").opened().shuffled()
    play.do("shuffler", "residue", cards=16)
    where = play.state.batches[0].cards
    assert (where.shuffler, where.stack) == (16, 37)
    play.do("shuffler", "residue", cards=0)
    where = play.state.batches[0].cards
    assert (where.shuffler, where.stack, where.table) == (0, 37, 16)


def test_an_empty_chamber_proves_nothing_of_the_batch_that_was_stored() -> None:
    play = Play("dj-wild", batches=2).opened()
    play.do("shuffler", "loaded", batch="B")
    play.do("shuffler", "cycle_started", cycle=9, mode="shuffle")
    play.at_ms += 20_000
    play.do("shuffler", "cycle_ended", cycle=9, mode="shuffle", result="ok", cards=53)
    play.floor("declare_unusable", device="shuffler", reason="r")
    play.floor("return_to_service", device="shuffler", chamber_empty=True)
    batch = play.state.batches[1]
    assert (batch.where, batch.token, batch.cards.table) == ("table", None, 53)


# ---- shoe ----------------------------------------------------------------------------------------
@covers("DEAL-REMAINDER")
@pytest.mark.parametrize(("cards", "fits"), [(42, False), (43, True), (44, False)])
def test_the_rest_of_the_cards_is_what_was_not_dealt(cards: int, fits: bool) -> None:
    play = Play("dj-wild").ready().bets(1)
    play.stack()
    play.stack()
    play.do("shoe", "remainder_removed", cards=cards)
    assert bool(play.of("stub.count_due")) is not fits
    assert bool(play.of("deck.count_mismatch")) is not fits
    if not fits:
        assert mismatch(play) == ("A", "shoe", 43, cards)
        assert not play.state.holds, "the stub count decides"
        assert play.state.batches[0].cards.stub == min(cards, 43)


def test_more_stacks_than_the_deck_has_cards_cannot_be() -> None:
    play = Play("dj-wild").ready()
    for number in range(1, 11):
        play.do("shoe", "stack", number=number, cards=5)
    assert play.state.batches[0].cards.shoe == 3
    assert not play.of("deck.count_mismatch")
    play.do("shoe", "stack", number=11, cards=5)
    assert mismatch(play) == ("A", "shoe", 3, 5)


@pytest.mark.parametrize(("number", "left"), [(52, 1), (53, 0)])
def test_shoe_and_dealer_who_load_different_numbers_leave_the_difference_unknown(
    number: int, left: int
) -> None:
    play = Play("dj-wild").ready()
    play.dealer("loaded", into="shoe", cards=number)
    assert bool(play.state.holds) is bool(left)
    assert play.state.batches[0].cards.unknown == left

"""The shuffler speaks of cards that are being played: their proof stays until a person decides."""

from __future__ import annotations

import pytest

from controller.core.state import Phase
from tests.play import Play


def dealing() -> Play:
    return Play("dj-wild").ready().bets(1)


def test_a_short_eject_of_the_batch_in_play_is_asked_and_its_token_stays() -> None:
    day = dealing()
    day.do("shuffler", "ejected", batch="A", cards=52)
    day.floor("decide", hold=day.hold, choice="continue", reason="counted by hand")
    token = day.state.batches[0].token
    assert token is not None
    assert token.spent
    assert day.types(day.stack()) == ["round.deal_progress"]


def test_a_whole_eject_of_the_batch_in_play_is_only_late() -> None:
    day = dealing()
    day.do("shuffler", "ejected", batch="A", cards=53)
    assert not day.state.holds
    assert day.types(day.stack()) == ["round.deal_progress"]


def two_batches() -> Play:
    day = Play("blackjack", decks=1).opened().shuffled(52)
    day.dealer("cut_made", cutter="dealer")
    day.dealer("cover_inserted")
    day.loaded(52).dealer("burned", cards=1)
    return day


def test_the_batch_in_play_does_not_come_out_of_a_shuffler_that_holds_the_other_one() -> None:
    day = two_batches().bets(1)
    day.do("shuffler", "loaded", batch="B")
    turn = day.do("shuffler", "ejected", batch="A")
    assert day.types(turn)[:2] == ["batch.conflict", "floor.decision_required"]
    token = day.state.batches[0].token
    assert token is not None
    assert token.spent


def test_between_rounds_such_a_batch_is_shuffled_again() -> None:
    day = two_batches()
    day.do("shuffler", "loaded", batch="B")
    turn = day.do("shuffler", "ejected", batch="A")
    assert day.types(turn)[:2] == ["batch.conflict", "shuffle.required"]
    assert day.state.load is None
    assert day.state.phase is Phase.SHUFFLE


@pytest.mark.parametrize("choice", ["reshuffle", "remove_deck"])
def test_a_question_about_a_batch_that_was_loaded_meanwhile_is_about_the_cards_in_the_shoe(
    choice: str,
) -> None:
    day = Play("dj-wild").opened()
    day.do("shuffler", "loaded", batch="A")
    day.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    day.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=52)
    day.do("shuffler", "cycle_started", cycle=2, mode="shuffle")
    day.do("shuffler", "cycle_ended", cycle=2, mode="shuffle", result="ok", cards=53)
    day.loaded()
    day.floor("decide", hold=day.hold, choice=choice, reason="r")
    assert day.state.load is None
    assert day.state.batches[0].token is None
    assert day.state.phase is (Phase.DECK if choice == "remove_deck" else Phase.SHUFFLE)

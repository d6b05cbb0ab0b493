"""Two batches, each for every second shoe: `controller.rules.batches`, at its edges."""

import pytest

from controller.core.state import Phase
from controller.rules.batches import batch_was_just_played
from tests.covers import covers
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, playing


def end_shoe(play: ShoePlay) -> ShoePlay:
    """A round with the cover card, and the shoe is over."""
    play.bets(1)
    play.dealer("cover_card_out", where=1)
    if play.game == MINIBACCARAT:
        play.cards("2", "3", "6", "5")
    return play.round_done()


def loads(play: ShoePlay, batch: str) -> bool:
    """Shuffled, cut and put into the shoe: whether that was lawful."""
    play.mixed(batch).cut().in_shoe(batch)
    return play.state.load is not None


@covers("BATCH-ALTERNATE")
def test_each_batch_is_used_for_every_second_shoe() -> None:
    play = end_shoe(playing(BLACKJACK, 1))
    for batch in ("B", "A", "B"):
        assert loads(play, batch), batch
        end_shoe(play.burned())
    assert play.of("batch.conflict") == []
    assert not loads(play, "B")
    assert play.rule("batch.conflict") == "633a.3(b)"
    assert batch_was_just_played.__doc__


@covers("BATCH-ALTERNATE")
def test_a_shoe_that_a_floorperson_ended_counts_as_played_too() -> None:
    play = playing(BLACKJACK, 1)
    play.floor("order_shuffle", reason="sticky")
    assert not loads(play, "A")
    assert loads(play, "B")


@covers("BATCH-ALTERNATE")
def test_closing_the_table_does_not_make_the_played_batch_the_next_one() -> None:
    play = end_shoe(playing(BLACKJACK, 1))
    play.floor("close")
    play.opened()
    play.seated(1)
    assert not loads(play, "A")


@covers("BATCH-ALTERNATE")
def test_a_recut_of_the_batch_that_waits_is_no_second_shoe() -> None:
    play = end_shoe(playing(BLACKJACK, 1)).mixed("B").cut()
    play.floor("order_recut", reason="seen")
    play.cut().in_shoe("B")
    assert play.state.phase is Phase.BURN


@covers("BATCH-ALTERNATE")
@pytest.mark.parametrize("batches", [1, 2])
def test_where_no_text_on_batches_was_read_one_follows_itself(batches: int) -> None:
    play = end_shoe(playing(MINIBACCARAT, 1, batches=batches))
    assert loads(play, "A")


@covers("BATCH-ALTERNATE")
def test_an_approved_device_has_no_batches_that_alternate() -> None:
    play = ShoePlay(BLACKJACK, approved_device="X")
    play.opened()
    play.do("shuffler", "identity", make="m", model="X", serial="s", firmware="f")
    for _ in range(2):
        play.mixed("A").in_shoe("A")
        assert play.state.load is not None
        end_shoe(play)

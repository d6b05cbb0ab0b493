"""Every input that moves cards moves them in the arithmetic, in all games and deal methods."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.state import Phase
from controller.core.whereabouts import EVERYWHERE
from controller.program import dump_state, load_state
from tests.play import Play
from tests.shoe_play import BLACKJACK, CARDS, MINIBACCARAT, playing, table


def where(play: Play, batch: int = 0) -> dict[str, int]:
    """The places that have cards of a batch; what it holds is what the state topic shows."""
    cards = play.state.batches[batch].cards
    assert cards.total == play.book.setup.batch_cards
    shown = play.outputs.table["batches"][batch]["cards"]
    assert shown == {place: cards.at(place) for place in EVERYWHERE}
    assert load_state(dump_state(play.state)) == play.state
    return {place: count for place, count in shown.items() if count}


# ---- stacks --------------------------------------------------------------------------------------
def test_a_round_of_stacks_from_shuffler_to_rack_and_back() -> None:
    play = Play("dj-wild").opened()
    assert where(play) == {"table": 53}
    play.do("shuffler", "loaded", batch="A")
    assert where(play) == {"shuffler": 53}
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "cycle_ended", cycle=1, mode="shuffle", result="ok", cards=53)
    assert where(play) == {"shuffler": 53}
    play.do("shuffler", "ejected", batch="A", cards=53)
    assert where(play) == {"stack": 53}
    play.loaded()
    assert where(play) == {"shoe": 53}
    play.bets(1, 3, progressive=[1])
    for hands in (5, 10, 15):
        play.stack()
        assert where(play) == {"shoe": 53 - hands, "hands": hands}
    play.do("shoe", "remainder_removed", cards=38)
    assert where(play) == {"stub": 38, "hands": 15}
    play.dealer("extra_card")
    assert where(play) == {"rack": 37, "hands": 15, "layout": 1}
    play.dealer("raises_closed")
    play.dealer("round_done")
    assert where(play) == {"table": 53}


def test_a_stub_that_is_counted_lies_apart_until_it_is_right() -> None:
    play = Play("dj-wild").ready()
    play.state = dataclasses.replace(play.state, stub_rounds=4)
    play.bets(1).dealt()
    assert play.state.phase is Phase.STUB
    assert where(play) == {"stub": 43, "hands": 10}
    play.dealer("stub", cards=43)
    assert where(play) == {"rack": 43, "hands": 10}


def test_a_stub_counted_out_of_the_rack_goes_back_to_it() -> None:
    play = Play("dj-wild").ready().bets(1).dealt()
    assert where(play) == {"rack": 43, "hands": 10}
    play.dealer("stub", cards=42)
    assert where(play) == {"stub": 42, "hands": 10, "unknown": 1}
    play.dealer("misdeal", misdealt=True, total=53)
    assert where(play) == {"table": 53}


def test_a_misdeals_missing_card_is_unknown_until_the_deck_leaves() -> None:
    play = Play("dj-wild").ready().bets(1).dealt()
    play.dealer("stub", cards=42)
    play.dealer("misdeal", misdealt=False, total=52)
    assert where(play) == {"table": 52, "unknown": 1}
    play.voided()
    assert where(play) == {"removed": 53}
    play.floor("new_deck", batch="A", ids=["x"])
    assert where(play) == {"table": 53}


def test_a_boxed_card_goes_to_the_rack() -> None:
    play = Play("dj-wild").ready().bets(1)
    play.stack()
    play.dealer("face_up_card")
    assert where(play) == {"shoe": 47, "hands": 5, "rack": 1}
    play.stack()
    play.do("shoe", "remainder_removed", cards=42)
    assert where(play) == {"rack": 43, "hands": 10}


def test_a_stack_that_waits_lies_on_the_layout() -> None:
    play = Play("dj-wild").ready()
    play.do("shoe", "stack", number=1, cards=5)
    assert where(play) == {"shoe": 48, "layout": 5}
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.bets(1)
    assert where(play) == {"shoe": 48, "hands": 5}


def test_seven_stacks_of_seven_leave_a_stub_of_four() -> None:
    play = Play("fortune-asia-poker").ready().bets(1)
    play.draw(3)
    play.dealt()
    assert where(play) == {"stub": 4, "hands": 49}
    play.dealer("stub", cards=4)
    assert where(play) == {"rack": 4, "hands": 49}


@pytest.mark.parametrize(("game", "left"), [("dj-wild", "rack"), ("fortune-asia-poker", "stub")])
def test_dealt_by_hand_the_cards_leave_the_hand(game: str, left: str) -> None:
    play = Play(game, deal="hand").opened().shuffled()
    play.dealer("loaded", into="hand")
    assert where(play) == {"shoe": 53}
    play.bets(1)
    if game != "dj-wild":
        play.draw(1)
    dealt = 0
    while play.state.phase is Phase.DEAL:
        to = play.state.round.order[play.state.round.dealt]
        size = play.book.profile.deal.stack_cards.value
        play.dealer("delivered", to=to, cards=size)
        dealt += size
    if play.state.phase is Phase.EXTRA:
        play.dealer("extra_card")
        assert where(play) == {"hands": dealt, left: 52 - dealt, "layout": 1}
    else:
        assert where(play) == {"hands": dealt, left: 53 - dealt}


def test_a_hand_given_to_another_position_is_the_next_one_to_be_given() -> None:
    play = Play("dj-wild", deal="hand").opened().shuffled()
    play.dealer("loaded", into="hand")
    play.bets(1, 3)
    play.dealer("delivered", to=3, cards=5)
    assert where(play) == {"shoe": 48, "layout": 5}
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.dealer("delivered", to=1, cards=5)
    assert where(play) == {"shoe": 48, "hands": 5}


# ---- card by card --------------------------------------------------------------------------------
@pytest.mark.parametrize(("game", "burned"), [(BLACKJACK, 1), (MINIBACCARAT, 2)])
def test_a_shoe_from_burn_to_its_end(game: str, burned: int) -> None:
    play = playing(game, 1)
    assert where(play) == {"shoe": CARDS[game] - burned, "burned": burned}
    play.bets(1)
    play.cards("3", "4", "5", "4")
    assert where(play) == {"shoe": CARDS[game] - burned - 4, "burned": burned, "hands": 4}
    play.do("shoe", "cover_card")
    play.dealer("cover_card_out", where=1)
    play.round_done()
    if game == BLACKJACK:
        assert play.state.load is None
    assert where(play) == {"table": CARDS[game]}


def test_played_hands_lie_in_the_rack_until_the_shoe_ends() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.cards("3", "4", "5", "4")
    play.round_done()
    assert where(play) == {"shoe": 307, "burned": 1, "rack": 4}
    play.do("dealer", "sign_in", by="d2", dealer="d2")
    play.card()
    assert where(play) == {"shoe": 306, "burned": 2, "rack": 4}


def test_a_burn_that_only_the_dealer_counted_moves_his_number() -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    play.dealer("burned", cards=1)
    assert where(play) == {"shoe": 311, "burned": 1}


@pytest.mark.parametrize(
    ("said", "left"),
    [(1, {"shoe": 310, "burned": 1, "unknown": 1}), (3, {"shoe": 309, "burned": 2, "unknown": 1})],
)
def test_where_two_witnesses_of_a_burn_differ_a_card_is_unknown(
    said: int, left: dict[str, int]
) -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    play.card()
    play.card()
    play.dealer("burned", cards=said)
    assert where(play) == left


def test_a_shoe_that_counts_nothing_leaves_its_cards_unknown_after_a_round() -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    play.dealer("burned", cards=1)
    play.bets(1)
    play.round_done()
    assert where(play) == {"unknown": 311, "burned": 1}


def test_two_batches_are_two_sums() -> None:
    play = playing(BLACKJACK, 1)
    play.do("shuffler", "loaded", batch="B", cards=312)
    assert where(play, 1) == {"shuffler": 312}
    assert where(play) == {"shoe": 311, "burned": 1}


# ---- ways back -----------------------------------------------------------------------------------
def test_a_hand_shuffle_takes_the_cards_to_the_stack_and_a_recut_back_to_it() -> None:
    play = Play("fortune-asia-poker", shuffle="manual", deal="manual_shoe").opened()
    play.dealer("shuffle_started")
    assert where(play) == {"table": 53}
    play.dealer("shuffled")
    assert where(play) == {"stack": 53}
    play.dealer("cut_made", cutter="dealer")
    play.dealer("loaded", into="shoe")
    assert where(play) == {"shoe": 53}
    play.floor("order_recut", reason="r")
    play.dealer("done")
    assert where(play) == {"stack": 53}


def test_a_preshuffled_pack_is_a_stack() -> None:
    play = Play("fortune-asia-poker")
    play.floor("open", preshuffled=True)
    play.floor("preshuffled", seal="s1", receipt="r1")
    assert where(play) == {"stack": 53}


def test_an_idle_tables_cards_lie_on_it_and_the_stored_batch_stays_inside() -> None:
    play = playing(BLACKJACK, 1)
    play.do("shuffler", "loaded", batch="B")
    play.dealer("idle")
    assert where(play) == {"table": 312}
    assert where(play, 1) == {"shuffler": 312}


def test_a_void_gathers_what_lies_about() -> None:
    play = Play("dj-wild").ready().bets(1)
    play.stack()
    play.do("shoe", "jam")
    assert where(play) == {"shoe": 48, "hands": 5}
    play.voided()
    assert where(play) == {"table": 53}


# ---- what nobody saw -----------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("source", "kind", "members"),
    [
        ("shoe", "link", {"up": False}),
        ("shoe", "facts_missing", {"count": 1}),
        ("shoe", "restarted", {}),
        ("system", "started",
         {"version": "1", "digest": "d", "profile_digest": "p", "journal": "j"}),
    ],
)  # fmt: skip
def test_a_shoe_that_was_not_heard_has_an_unknown_number_of_cards(
    source: str, kind: str, members: dict[str, object]
) -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    play.cards("3", "4")
    play.round_done()
    play.do(source, kind, **members)
    assert where(play) == {"unknown": 309, "burned": 1, "rack": 2}


def test_an_unknown_shoe_is_known_again_once_its_cards_are_gathered() -> None:
    play = Play("dj-wild").ready().bets(1)
    play.do("shoe", "link", up=False)
    assert where(play) == {"unknown": 53}
    play.do("shoe", "link", up=True)
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.stack()
    assert where(play) == {"unknown": 48, "hands": 5}
    play.stack()
    play.do("shoe", "remainder_removed", cards=43)
    assert where(play) == {"rack": 43, "hands": 10}


def test_a_shuffler_that_was_not_heard_may_have_been_emptied() -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "link", up=False)
    assert where(play) == {"unknown": 53}
    play.do("shuffler", "link", up=True)
    play.do("shuffler", "loaded", batch="A")
    assert where(play) == {"shuffler": 53}


def test_a_batch_that_two_devices_claim_is_unknown() -> None:
    play = Play("dj-wild").ready().bets(1)
    play.do("shuffler", "loaded", batch="A")
    assert where(play) == {"unknown": 53}


def test_cards_out_of_an_unloaded_shoe_are_of_nobody_knows_where() -> None:
    play = Play("dj-wild").opened()
    play.do("shoe", "stack", number=1, cards=5)
    assert where(play) == {"unknown": 53}


def test_a_house_that_declares_other_decks_between_days_has_so_many_cards_from_then_on() -> None:
    play = Play("dj-wild")
    setup = dataclasses.replace(play.book.setup, deck_cards=52)
    play.book = dataclasses.replace(play.book, setup=setup)
    play.opened()
    assert where(play) == {"table": 52}


def test_a_deck_that_was_taken_away_stays_away_over_the_houses_change() -> None:
    play = Play("dj-wild").opened()
    play.do("shuffler", "loaded", batch="A", cards=52)
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="r")
    play.floor("close")
    setup = dataclasses.replace(play.book.setup, deck_cards=52)
    play.book = dataclasses.replace(play.book, setup=setup)
    play.floor("open")
    assert where(play) == {"removed": 52}

"""Whole rounds by every method, deliveries by hand, and rows that games share."""

import pytest

from controller.core.state import Phase
from controller.games import PROCEDURES, book_of
from controller.games.fortune_asia import STEPS as FORTUNE_STEPS
from controller.games.pipeline import STEPS as SHARED_STEPS
from controller.games.rounds import stub_can_be_counted
from controller.games.stacks import STACKS_WAITING_MAX
from controller.games.stub_poker import STEPS as POKER_STEPS
from tests.play import Play

FAP = "fortune-asia-poker"


def test_a_book_needs_a_procedure_that_exists() -> None:
    play = Play()
    assert set(PROCEDURES) >= {"stub_poker", "fortune_asia"}
    assert book_of(play.book.setup, play.book.profile).steps is PROCEDURES["stub_poker"].steps


def test_each_game_prompts_every_phase_that_it_reaches() -> None:
    for steps in (POKER_STEPS, FORTUNE_STEPS):
        assert steps.keys() >= SHARED_STEPS.keys()
        assert all(step.text and step.who for step in steps.values())


# ---- from the hand and the manual shoe -----------------------------------------------------------
def by_hand(game: str, deal: str) -> Play:
    play = Play(game, deal=deal).opened().shuffled()
    play.refused("dealer", "loaded", into="shoe" if deal == "hand" else "hand")
    play.dealer("loaded", into="hand" if deal == "hand" else "shoe")
    play.bets(1, 3)
    if game == FAP:
        play.draw(7)
    return play


@pytest.mark.parametrize("deal", ["hand", "manual_shoe"])
@pytest.mark.parametrize(("game", "size"), [("dj-wild", 5), (FAP, 7)])
def test_a_round_by_hand_is_told_delivery_by_delivery(game: str, size: int, deal: str) -> None:
    play = by_hand(game, deal)
    while play.state.phase is Phase.DEAL:
        to = play.state.round.order[play.state.round.dealt]
        play.dealer("delivered", to=to, cards=size)
    if play.state.phase is Phase.EXTRA:
        play.dealer("extra_card")
    if game == FAP:
        play.dealer("stub", cards=4)
    else:
        play.dealer("raises_closed")
    play.dealer("round_done")
    assert play.of("round.completed")


def test_a_hand_to_the_wrong_position_is_asked_about_and_delivered_again() -> None:
    play = by_hand("dj-wild", "hand")
    play.dealer("delivered", to=3, cards=5)
    assert play.last("irregularity.raised")["code"] == "out_of_order"
    play.floor("decide", hold=play.hold, choice="continue", reason="moved")
    play.dealer("delivered", to=1, cards=5)
    assert play.last("round.deal_progress")["to"] == 1
    play.refused("dealer", "delivered", to=9, cards=5)


def test_a_hand_with_a_wrong_number_of_cards_voids() -> None:
    play = by_hand("dj-wild", "manual_shoe")
    play.dealer("delivered", to=1, cards=6)
    assert play.state.void is not None


# ---- from the automated shoe ---------------------------------------------------------------------
def test_a_delivery_is_optional_and_confirms_or_is_asked_about() -> None:
    play = Play().ready().bets(1, 3)
    play.refused("dealer", "delivered", to=1, cards=5)
    play.stack()
    play.dealer("delivered", to=1, cards=5)
    assert not play.state.holds
    play.stack()
    play.dealer("delivered", to=5, cards=5)
    assert play.last("irregularity.raised")["code"] == "out_of_order"


@pytest.mark.parametrize("game", ["dj-wild", FAP])
def test_a_stack_too_many_is_asked_about(game: str) -> None:
    play = Play(game).ready().bets(1)
    if game == FAP:
        play.draw(2)
    while play.state.phase is Phase.DEAL:
        play.stack()
    number = play.state.round.heard + 1
    play.do("shoe", "stack", number=number, cards=5)
    assert "after the last hand" in str(play.last("irregularity.raised")["reason"])
    assert STACKS_WAITING_MAX >= 8


def test_a_card_before_the_start_position_waits_too() -> None:
    play = Play(FAP).ready().bets(1)
    play.do("shoe", "stack", number=1, cards=7)
    play.refused("rng", "button")
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.draw(7)
    assert play.last("round.deal_progress")["to"] == 1
    play.refused("floorperson", "order_recut", reason="a card is out")


def test_a_waiting_stack_of_a_wrong_size_voids_when_play_goes_on() -> None:
    play = Play().ready().bets(1)
    play.dealer("drawn_in_error", exposed=True)
    play.stack(4)
    play.floor("decide", hold="H1", choice="use_next", reason="r")
    play.floor("decide", hold="H2", choice="continue", reason="r")
    assert play.last("irregularity.raised")["code"] == "wrong_count"


def test_a_stub_is_counted_once_a_round() -> None:
    play = Play().ready().bets(1).dealt()
    play.dealer("stub", cards=43)
    play.refused("dealer", "stub", cards=43)
    play.dealer("raises_closed")
    assert stub_can_be_counted.__doc__


def test_a_wrong_stub_after_the_raises_goes_back_to_the_settlement() -> None:
    play = Play().ready().bets(1).dealt()
    play.dealer("raises_closed")
    play.dealer("stub", cards=42)
    play.dealer("misdeal", misdealt=False, total=53)
    play.floor("withdraw", irregularity="I1", reason="recounted")
    play.dealer("stub", cards=43)
    assert play.state.phase is Phase.SETTLE

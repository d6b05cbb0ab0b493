"""When a recut may be ordered, step by step: the first and the last lawful moment of each game."""

import pytest

from controller.core.state import Phase
from tests.covers import covers
from tests.play import Play
from tests.shoe_play import BLACKJACK, MINIBACCARAT, ShoePlay, table

FAP = "fortune-asia-poker"
WINDOW = {BLACKJACK: "633a.5(e)", MINIBACCARAT: "627a.5(e)", FAP: "659a.5(d)"}


def players_cut(game: str, until: Phase) -> ShoePlay:
    """Seats 2 and 4; seat 2 cuts in Blackjack, seat 4 in Minibaccarat."""
    play = table(game, 2, 4)
    steps = (
        (Phase.CUT, lambda: play.dealer("cut_made", cutter=play.state.cut.offers[0])),
        (Phase.RESTACK, lambda: play.dealer("stacked")),
        (Phase.COVER, lambda: play.dealer("cover_inserted")),
        (Phase.LOAD, play.in_shoe),
        (Phase.BURN, play.burned),
        (Phase.BETS, lambda: play.bets(2)),
    )
    for phase, step in steps:
        if play.state.phase is until:
            return play
        if play.state.phase is phase:
            step()
    assert play.state.phase is until
    return play


@covers("RECUT-WINDOW")
@pytest.mark.parametrize(
    ("game", "phase", "open_"),
    [
        (BLACKJACK, Phase.CUT, False),
        (BLACKJACK, Phase.COVER, True),
        (BLACKJACK, Phase.LOAD, True),
        (BLACKJACK, Phase.BURN, False),
        (BLACKJACK, Phase.BETS, False),
        (BLACKJACK, Phase.PLAY, False),
        (MINIBACCARAT, Phase.CUT, False),
        (MINIBACCARAT, Phase.RESTACK, True),
        (MINIBACCARAT, Phase.COVER, True),
        (MINIBACCARAT, Phase.LOAD, True),
        (MINIBACCARAT, Phase.BURN, False),
        (MINIBACCARAT, Phase.BETS, False),
    ],
)
def test_players_cut_again_from_the_cut_to_the_load(game: str, phase: Phase, open_: bool) -> None:
    play = players_cut(game, phase)
    if open_:
        play.floor("order_recut", reason="seen")
        assert play.state.phase is Phase.CUT
        assert play.rule("cut.recut_ordered") == WINDOW[game]
        assert play.refused("floorperson", "order_recut", reason="twice").endswith(WINDOW[game])
    else:
        assert play.refused("floorperson", "order_recut", reason="seen").endswith(WINDOW[game])


@covers("RECUT-WINDOW")
@pytest.mark.parametrize("phase", [Phase.COVER, Phase.LOAD])
def test_a_dealer_never_orders_it(phase: Phase) -> None:
    play = players_cut(BLACKJACK, phase)
    play.refused("dealer", "order_recut", reason="seen")
    play.say("pit_manager", "order_recut", reason="seen")
    assert play.state.phase is Phase.CUT


@covers("RECUT-BY")
@pytest.mark.parametrize(
    ("game", "cutter", "lawful"),
    [
        # Seat 2 cut in Blackjack (first arrival), then seat 4; in Minibaccarat seat 4, then seat 2.
        (BLACKJACK, 2, True), (BLACKJACK, 4, True), (BLACKJACK, 1, False),
        (BLACKJACK, "dealer", False),
        (MINIBACCARAT, 4, False), (MINIBACCARAT, 2, True), (MINIBACCARAT, "dealer", False),
    ],
)  # fmt: skip
def test_who_cuts_again(game: str, cutter: int | str, lawful: bool) -> None:
    play = players_cut(game, Phase.COVER)
    turn = play.say("floorperson", "order_recut", reason="seen", cutter=cutter)
    assert (turn.refusal is None) is lawful


# ---- Fortune Asia Poker: until the first card ----------------------------------------------------
def dealer_cut() -> Play:
    play = Play(FAP, shuffle="manual").opened()
    play.dealer("shuffle_started")
    play.dealer("shuffled")
    play.dealer("cut_made", cutter="dealer")
    return play


def in_the_shoe() -> Play:
    return dealer_cut().loaded()


def bets_closed() -> Play:
    return in_the_shoe().bets(1)


def position_known() -> Play:
    play = bets_closed()
    play.draw(3)
    return play


def one_stack_out() -> Play:
    play = position_known()
    play.stack()
    return play


def early_stack() -> Play:
    play = in_the_shoe()
    play.do("shoe", "stack", number=1, cards=7)
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    return play


def shuffled_by_device() -> Play:
    return Play(FAP).ready()


def round_after() -> Play:
    """The next round's cards were not cut, whatever became of the last one's."""
    play = position_known()
    play.dealt().dealer("stub", cards=4)
    play.dealer("round_done")
    return play


@covers("RECUT-WINDOW")
@pytest.mark.parametrize(
    ("moment", "open_"),
    [
        (dealer_cut, True),
        (in_the_shoe, True),
        (bets_closed, True),
        (position_known, True),
        (one_stack_out, False),
        (early_stack, False),
        (shuffled_by_device, False),
        (round_after, False),
    ],
)
def test_the_dealer_cuts_again_until_the_first_card(moment: object, open_: bool) -> None:
    assert callable(moment)
    play = moment()
    turn = play.say("floorperson", "order_recut", reason="seen")
    assert (turn.refusal is None) is open_
    if turn.refusal is not None:
        assert str(turn.refusal.rule).endswith(WINDOW[FAP])


@covers("RECUT-WINDOW")
def test_a_recut_keeps_the_start_position_and_its_number() -> None:
    play = position_known()
    before = play.state.round.start
    play.floor("order_recut", reason="seen")
    play.do("shoe", "emptied")
    play.dealer("cut_made", cutter="dealer")
    play.loaded()
    assert play.state.round.start == before
    assert play.state.counters.draws == 1
    assert play.outputs.digit == "3"

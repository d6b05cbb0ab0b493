"""687a.13 case by case, and what is asked where no text was read."""

import pytest

from controller.core.state import Phase
from controller.rules.irregularities import unread
from tests.covers import covers
from tests.play import Play
from tests.scenarios.reading import profile_with
from tests.shoe_play import BLACKJACK, playing, table

FAP = "fortune-asia-poker"


def dealing(game: str = "dj-wild") -> Play:
    play = Play(game).ready()
    if game == FAP:
        play.bets(1, 3)
        play.draw(7)
    else:
        play.bets(1, 3, progressive=[3], trips=[1])
    return play


@covers("IRR-FACE-UP")
def test_one_face_up_card_is_discarded_and_the_second_voids() -> None:
    play = dealing()
    play.dealer("face_up_card")
    assert play.last("irregularity.raised")["outcome"] == "discard"
    assert play.state.void is None
    play.dealer("face_up_card")
    assert play.state.void is not None
    assert play.rule("irregularity.raised") == "687a.13(a)"
    play.voided()
    assert play.last("wager.disposition")["settled"] == []
    play.shuffled().loaded().bets(1)
    play.dealer("face_up_card")
    assert play.state.void is None, "the count is per round (A21)"


@covers("IRR-FACE-UP")
def test_shoe_and_dealer_tell_of_one_card() -> None:
    play = dealing()
    play.do("shoe", "card", index=1, face="down")
    play.do("shoe", "card", index=2, face="up")
    play.dealer("face_up_card")
    assert len(play.of("irregularity.raised")) == 1
    play.do("shoe", "card", index=3, face="up")
    assert play.state.void is not None


@covers("IRR-FACE-UP")
@pytest.mark.parametrize(("choice", "discarded"), [("discard", 1), ("use_next", 0)])
def test_where_the_text_is_unread_the_floor_says_what_becomes_of_the_card(
    choice: str, discarded: int
) -> None:
    play = dealing(FAP)
    play.dealer("face_up_card")
    play.floor("decide", hold=play.hold, choice=choice, reason="r")
    play.dealt()
    play.dealer("stub", cards=4 - discarded)
    assert play.last("stub.count_result")["ok"] is True


@covers("IRR-DRAWN-IN-ERROR")
@pytest.mark.parametrize(("exposed", "outcome"), [(False, "use_next"), (True, "hold")])
def test_a_card_drawn_in_error(exposed: bool, outcome: str) -> None:
    play = dealing()
    play.dealer("drawn_in_error", exposed=exposed)
    assert play.last("irregularity.raised")["outcome"] == outcome
    assert bool(play.state.holds) is exposed


@covers("IRR-DRAWN-IN-ERROR")
def test_an_exposed_card_that_is_discarded_lowers_the_stub() -> None:
    play = dealing()
    play.dealer("drawn_in_error", exposed=True)
    play.floor("decide", hold=play.hold, choice="discard", reason="r")
    assert play.state.round.discarded == 1


@covers("IRR-WRONG-COUNT")
@pytest.mark.parametrize("to", [1, 6, "dealer"])
def test_a_wrong_number_of_cards_voids_the_dealers_too(to: int | str) -> None:
    play = dealing()
    play.dealer("wrong_count", to=to, cards=4)
    assert play.state.void is not None
    assert play.rule("irregularity.raised") == "687a.13(c)"


@pytest.mark.parametrize("kind", ["wrong_count", "revealed"])
def test_a_seat_that_the_table_does_not_have_is_refused(kind: str) -> None:
    members = {"to": 7, "cards": 4} if kind == "wrong_count" else {"whose": 7}
    dealing().refused("dealer", kind, **members)  # type: ignore[arg-type]


@covers("IRR-REVEALED")
def test_cards_seen_before_the_raises_settle_the_bonuses_first() -> None:
    play = dealing().dealt()
    play.dealer("extra_card")
    play.dealer("revealed", whose=3)
    play.refused("dealer", "wagers_returned")
    play.dealer("bonuses_settled")
    play.refused("floorperson", "confirm_void")
    play.dealer("wagers_returned")
    play.floor("confirm_void")
    assert play.last("wager.disposition")["settled"] == ["trips", "progressive"]
    assert play.last("wager.disposition")["returned"] == ["ante", "blind"]


@covers("IRR-REVEALED")
def test_after_the_raises_cards_are_shown_by_rule() -> None:
    play = dealing().dealt()
    play.dealer("extra_card")
    play.dealer("raises_closed")
    play.dealer("revealed", whose="dealer")
    assert not play.of("irregularity.raised")
    play.dealer("round_done")


@covers("IRR-REVEALED")
def test_a_bonus_that_cannot_be_judged_is_asked_about_and_returned_by_a_void() -> None:
    play = dealing()
    play.stack()
    play.dealer("revealed", whose=1)
    assert play.state.void is None
    play.floor("void", reason="r")
    play.voided()
    assert play.last("wager.disposition")["settled"] == []


@covers("IRR-SHUFFLER")
def test_a_shuffler_that_fails_is_shuffled_again_and_no_round_is_void() -> None:
    play = Play().opened()
    play.do("shuffler", "loaded", batch="A")
    play.do("shuffler", "cycle_started", cycle=1, mode="shuffle")
    play.do("shuffler", "jam")
    assert play.last("irregularity.raised")["outcome"] == "reshuffle"
    assert play.state.phase is Phase.SHUFFLE
    assert not play.state.holds


@covers("IRR-SHUFFLER")
def test_a_second_deck_that_fails_in_the_shuffler_leaves_the_round_alone() -> None:
    play = Play(FAP, batches=2).ready().bets(1)
    play.draw(7)
    play.do("shuffler", "loaded", batch="B")
    play.do("shuffler", "cycle_started", cycle=2, mode="shuffle")
    play.do("shuffler", "stopped")
    assert play.last("irregularity.raised")["outcome"] == "hold"
    play.floor("decide", hold=play.hold, choice="reshuffle", reason="A14")
    assert play.state.void is None
    play.dealt()


@covers("IRR-SHOE")
@pytest.mark.parametrize("kind", ["jam", "stopped", "incomplete", "restarted"])
def test_a_shoe_that_fails_in_a_round_voids_it(kind: str) -> None:
    play = dealing()
    play.stack()
    play.do("shoe", kind)
    assert play.rule("irregularity.raised") == "687a.13(f)"
    play.voided()
    assert play.last("round.voided")["code"] == "shoe_failed"


@covers("IRR-SHOE")
def test_after_the_last_hand_a_failure_is_asked_about() -> None:
    play = dealing()
    for _ in range(3):
        play.stack()
    play.do("shoe", "jam")
    assert play.last("floor.decision_required")["choices"] == ["continue", "void"]


@covers("IRR-SHOE")
def test_an_unread_text_never_voids_by_itself() -> None:
    play = dealing(FAP)
    play.do("shoe", "jam")
    assert play.state.void is None
    assert play.last("irregularity.raised")["outcome"] == "hold"


@covers("IRR-STUB")
def test_a_wrong_stub_is_void_in_one_game_and_asked_in_the_other() -> None:
    play = dealing(FAP).dealt()
    play.dealer("stub", cards=5)
    assert play.last("floor.decision_required")["choices"] == ["continue", "void", "remove_deck"]
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="r")
    play.voided()
    assert play.of("deck.removed")
    assert unread("early_card", "r", ("void",)).rule is None


@covers("IRR-REVEALED", "IRR-FACE-UP")
@pytest.mark.parametrize(
    ("statement", "members", "choices"),
    [("revealed", {"whose": "dealer"}, ("continue", "void")),
     ("face_up_card", {}, ("discard", "use_next", "void"))],
)  # fmt: skip
def test_a_game_dealt_card_by_card_asks_while_it_is_dealt(
    statement: str, members: dict[str, str], choices: tuple[str, ...]
) -> None:
    play = playing(BLACKJACK, 1, 2)
    play.bets(1, 2)
    play.dealer(statement, **members)
    assert play.state.holds[0].choices == choices
    assert play.rule("irregularity.raised") == "633a.14"


def test_a_second_face_up_card_cites_the_paragraph_that_nobody_read() -> None:
    play = playing(BLACKJACK, 1)
    play.bets(1)
    for _ in range(2):
        play.dealer("face_up_card")
        play.floor("decide", hold=play.hold, choice="discard", reason="r")
        assert play.rule("irregularity.raised") == "633a.14"


def test_a_cover_card_among_the_burned_ones_is_latched() -> None:
    play = table(BLACKJACK, 1).cut().in_shoe()
    play.do("shoe", "cover_card")
    play.dealer("burned", cards=1)
    play.bets(1)
    play.round_done()
    assert play.last("shuffle.required")["reason"] == "cover_card"


@covers("IRR-SURPLUS")
@pytest.mark.parametrize(
    ("word", "cards", "code"),
    [("void", 6, "wrong_count"), ("use_next", 6, "drawn_in_error"),
     ("use_next", 7, "wrong_count"), ("use_next", 4, "wrong_count")],
)  # fmt: skip
def test_one_card_too_many_in_a_stack_is_what_the_reading_says(
    word: str, cards: int, code: str
) -> None:
    play = Play("dj-wild", profile_with("dj-wild", {"readings.surplus_in_stack": word}))
    play.ready().bets(1).stack(cards)
    assert play.last("irregularity.raised")["code"] == code


@covers("IRR-COUNT-WRONG")
@pytest.mark.parametrize(("to", "cards", "void"), [
    (1, 4, True), (1, 5, False), (1, 6, True), ("dealer", 5, False), (6, 5, True),
])  # fmt: skip
def test_a_right_number_is_no_wrong_count(to: int | str, cards: int, void: bool) -> None:
    play = Play().ready().bets(1, 2)
    play.stack()
    turn = play.say("dealer", "wrong_count", to=to, cards=cards)
    assert (turn.refusal is None) is void
    assert (play.state.void is not None) is void


@covers("IRR-HAND")
@pytest.mark.parametrize(("whose", "void"), [(1, True), ("dealer", True), (6, False)])
def test_only_a_hand_of_this_round_can_be_revealed(whose: int | str, void: bool) -> None:
    play = Play().ready().bets(1, 2).dealt()
    turn = play.say("dealer", "revealed", whose=whose)
    assert (turn.refusal is None) is void
    assert (play.state.void is not None) is void

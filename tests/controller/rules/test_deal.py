"""Who gets cards, how many and in which order; the stub: `controller.rules.deal` and `.stub`."""

import dataclasses

import pytest

from controller.core.setup import ShufflerSetup
from controller.core.state import Phase
from controller.rules.deal import seats_exist
from controller.rules.stub import stub_leaf
from tests.covers import covers
from tests.play import Play

SILENT = ShufflerSetup(counts=False)


def full_round(play: Play, *seats: int) -> Play:
    """One round of DJ Wild to its end, without a bonus wager."""
    play.bets(*(seats or (1,))).dealt()
    if play.state.phase is Phase.STUB:
        return play
    play.dealer("raises_closed")
    play.dealer("round_done")
    return play


@covers("DEAL-AFTER-BETS")
def test_bets_close_over_loaded_cards_at_a_shoe_that_works() -> None:
    play = Play().opened().shuffled()
    assert play.refused("dealer", "no_more_bets", seats=[1]) == "58 Pa. Code § 687a.5"
    play.loaded()
    play.do("shoe", "jam")
    assert play.refused("dealer", "no_more_bets", seats=[1]) == "58 Pa. Code § 687a.13(g)"
    play.do("shoe", "jam_cleared")
    play.bets(1)


@covers("DEAL-AFTER-BETS")
def test_a_manual_shoe_is_dealt_from_while_the_automated_one_is_out_of_service() -> None:
    play = Play().opened()
    play.floor("declare_unusable", device="shoe", reason="r")
    play.dealer("covered", device="shoe", how="cover")
    play.floor("covered", device="shoe", how="cover")
    play.floor("set_method", step="deal", method="manual_shoe", reason="r")
    play.shuffled()
    play.dealer("loaded", into="shoe")
    play.bets(4)
    play.dealer("delivered", to=4, cards=5)
    play.dealer("delivered", to="dealer", cards=5)
    assert play.state.phase is Phase.DECISIONS


@covers("DEAL-HAND-NEEDS-SHUFFLER")
def test_the_hand_deals_only_what_a_shuffler_shuffled() -> None:
    play = Play(deal="hand").opened().shuffled()
    play.dealer("loaded", into="hand")
    play.bets(1)
    manual = Play(shuffle="manual").opened()
    rule = manual.refused("floorperson", "set_method", step="deal", method="hand", reason="r")
    assert rule == "58 Pa. Code § 687a.9(a)(1)"


@covers("DEAL-HAND-NEEDS-SHUFFLER")
def test_where_the_text_is_unread_a_floorperson_is_asked() -> None:
    play = Play("fortune-asia-poker", shuffle="manual").opened()
    play.floor("set_method", step="deal", method="hand", reason="r")
    assert play.state.methods.deal == "auto_shoe"
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.floor("set_method", step="deal", method="hand", reason="r")
    assert play.state.methods.deal == "hand"


@covers("DEAL-SEATS")
@pytest.mark.parametrize(
    ("wagers", "seats"),
    [(None, [1, 2]), ({"ante": [1, 2], "blind": [2]}, [2]), ({"trips": [1]}, [1, 2]),
     ({"ante": [1, 2], "blind": [1, 2]}, [1, 2])],
)  # fmt: skip
def test_a_seat_needs_ante_and_blind(wagers: dict[str, list[int]] | None, seats: list[int]) -> None:
    play = Play().ready()
    more = {} if wagers is None else {"wagers": wagers}
    play.dealer("no_more_bets", seats=[1, 2], **more)
    assert play.last("round.no_more_bets")["seats"] == seats


@covers("DEAL-BONUSES")
@pytest.mark.parametrize(
    "members",
    [{"progressive": [2], "trips": [1]}, {"wagers": {"progressive": [2], "trips": [1]}},
     {"progressive": [2], "wagers": {"progressive": [], "trips": [1]}}],
)  # fmt: skip
def test_a_bonus_wager_counts_wherever_it_is_told(members: dict[str, object]) -> None:
    play = Play().ready()
    play.dealer("no_more_bets", seats=[1, 2], **members)
    assert play.state.round.progressive == (2,)
    play.dealt()
    assert play.last("round.dealt")["extra"] is True
    play.dealer("revealed", whose=1)
    play.voided(settle=True)
    assert play.last("wager.disposition")["settled"] == ["trips", "progressive"]


@pytest.mark.parametrize(
    "members",
    [{"seats": []}, {"seats": [7]}, {"seats": [1, 1]}, {"seats": [1], "progressive": [2]},
     {"seats": [1], "trips": [7]}, {"seats": [1], "wagers": {"ante": []}},
     {"seats": [1], "wagers": {"ante": [1]}}, {"seats": [1], "wagers": {"trips": [2]}}],
)  # fmt: skip
def test_bets_that_no_table_can_have_are_refused(members: dict[str, object]) -> None:
    assert seats_exist.__doc__
    Play().ready().refused("dealer", "no_more_bets", **members)  # type: ignore[arg-type]


def test_a_wager_whose_name_was_never_read_is_asked_about() -> None:
    play = Play().ready()
    play.dealer("no_more_bets", seats=[1], wagers={"pairs": [1]})
    assert play.state.holds[0].choices == ("continue", "reshuffle")
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    play.dealer("no_more_bets", seats=[1], wagers={"pairs": [1]})
    assert play.state.in_round


@covers("DEAL-ORDER")
def test_stacks_go_clockwise_the_dealer_last() -> None:
    play = Play().ready().bets(6, 2, 4).dealt()
    assert [one.data["to"] for one in play.of("round.deal_progress")] == [2, 4, 6, "dealer"]


@covers("DEAL-ORDER")
def test_every_position_gets_a_stack_wager_or_not() -> None:
    play = Play("fortune-asia-poker").ready().bets(2)
    play.draw(1)
    play.dealt()
    served = [one.data["to"] for one in play.of("round.deal_progress")]
    assert served == ["dealer", 1, 2, 3, 4, 5, 6]


@covers("DEAL-STACK")
@pytest.mark.parametrize(("game", "size"), [("dj-wild", 5), ("fortune-asia-poker", 7)])
@pytest.mark.parametrize("off", [-1, 0, 1])
def test_a_stack_has_its_number_of_cards(game: str, size: int, off: int) -> None:
    play = Play(game).ready().bets(1)
    if game != "dj-wild":
        play.draw(7)
    play.stack(size + off)
    assert bool(play.of("round.deal_progress")) is (off == 0)
    if off:
        assert play.last("irregularity.raised")["code"] == "wrong_count"


@covers("DEAL-EXTRA")
@pytest.mark.parametrize(
    ("deal", "progressive", "due"),
    [("auto_shoe", [], False), ("auto_shoe", [1], True), ("hand", [], True), ("hand", [1], True)],
)
def test_the_extra_card_by_method(deal: str, progressive: list[int], due: bool) -> None:
    play = Play(deal=deal).opened().shuffled()
    play.dealer("loaded", into="hand" if deal == "hand" else "shoe")
    play.bets(1, progressive=progressive)
    if deal == "hand":
        play.dealer("delivered", to=1, cards=5)
        play.dealer("delivered", to="dealer", cards=5)
    else:
        play.dealt()
    assert (play.state.phase is Phase.EXTRA) is due
    if due:
        play.refused("dealer", "raises_closed")
        play.dealer("extra_card")
    else:
        play.refused("dealer", "extra_card")


@covers("DEAL-REMAINDER")
@pytest.mark.parametrize(("cards", "due"), [(42, True), (43, False), (44, True)])
def test_the_shoes_own_count_makes_the_stub_due_where_it_differs(cards: int, due: bool) -> None:
    play = Play().ready().bets(1)
    play.stack()
    play.stack()
    play.do("shoe", "remainder_removed", cards=cards)
    assert (play.state.phase is Phase.STUB) is due


@covers("DEAL-REMAINDER")
@pytest.mark.parametrize(("cards", "due"), [(41, True), (42, False), (43, False), (44, True)])
def test_a_boxed_card_in_a_stack_is_replaced_from_the_remainder(cards: int, due: bool) -> None:
    play = Play().ready().bets(1)
    play.stack()
    play.dealer("face_up_card")
    play.stack()
    play.do("shoe", "remainder_removed", cards=cards)
    assert (play.state.phase is Phase.STUB) is due


# ---- stub ----------------------------------------------------------------------------------------
@covers("STUB-EXPECTED")
@pytest.mark.parametrize("extra", [0, 1])
@pytest.mark.parametrize("players", range(1, 8))
@pytest.mark.parametrize("boxed", [0, 1])
def test_the_stub_is_what_is_left_of_the_deck(players: int, extra: int, boxed: int) -> None:
    play = Play(seats=7, shuffler=SILENT).ready()
    play.state = dataclasses.replace(play.state, stub_rounds=4)
    play.bets(*range(1, players + 1), progressive=[1] * extra)
    if boxed:
        play.dealer("face_up_card")
    play.dealt()
    if extra:
        play.dealer("extra_card")
    expected = 53 - 5 * (players + 1) - extra - boxed
    assert play.last("stub.count_due")["expected"] == expected
    play.dealer("stub", cards=expected)
    assert play.last("stub.count_result") == {
        "expected": expected, "got": expected, "ok": True, "round": 1, "shoe": 1,
    }  # fmt: skip
    assert play.rule("stub.count_result") == "687a.10(e)"
    assert stub_leaf.__doc__


@covers("STUB-DUE")
def test_the_stub_is_due_in_the_fifth_round_after_the_last_proof_and_then_the_tenth() -> None:
    play = Play(shuffler=SILENT).ready()
    due = []
    for number in range(1, 11):
        full_round(play)
        if play.state.phase is Phase.STUB:
            due.append(number)
            play.refused("dealer", "raises_closed")
            play.dealer("stub", cards=43)
            play.dealer("raises_closed")
            play.dealer("round_done")
        play.shuffled(cards=None).loaded()
    assert due == [5, 10]


@covers("STUB-DUE")
def test_the_round_before_says_that_the_next_one_counts() -> None:
    play = Play(shuffler=SILENT).ready()
    for _ in range(3):
        full_round(play)
        play.shuffled(cards=None).loaded()
    play.bets(1).dealt()
    assert "stub is due in the next round" in str(play.outputs.prompt["text"])


@covers("STUB-COUNTER")
@pytest.mark.parametrize(
    ("counts", "cards", "proven"), [(True, 53, True), (True, None, False), (False, 53, False)]
)
def test_only_a_counting_shuffler_that_showed_53_stands_for_the_count(
    counts: bool, cards: int | None, proven: bool
) -> None:
    play = Play(shuffler=ShufflerSetup(counts=counts)).ready()
    for _ in range(4):
        full_round(play)
        play.shuffled(cards=cards).loaded()
    play.bets(1).dealt()
    assert (play.state.phase is Phase.STUB) is not proven


@covers("STUB-DUE")
def test_a_voided_round_counts_and_the_whole_deck_is_counted_at_five() -> None:
    play = Play(shuffler=SILENT).ready()
    for number in range(1, 6):
        play.bets(1)
        play.stack(4)
        play.dealer("wagers_returned")
        if number < 5:
            play.refused("dealer", "deck_counted", cards=53)
        else:
            play.refused("floorperson", "confirm_void")
            play.dealer("deck_counted", cards=53)
        play.floor("confirm_void")
        play.shuffled(cards=None).loaded()
    assert play.state.stub_rounds == 0


@covers("STUB-DUE")
@pytest.mark.parametrize(("cards", "leaves"), [(52, True), (53, False), (54, True)])
def test_a_deck_that_is_not_whole_leaves_the_table(cards: int, leaves: bool) -> None:
    play = Play(shuffler=SILENT).ready()
    play.state = dataclasses.replace(play.state, stub_rounds=4)
    play.bets(1)
    play.stack(6)
    play.dealer("wagers_returned")
    play.dealer("deck_counted", cards=cards)
    play.floor("confirm_void")
    assert bool(play.of("deck.removed")) is leaves


@covers("STUB-MISDEAL")
@pytest.mark.parametrize(
    ("misdealt", "total", "leaves"),
    [(True, 53, False), (True, 52, True), (True, 54, True), (False, 53, True)],
)
def test_only_a_misdeal_with_the_whole_deck_keeps_it(
    misdealt: bool, total: int, leaves: bool
) -> None:
    play = Play(shuffler=SILENT).ready()
    play.state = dataclasses.replace(play.state, stub_rounds=4)
    play.bets(1).dealt()
    play.dealer("stub", cards=42)
    play.dealer("misdeal", misdealt=misdealt, total=total)
    outcome = "void_remove_deck" if leaves else "void"
    assert play.last("irregularity.raised")["outcome"] == outcome


@covers("STUB-EXPECTED")
@pytest.mark.parametrize(("cards", "good"), [(3, False), (4, True), (5, False)])
def test_four_cards_are_left_in_fortune_asia_and_others_are_asked_about(
    cards: int, good: bool
) -> None:
    play = Play("fortune-asia-poker").ready().bets(1)
    play.draw(1)
    play.dealt()
    play.dealer("stub", cards=cards)
    assert play.last("stub.count_result")["ok"] is good
    assert bool(play.state.holds) is not good
    if not good:
        play.floor("decide", hold=play.hold, choice="continue", reason="recounted")
    play.dealer("round_done")


def test_a_stub_that_was_not_counted_is_asked_about_where_its_text_is_unread() -> None:
    play = Play("fortune-asia-poker").ready().bets(1)
    play.draw(1)
    play.dealt()
    play.dealer("round_done")
    assert not play.of("round.completed")
    play.floor("decide", hold=play.hold, choice="continue", reason="seen")
    play.dealer("round_done")
    assert play.of("round.completed")


@pytest.mark.parametrize("told", [3, 5])
def test_shoe_and_dealer_that_count_the_rest_differently_are_held(told: int) -> None:
    play = Play("fortune-asia-poker").ready().bets(1)
    play.draw(1)
    while play.state.phase is Phase.DEAL:
        play.stack()
    play.do("shoe", "remainder_removed", cards=told)
    play.dealer("stub", cards=4)
    assert play.last("floor.decision_required")["code"] == "stub_mismatch"

"""Each way of dealing has its own paragraphs: `method` of a profile, read where it holds."""

import pytest

from controller.core.state import Phase
from tests.covers import covers
from tests.play import Play

HAND, MANUAL, AUTOMATED = "hand", "manual_shoe", "auto_shoe"


def dealing(deal: str, *seats: int, rounds: int = 0, counted: bool = True) -> Play:
    """DJ Wild at the first hand of a round, dealt one way; `rounds` since the last proof."""
    play = Play(deal=deal).opened()
    for _ in range(rounds):
        decided(play, deal, seats).dealer("raises_closed")
        play.dealer("round_done")
    return closed(play, deal, seats, None if not counted else 53)


def closed(play: Play, deal: str, seats: tuple[int, ...], cards: int | None) -> Play:
    play.shuffled(cards)
    if deal == AUTOMATED:
        play.loaded()
    else:
        play.dealer("loaded", into="hand" if deal == HAND else "shoe")
    return play.bets(*seats)


def dealt(play: Play, deal: str) -> Play:
    while play.state.phase is Phase.DEAL:
        if deal == AUTOMATED:
            play.stack()
        else:
            to = play.state.round.order[play.state.round.dealt]
            play.dealer("delivered", to=to, cards=5)
    if deal == AUTOMATED:
        play.do("shoe", "remainder_removed")
    if play.state.phase is Phase.EXTRA:
        play.dealer("extra_card")
    return play


def decided(play: Play, deal: str, seats: tuple[int, ...]) -> Play:
    return dealt(closed(play, deal, seats, None), deal)


@covers("DEAL-ORDER", "DEAL-SEATS", "DEAL-EXTRA", "DEAL-AFTER-BETS")
@pytest.mark.parametrize(
    ("deal", "bets", "player", "dealer", "rest", "extra"),
    [
        (AUTOMATED, "687a.10(b)", "687a.10(b)", "687a.10(c)", "687a.10(c)", False),
        (HAND, "687a.9(c)", "687a.9(c)", "687a.9(d)", "687a.9(e)", True),
        (MANUAL, "687a.8", "687a.8", "687a.8", "687a.8", False),
    ],
)
def test_an_event_cites_the_section_on_the_way_in_which_it_was_dealt(
    deal: str, bets: str, player: str, dealer: str, rest: str, extra: bool
) -> None:
    play = dealing(deal, 1, 3)
    assert play.rule("round.no_more_bets") == bets
    dealt(play, deal)
    rules = [(one.rule or "").rpartition(" ")[2] for one in play.of("round.deal_progress")]
    assert rules == [player, player, dealer]
    assert play.rule("round.dealt") == rest
    assert play.last("round.dealt")["extra"] is extra


def test_the_prompt_cites_the_section_on_the_way_in_use() -> None:
    for deal, cited in ((AUTOMATED, "687a.10(b)"), (HAND, "687a.9(c)"), (MANUAL, "687a.8")):
        assert str(dealing(deal, 1).outputs.prompt["rule"]).endswith(cited)


@pytest.mark.parametrize(("deal", "read"), [(AUTOMATED, True), (HAND, False), (MANUAL, False)])
@covers("STUB-DUE")
def test_a_stub_that_is_due_is_refused_or_asked_for_as_its_text_was_read(
    deal: str, read: bool
) -> None:
    play = dealt(dealing(deal, 1, rounds=4, counted=False), deal)
    cite = {AUTOMATED: "687a.10(d)", HAND: "687a.9(f)", MANUAL: "687a.8"}[deal]
    assert play.rule("stub.count_due") == cite
    assert play.state.phase is Phase.STUB
    if read:
        assert play.refused("dealer", "raises_closed").endswith(cite)
        return
    play.dealer("raises_closed")
    assert play.last("floor.decision_required")["code"] == "stub"
    play.floor("decide", hold=play.hold, choice="continue", reason="not asked by what was read")
    play.dealer("raises_closed")
    play.dealer("round_done")
    assert play.of("round.completed")


@pytest.mark.parametrize(("deal", "read"), [(AUTOMATED, True), (HAND, False), (MANUAL, False)])
@covers("IRR-STUB")
def test_a_wrong_stub_voids_only_where_its_text_was_read(deal: str, read: bool) -> None:
    play = dealt(dealing(deal, 1, 3), deal)
    play.dealer("stub", cards=7)
    play.dealer("misdeal", misdealt=False, total=52)
    assert (play.state.void is not None) is read
    if read:
        return
    assert play.last("floor.decision_required")["choices"] == ["continue", "void", "remove_deck"]
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    assert play.state.phase is Phase.DECISIONS
    play.dealer("raises_closed")
    play.dealer("round_done")
    assert play.of("round.completed")


def test_a_wrong_stub_after_the_raises_that_is_let_go_returns_to_the_settlement() -> None:
    play = dealt(dealing(HAND, 1), HAND)
    play.dealer("raises_closed")
    play.dealer("stub", cards=7)
    play.dealer("misdeal", misdealt=True, total=53)
    play.floor("decide", hold=play.hold, choice="continue", reason="r")
    assert play.state.phase is Phase.SETTLE


def test_a_wrong_stub_from_the_hand_takes_the_deck_away_where_the_floorperson_says_so() -> None:
    play = dealt(dealing(HAND, 1), HAND)
    play.dealer("stub", cards=7)
    play.dealer("misdeal", misdealt=False, total=52)
    play.floor("decide", hold=play.hold, choice="remove_deck", reason="a card is missing")
    play.voided()
    assert play.last("round.voided")["code"] == "stub_mismatch"
    assert play.of("deck.removed")


def test_the_book_of_a_game_without_other_sections_reads_the_same_by_every_method() -> None:
    book = Play("fortune-asia-poker").book
    assert book.profile_by(HAND) is book.profile_by(AUTOMATED) is book.profile

"""The stub counter stands for the table and for each deck; whichever reaches five first."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.state import Phase
from tests.covers import covers
from tests.play import Play

SILENT = None


def two_decks() -> Play:
    return Play("dj-wild", batches=2).opened()


def played(play: Play, batch: str, cards: int | None = SILENT) -> Play:
    """One round of this deck, shuffled by a cycle that tells `cards` or nothing."""
    play.shuffled(cards, batch).loaded(53, batch).bets(1).dealt()
    if play.state.phase is Phase.STUB:
        play.dealer("stub", cards=43)
    play.dealer("raises_closed")
    play.dealer("round_done")
    return play


def rounds(play: Play) -> tuple[int, int, int]:
    """Rounds since the last proof: of the table, of deck A, of deck B."""
    a, b = play.state.batches
    return play.state.stub_rounds, a.stub_rounds, b.stub_rounds


@covers("STUB-DUE", "STUB-COUNTER")
def test_a_silent_cycle_costs_its_own_deck_the_exemption_and_no_other() -> None:
    play = two_decks()
    played(play, "A", SILENT)
    assert rounds(play) == (1, 1, 0)
    played(play, "B", 53)
    assert rounds(play) == (1, 1, 1), "B's count proves B, not A"
    played(play, "A", SILENT)
    assert rounds(play) == (2, 2, 1)
    played(play, "A", 53)
    assert rounds(play) == (1, 1, 1), "A's next reported count gives it back"


@covers("STUB-DUE")
def test_a_deck_that_is_never_counted_is_due_in_its_own_fifth_round() -> None:
    play = two_decks()
    for _ in range(4):
        played(play, "A", SILENT)
        played(play, "B", 53)
    assert not play.of("stub.count_due"), "eight rounds, but B was proven in between"
    assert rounds(play) == (1, 4, 1)
    played(play, "A", SILENT)
    assert play.last("stub.count_due")["expected"] == 43
    assert rounds(play) == (0, 0, 1), "the stub count proves the deck that was counted"


@covers("STUB-DUE")
def test_the_table_is_due_in_its_fifth_round_whichever_decks_were_played() -> None:
    play = two_decks()
    for batch in "ABAB":
        played(play, batch, SILENT)
    assert not play.of("stub.count_due")
    assert rounds(play) == (4, 2, 2)
    played(play, "A", SILENT)
    assert len(play.of("stub.count_due")) == 1
    assert rounds(play) == (0, 0, 2)


@covers("STUB-DUE")
def test_one_decks_proof_leaves_the_other_deck_as_old_as_it_was() -> None:
    play = two_decks()
    for batch in "ABABAB":
        played(play, batch, SILENT)
    assert rounds(play) == (1, 0, 3)


@pytest.mark.parametrize(("rounds_before", "due"), [(3, False), (4, True)])
def test_a_void_counts_the_whole_deck_where_its_own_counter_says_so(
    rounds_before: int, due: bool
) -> None:
    play = two_decks().shuffled(SILENT, "B").loaded(53, "B")
    a, b = play.state.batches
    b = dataclasses.replace(b, stub_rounds=rounds_before)
    play.state = dataclasses.replace(play.state, batches=(a, b))
    play.bets(1)
    play.do("shoe", "jam")
    assert play.state.void is not None
    assert play.state.void.deck_count_due is due
    if due:
        play.dealer("wagers_returned")
        play.dealer("deck_counted", cards=53)
        assert rounds(play) == (0, 0, 0)
        assert play.state.batches[1].cards.table == 53


def test_an_inspection_proves_every_deck() -> None:
    play = two_decks()
    played(play, "A")
    played(play, "B")
    play.floor("close")
    play.opened()
    assert rounds(play) == (0, 0, 0)


def test_a_preshuffled_pack_proves_the_deck_that_it_is() -> None:
    play = two_decks()
    played(play, "A")
    played(play, "B")
    play.floor("close")
    play.floor("open", preshuffled=True)
    play.floor("preshuffled", seal="s1", receipt="r1")
    assert rounds(play) == (0, 0, 1)

"""Small tables of every game, explored: what must hold in every state holds.

The suite walks the poker games' ordinary course whole and a bounded share of the rest; `-m heavy`
all four games with one mistake on every way. `docs/exploration.md` has the figures;
`python -m tests.exploration dj-wild 2` walks on.
"""

from __future__ import annotations

import pytest

from controller.core.table import new_state, run
from tests.exploration import ways
from tests.exploration.explorer import explore, lines_for, no_row_speaks_of
from tests.exploration.lines import Line, arrived
from tests.exploration.small import GAMES, TWO_BATCHES, small_book

POKER = ("dj-wild", "fortune-asia-poker")
ORDINARY = {
    "dj-wild": {"bets", "deal", "remainder", "extra", "stub", "decisions", "settle"},
    "fortune-asia-poker": {"bets", "start", "deal", "remainder", "stub", "settle"},
    "blackjack": {"cut", "cover", "load", "burn", "bets", "play"},
    "minibaccarat": {"cut", "restack", "cover", "load", "burn", "bets", "play"},
}
# About a second a game on one core.
STATES_OF_SUITE = 60
CHECKED = 20


@pytest.mark.parametrize("game", POKER)
def test_the_ordinary_course_holds_in_every_state_and_ends(game: str) -> None:
    seen = explore(small_book(game), 0, checked=CHECKED)
    assert seen.complete
    assert seen.phases >= ORDINARY[game]


@pytest.mark.parametrize("game", GAMES)
def test_the_first_ways_with_a_mistake_in_a_round_hold(game: str) -> None:
    book = small_book(game)
    prefix = ways.to_deal(book) if game in POKER else ways.to_play(book)
    seen = explore(book, 1, prefix=prefix, states_max=STATES_OF_SUITE, checked=CHECKED)
    assert seen.states == STATES_OF_SUITE


@pytest.mark.heavy
@pytest.mark.parametrize("game", [*GAMES, TWO_BATCHES])
def test_the_whole_ordinary_course_holds(game: str) -> None:
    seen = explore(small_book(game), 0, checked=CHECKED)
    print(f"{game}: {seen}")
    assert seen.complete
    assert seen.phases >= ORDINARY.get(game, ORDINARY["blackjack"])


@pytest.mark.heavy
@pytest.mark.parametrize("game", GAMES)
def test_every_single_mistake_holds_in_every_state_and_has_a_way_out(game: str) -> None:
    seen = explore(small_book(game), 1, checked=CHECKED)
    print(f"{game}: {seen}")
    assert seen.complete


@pytest.mark.parametrize("game", GAMES)
def test_what_the_walk_does_not_ask_would_have_been_refused(game: str) -> None:
    """The walk's short cut says of no line what the table would not say."""
    book = small_book(game)
    prefix = ways.to_deal(book) if game in POKER else ways.to_play(book)
    state = new_state(book)
    skipped = 0
    for said in (*prefix, Line((("from", "shoe"), ("type", "jam")))):
        for line in lines_for(book, state):
            if no_row_speaks_of(book, state, line):
                skipped += 1
                assert run(book, state, arrived(line)).refusal is not None, str(line)
        state = run(book, state, arrived(said)).state
    assert skipped > 100

"""Small tables of every game, explored: what must hold in every state, and that it can be broken.

The suite walks the first states without a fault, as far as its seconds go; `-m heavy` all of them,
and all ways with one fault. `python -m tests.exploration dj-wild 2` walks those with two.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable

import pytest

from controller.core.book import Book
from controller.core.events import Refusal
from controller.core.inputs import NoMoreBets, RoundDone
from controller.core.machine import Row, row
from controller.core.state import Phase
from controller.core.view import Table
from controller.core.whereabouts import Place, Whereabouts
from controller.games import fortune_asia
from controller.regions import cards
from hal.facts import Button, Drawn, Jam
from tests.exploration.explorer import Broken, explore, small_book

GAMES = ("dj-wild", "fortune-asia-poker", "blackjack", "minibaccarat")
ORDINARY = {
    "dj-wild": {"bets", "deal", "remainder", "extra", "stub", "decisions", "settle"},
    "fortune-asia-poker": {"bets", "start", "deal", "remainder", "stub", "settle"},
    "blackjack": {"cut", "cover", "load", "burn", "bets", "play"},
    "minibaccarat": {"cut", "restack", "cover", "load", "burn", "bets", "play"},
}


# Some two seconds a game on one core.
STATES_OF_SUITE = 200


@pytest.mark.parametrize("game", GAMES)
def test_the_first_states_of_the_ordinary_course_hold(game: str) -> None:
    seen = explore(game, faults_max=0, states_max=STATES_OF_SUITE)
    assert seen.states == STATES_OF_SUITE


@pytest.mark.heavy
@pytest.mark.parametrize("game", GAMES)
def test_the_ordinary_course_holds_in_every_state_and_ends(game: str) -> None:
    seen = explore(game, faults_max=0)
    print(f"{game}: {seen.states} states, {seen.transitions} transitions, {seen.refused} refused")
    assert seen.complete
    assert seen.phases >= ORDINARY[game]


@pytest.mark.heavy
@pytest.mark.parametrize("game", GAMES)
def test_every_single_fault_holds_in_every_state_and_has_a_way_out(game: str) -> None:
    seen = explore(game, faults_max=1)
    print(f"{game}: {seen.states} states, {seen.transitions} transitions, {seen.refused} refused")
    assert seen.complete


# ---- each invariant catches a rule that was broken on purpose ------------------------------------
def changed(game: str) -> Book:
    """A book of its own, so that a broken row stays in this test."""
    book = small_book(game)
    return dataclasses.replace(
        book, rows={phase: dict(rows) for phase, rows in book.rows.items()},
        voiding=dict(book.voiding), moves=copy.copy({k: dict(v) for k, v in book.moves.items()}),
    )  # fmt: skip


def broken(book: Book, game: str, message: str, faults: int = 1, states: int = 20_000) -> None:
    with pytest.raises(Broken, match=message):
        explore(game, faults, book, states)


def test_a_card_that_vanishes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Whereabouts.counted

    def forgetful(cards: Whereabouts, place: Place, count: int) -> Whereabouts:
        after = honest(cards, place, count)
        return dataclasses.replace(after, unknown=0)

    monkeypatch.setattr(Whereabouts, "counted", forgetful)
    broken(small_book("dj-wild"), "dj-wild", "INVARIANT cards")


@pytest.mark.heavy
def test_a_token_that_is_never_spent_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[..., None] = Table.change_token

    def unspent(table: Table, batch: object, **members: object) -> None:
        members.pop("spent", None)
        honest(table, batch, **members)

    monkeypatch.setattr(Table, "change_token", unspent)
    broken(small_book("dj-wild"), "dj-wild", "INVARIANT token", faults=0)


@pytest.mark.heavy
def test_bets_that_close_at_a_broken_shoe_are_caught() -> None:
    book = changed("dj-wild")
    honest = book.rows[Phase.BETS][NoMoreBets]
    book.rows[Phase.BETS][NoMoreBets] = Row((), honest.then)
    broken(book, "dj-wild", "INVARIANT (lock|service)", faults=1)


@pytest.mark.heavy
def test_a_voided_round_that_completes_is_caught() -> None:
    book = changed("dj-wild")
    book.voiding[RoundDone] = book.rows[Phase.SETTLE][RoundDone]
    broken(book, "dj-wild", "INVARIANT void")


@pytest.mark.heavy
def test_a_second_number_is_caught() -> None:
    book = changed("fortune-asia-poker")
    book.rows[Phase.DEAL][Button] = row(then=fortune_asia.draw)
    book.rows[Phase.DEAL][Drawn] = row(then=fortune_asia.drawn)
    broken(book, "fortune-asia-poker", "INVARIANT number", faults=0)


@pytest.mark.heavy
def test_a_refused_fact_is_caught() -> None:
    book = changed("dj-wild")
    book.moves["shoe"][Jam] = lambda table, item: Refusal(None, "not now")
    broken(book, "dj-wild", "INVARIANT refusal")


@pytest.mark.heavy
def test_an_input_that_crashes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise AssertionError("broken on purpose")

    monkeypatch.setattr(cards, "deck_removed", crash)
    monkeypatch.setattr("controller.regions.decisions.deck_removed", crash)
    broken(small_book("dj-wild"), "dj-wild", "broken on purpose")

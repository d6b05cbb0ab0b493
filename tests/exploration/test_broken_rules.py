"""Each invariant catches one rule that was broken on purpose, by the same walk and the same checks.

The walks begin near the rule in question and keep to few lines, so that they end within a second.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

import pytest

from controller.core.book import Book
from controller.core.events import Refusal
from controller.core.inputs import NoMoreBets, RoundDone
from controller.core.machine import Row, row
from controller.core.state import Phase
from controller.core.view import Table
from controller.core.whereabouts import Place, Whereabouts
from controller.games import fortune_asia
from controller.regions import cards, irregularity, shuffler
from hal.facts import Button, CardDrawn, Drawn, Jam
from tests.exploration import key, ways
from tests.exploration.explorer import Broken, explore
from tests.exploration.lines import Line
from tests.exploration.small import small_book


def changed(game: str) -> Book:
    """A book of its own, so that a broken row stays in this test."""
    book = small_book(game)
    return dataclasses.replace(
        book, rows={phase: dict(rows) for phase, rows in book.rows.items()},
        voiding=dict(book.voiding), moves={name: dict(one) for name, one in book.moves.items()},
    )  # fmt: skip


def only(*kinds: str) -> Callable[[Line], bool]:
    return lambda line: dict(line.said)["type"] in kinds


def caught(
    book: Book, message: str, prefix: Sequence[Line], kinds: tuple[str, ...], mistakes: int = 1,
    checked: int = 0,
) -> None:  # fmt: skip
    with pytest.raises(Broken, match=message):
        explore(book, mistakes, prefix=prefix, only=only(*kinds), checked=checked)


def test_a_card_that_vanishes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Whereabouts.counted

    def forgetful(lie: Whereabouts, place: Place, count: int) -> Whereabouts:
        return dataclasses.replace(honest(lie, place, count), unknown=0)

    monkeypatch.setattr(Whereabouts, "counted", forgetful)
    book = small_book("dj-wild")
    caught(book, "INVARIANT cards", ways.to_hands(book), ("remainder_removed", "stub"))


def test_a_token_that_is_never_spent_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[..., None] = Table.change_token

    def unspent(table: Table, batch: object, **members: object) -> None:
        members.pop("spent", None)
        honest(table, batch, **members)

    monkeypatch.setattr(Table, "change_token", unspent)
    book = small_book("dj-wild")
    caught(book, "INVARIANT token", ways.to_shuffle(), (
        "cycle_started", "cycle_ended", "loaded", "no_more_bets", "stack",
    ), mistakes=0)  # fmt: skip


def test_bets_that_close_at_a_broken_shoe_are_caught() -> None:
    book = changed("dj-wild")
    honest = book.rows[Phase.BETS][NoMoreBets]
    book.rows[Phase.BETS][NoMoreBets] = Row((), honest.then)
    caught(book, "INVARIANT lock: bets", ways.to_bets(book), ("jam", "no_more_bets"))


@pytest.mark.parametrize("game", ["blackjack", "minibaccarat"])
def test_a_card_that_leaves_under_a_hold_untold_is_caught(game: str) -> None:
    book = changed(game)
    book.rows[Phase.PLAY][CardDrawn] = row(
        then=lambda table, item: table.change("round", cards=table.state.round.cards + 1)
    )
    caught(book, "INVARIANT lock: a card", ways.to_play(book), ("wrong_count", "card"))


def test_a_voided_round_that_completes_is_caught() -> None:
    book = changed("dj-wild")
    book.voiding[RoundDone] = book.rows[Phase.SETTLE][RoundDone]
    caught(book, "INVARIANT void", ways.to_deal(book), ("jam", "round_done"))


def test_a_wager_that_is_not_disposed_of_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    honest: Callable[[Table], tuple[str, ...]] = irregularity._placed
    monkeypatch.setattr(irregularity, "_placed", lambda table: honest(table)[:-1])
    book = small_book("dj-wild")
    caught(book, "INVARIANT wagers", ways.to_deal(book), (
        "jam", "wagers_returned", "confirm_void",
    ))  # fmt: skip


def test_a_shuffler_that_is_used_out_of_service_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shuffler, "cycle_is_no_shuffle_because", lambda table, ended: None)
    book = small_book("dj-wild")
    caught(book, "INVARIANT service", ways.to_shuffle(), (
        "declare_unusable", "cycle_started", "cycle_ended",
    ))  # fmt: skip


def test_a_second_number_is_caught() -> None:
    book = changed("fortune-asia-poker")
    book.rows[Phase.DEAL][Button] = row(then=fortune_asia.draw)
    book.rows[Phase.DEAL][Drawn] = row(then=fortune_asia.drawn)
    caught(book, "INVARIANT number", ways.to_deal(book), ("button", "drawn"), mistakes=0)


def test_a_state_without_a_way_out_is_caught() -> None:
    book = changed("dj-wild")
    book.rows[Phase.REMAINDER] = {}
    caught(book, "INVARIANT way out", ways.to_deal(book), ("stack", "remainder_removed", "done"))


def test_a_refused_fact_is_caught() -> None:
    book = changed("dj-wild")
    book.moves["shoe"][Jam] = lambda table, item: Refusal(None, "not now")
    caught(book, "INVARIANT refusal", ways.to_bets(book), ("jam",))


def test_an_input_that_crashes_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(*_: object) -> None:
        raise AssertionError("broken on purpose")

    monkeypatch.setattr(cards, "deck_removed", crash)
    monkeypatch.setattr("controller.regions.irregularity.deck_removed", crash)
    book = small_book("fortune-asia-poker")
    caught(book, "broken on purpose", ways.to_hands(book), (
        "remainder_removed", "stub", "decide", "wagers_returned", "confirm_void",
    ))  # fmt: skip


def test_a_key_that_leaves_out_what_a_guard_reads_is_caught(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(key, "_rng", lambda state: ())
    book = small_book("fortune-asia-poker")
    caught(book, "KEY", ways.to_bets(book), (
        "no_more_bets", "button", "health_failed", "drawn", "display_fault",
    ), checked=1)  # fmt: skip

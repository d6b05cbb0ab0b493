"""Each game gets the dealer who knows it, at a table whose file says the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from config.loader import load
from config.profiles import profile_document
from controller.broker_address import BrokerAddress
from controller.core.profile import profile_of
from controller.demo.cast import SHOE_CARDS_MIN, Cast, Wish, cast_of, least_below_cover
from controller.demo.demands import CARDS, GAMES, SHOES
from controller.demo.shoe_dealer import ShoeDealer
from controller.errors import UserError

NOWHERE = BrokerAddress("127.0.0.1", 9)


def cast(home: Path, game: str, shoe_cards: int = 24) -> Cast:
    wish = Wish(game, 3, (), 5, shoe_cards=shoe_cards)
    return cast_of(wish, home, NOWHERE, None, lambda seen: None, lambda line: None)


@pytest.mark.parametrize("game", GAMES)
def test_a_shoe_game_has_a_dealer_at_a_shoe(game: str, tmp_path: Path) -> None:
    one = cast(tmp_path, game)
    assert isinstance(one.crew._dealer, ShoeDealer) is (game in SHOES)
    assert load(one.stage.config).setup().batch_cards == CARDS[game]


@pytest.mark.parametrize(
    ("game", "below"), [("blackjack", 78), ("minibaccarat", 14), ("dj-wild", 0)]
)
def test_the_cover_card_goes_no_deeper_than_its_paragraph_lets_it(game: str, below: int) -> None:
    """633a.5(d): a quarter; 627a.5(d): fourteen cards."""
    cut = profile_of(profile_document(game)[0]).cut
    assert least_below_cover(cut, CARDS[game]) == below


@pytest.mark.parametrize("cards", [SHOE_CARDS_MIN - 1, 235])
def test_a_shoe_that_cannot_be_so_is_refused(cards: int, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--shoe-cards: expected 17 to 234"):
        cast(tmp_path, "blackjack", cards)


@pytest.mark.parametrize("cards", [SHOE_CARDS_MIN, 234])
def test_the_last_depths_that_pass(cards: int, tmp_path: Path) -> None:
    assert cast(tmp_path, "blackjack", cards).stage.starts == 0

"""A house's declaration that its game's text does not allow: `controller.rules.declared`."""

import dataclasses

import pytest

from config.profiles import games, profile_document, usual_setup
from controller.core.profile import profile_of
from controller.core.setup import ShufflerSetup
from controller.rules.declared import misfits

ABSENT = ShufflerSetup(present=False, counts=False, stores_one_batch=False)


@pytest.mark.parametrize("game", games())
def test_what_replay_plays_without_a_file_fits(game: str) -> None:
    assert misfits(profile_of(profile_document(game)[0]), usual_setup(game)) == ()


@pytest.mark.parametrize(
    ("game", "house", "key"),
    [
        ("dj-wild", {"deck_cards": 52}, "game.deck_cards"),
        ("dj-wild", {"deck_cards": 54}, "game.deck_cards"),
        ("dj-wild", {"deck_cards": 53}, None),
        ("fortune-asia-poker", {"deck_cards": 52}, None),
        ("fortune-asia-poker", {"deck_cards": 48}, "table.seats"),
        ("fortune-asia-poker", {"deck_cards": 49}, None),
        ("fortune-asia-poker", {"seats": 5}, "game.start"),
        ("fortune-asia-poker", {"seats": 5, "start": "shaker"}, None),
        ("fortune-asia-poker", {"seats": 7, "start": "shaker"}, "table.seats"),
        ("dj-wild", {"decks": 2}, None),
        ("blackjack", {"decks": 1, "batches": 1}, "game.decks"),
        ("blackjack", {"decks": 1, "batches": 2}, None),
        ("blackjack", {"decks": 2, "batches": 1}, "game.batches"),
        ("blackjack", {"decks": 6, "batches": 1}, "game.batches"),
        ("blackjack", {"decks": 6, "batches": 1, "shuffle": "manual", "shuffler": ABSENT}, None),
        ("blackjack", {"decks": 6, "batches": 1, "approved_device": "X"}, None),
        # No text on batches was read for Minibaccarat: the house says how many it has.
        ("minibaccarat", {"batches": 2}, None),
        ("blackjack", {"decks": 1, "batches": 1, "shuffle": "manual", "shuffler": ABSENT}, None),
        ("blackjack", {"decks": 1, "batches": 1, "approved_device": "X"}, None),
        ("dj-wild", {"deal": "slot"}, "game.deal"),
        ("dj-wild", {"seats": 9}, None),
        ("dj-wild", {"seats": 10}, "table.seats"),
    ],
)
def test_a_misfit_is_named_with_its_key_and_its_paragraph(
    game: str, house: dict[str, object], key: str | None
) -> None:
    setup = dataclasses.replace(usual_setup(game), **house)  # type: ignore[arg-type]
    found = [one.key for one in misfits(profile_of(profile_document(game)[0]), setup)]
    assert found[:1] == ([] if key is None else [key])


def test_the_deck_of_dj_wild_cites_its_paragraph() -> None:
    setup = dataclasses.replace(usual_setup("dj-wild"), deck_cards=52)
    one = misfits(profile_of(profile_document("dj-wild")[0]), setup)[0]
    assert one.rule == "58 Pa. Code § 687a.10(d)"
    assert one.problem == "a deck has 53 cards, not 52"


def test_one_batch_beside_a_shuffler_cites_its_paragraph() -> None:
    setup = dataclasses.replace(usual_setup("blackjack"), batches=1)
    (one,) = misfits(profile_of(profile_document("blackjack")[0]), setup)
    assert one.rule == "58 Pa. Code § 633a.3(b)"
    assert one.problem == "a shuffler needs 2 batches that alternate, not 1"

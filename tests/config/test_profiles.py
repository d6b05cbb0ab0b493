"""Profiles are found by the game's id, with the digest that the journal will record."""

import hashlib
from pathlib import Path

import pytest

from config.profiles import UnknownGame, games, profile_document

FOLDER = Path(__file__).parents[2] / "config" / "games"


def test_ids_have_hyphens_where_files_have_underscores() -> None:
    stems = {file.stem for file in FOLDER.glob("*.toml")}
    assert {game.replace("-", "_") for game in games()} == stems
    assert list(games()) == sorted(games())


def test_the_digest_is_of_the_very_octets_of_the_file() -> None:
    for game in games():
        document, digest = profile_document(game)
        octets = (FOLDER / f"{game.replace('-', '_')}.toml").read_bytes()
        assert digest == hashlib.sha256(octets).hexdigest()
        assert document


@pytest.mark.parametrize("name", ["", "dj_wild", "../examples/bench", "no-such-game"])
def test_a_name_that_is_no_game_is_refused(name: str) -> None:
    with pytest.raises(UnknownGame, match="no game"):
        profile_document(name)

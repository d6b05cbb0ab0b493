"""Finds a game's profile: package data `config/games/<name>.toml`, with the digest of its bytes."""

from __future__ import annotations

import hashlib
import tomllib
from importlib.resources import files

from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS, Setup, default_setup

_SUFFIX = ".toml"


class UnknownGame(LookupError):
    """No profile of that name is shipped; the message lists those that are."""


def games() -> tuple[str, ...]:
    """The ids of all shipped games, sorted; an id has hyphens where its file has underscores."""
    folder = files("config") / "games"
    if not folder.is_dir():
        return ()
    names = [entry.name for entry in folder.iterdir() if entry.name.endswith(_SUFFIX)]
    return tuple(sorted(name.removesuffix(_SUFFIX).replace("_", "-") for name in names))


def usual_setup(game: str) -> Setup:
    """The table that a game is played at where a house declares nothing. Raises UnknownGame."""
    if game in DEFAULTS:
        return DEFAULTS[game]
    profile = profile_of(profile_document(game)[0])
    return default_setup(game, profile.cards.deck_cards.value, profile.deal.methods.value[0])


def profile_document(game: str) -> tuple[dict[str, object], str]:
    """The profile of `game` as a parsed TOML document, and the SHA-256 (hex) of the file's bytes.

    The digest goes into the journal when the table opens, so that an old round is judged by its
    own law (architecture, section 10). Raises UnknownGame.
    """
    octets = profile_octets(game)
    return tomllib.loads(octets.decode("utf-8")), hashlib.sha256(octets).hexdigest()


def profile_octets(game: str) -> bytes:
    """The profile's file as it is shipped. Raises UnknownGame."""
    if game not in games():
        raise UnknownGame(f"no game {game!r}; shipped are: {', '.join(games()) or 'none'}")
    return (files("config") / "games" / f"{game.replace('-', '_')}{_SUFFIX}").read_bytes()

"""The book of one table as one canonical document, so that a journal can be judged by itself.

`{"profile": <the profile's TOML text>, "setup": {…}}`: the SHA-256 of the text is the profile's
digest, `setup` what the house declared, as `controller.core.setup.Setup` has it.
"""

from __future__ import annotations

import json
import tomllib

from controller.core.book import Book
from controller.core.codec import Unreadable, build, canonical, plain
from controller.core.profile import ProfileError, profile_of
from controller.core.setup import Setup
from controller.games import PROCEDURES, book_of


def book_document(setup: Setup, profile: str) -> bytes:
    """What a journal keeps of a setup and the text of a profile."""
    return canonical({"profile": profile, "setup": plain(setup)})


def book_of_document(body: bytes) -> Book:
    """The book that `book_document` was made of. Raises Unreadable."""
    try:
        members = json.loads(body)
        setup: Setup = build(Setup, members["setup"], "setup")
        profile = profile_of(tomllib.loads(str(members["profile"])))
    except Unreadable:
        raise
    except (ValueError, KeyError, TypeError, ProfileError) as error:
        raise Unreadable(f"book: {error}") from None
    if profile.id.procedure not in PROCEDURES:
        raise Unreadable(f"book: this program has no procedure {profile.id.procedure}")
    return book_of(setup, profile)

"""A book goes into a journal as one document and comes out the same."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest

from config.profiles import games, profile_document, profile_octets, usual_setup
from controller.book_document import book_document, book_of_document
from controller.core.codec import Unreadable
from controller.core.setup import Person


@pytest.mark.parametrize("game", games())
def test_a_book_comes_back_as_it_was(game: str) -> None:
    keys = {"K-17": Person("rivera", "floorperson")}
    setup = dataclasses.replace(usual_setup(game), seats=5, keys=keys, idle_after_ms=1)
    body = book_document(setup, profile_octets(game).decode())
    book = book_of_document(body)
    assert book.setup == setup
    assert book.profile.id.game == game
    text = json.loads(body)["profile"]
    assert hashlib.sha256(text.encode()).hexdigest() == profile_document(game)[1]


@pytest.mark.parametrize(
    "body",
    [
        b"", b"[]", b"{}", b'{"profile":"","setup":{}}', b'{"profile":"x = ","setup":{}}',
        b'{"profile":"","setup":{"seats":"six"}}', b'{"profile":7,"setup":{}}',
    ],
)  # fmt: skip
def test_what_is_no_book_is_said_to_be_none(body: bytes) -> None:
    with pytest.raises(Unreadable):
        book_of_document(body)

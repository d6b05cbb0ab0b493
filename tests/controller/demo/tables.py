"""A table on which nothing has happened yet, with its real rules."""

from __future__ import annotations

from config.profiles import profile_document
from controller.core.outputs import Outputs
from controller.core.profile import profile_of
from controller.core.setup import Setup
from controller.core.table import new_state, outputs_of
from controller.games import book_of


def first_outputs(setup: Setup) -> Outputs:
    """Its levels."""
    document, _ = profile_document(setup.game)
    book = book_of(setup, profile_of(document))
    return outputs_of(book, new_state(book))

"""The real rules, bound to one book, in the shape that engine and journal work with."""

from __future__ import annotations

import functools
import json

from controller.core.book import Book
from controller.core.codec import Unreadable, build, canonical, plain
from controller.core.state import TableState
from controller.core.table import new_state, outputs_of, run
from controller.journal.program import Program


def program_of(book: Book) -> Program[TableState]:
    """The program of one game at one table."""
    return Program(
        first=functools.partial(new_state, book),
        run=functools.partial(run, book),
        outputs=functools.partial(outputs_of, book),
        timers=lambda state: state.timers,
        pending_draw=lambda state: state.rng.pending_draw,
        dump=dump_state,
        load=load_state,
    )


def dump_state(state: TableState) -> bytes:
    """Canonical JSON of a whole state, as snapshots hold it."""
    return canonical(plain(state))


def load_state(body: bytes) -> TableState:
    """What `dump_state` wrote. Raises Unreadable."""
    try:
        members = json.loads(body)
    except ValueError as error:
        raise Unreadable(f"state: {error}") from None
    state: TableState = build(TableState, members, "state")
    return state

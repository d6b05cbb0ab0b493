"""One input at one table: who may say it, what it does, or why it is refused. Pure.

Same book, state and input, same turn: on any machine, at any time.
"""

from __future__ import annotations

import dataclasses

from controller.core import levels
from controller.core.book import Book
from controller.core.events import Refusal
from controller.core.inputs import Arrived, Malformed, Recorded, Replay
from controller.core.law import Ask
from controller.core.machine import Row, verdict_of
from controller.core.outputs import Outputs
from controller.core.state import Batch, Methods, TableState
from controller.core.view import Table, Turn
from controller.core.whereabouts import Whereabouts

BATCH_NAMES = ("A", "B")


def new_state(book: Book) -> TableState:
    """A closed table on which nothing has happened yet."""
    setup = book.setup
    state = TableState(
        batches=tuple(
            Batch(name, Whereabouts(table=setup.batch_cards))
            for name in BATCH_NAMES[: setup.batches]
        ),
        methods=Methods(shuffle=setup.shuffle, deal=setup.deal, start=setup.start),
    )
    locks = levels.locks_of(book, state)
    return dataclasses.replace(state, locked={step: tuple(locks[step]) for step in locks})


def run(book: Book, state: TableState, arrived: Arrived) -> Turn:
    """Decide one input. Raises AssertionError only where the program itself is wrong."""
    table = Table(book, state, arrived)
    refusal = _decide(table)
    if refusal is not None:
        # A refused input moves nothing; what a translated press set up goes with it.
        speaker = table.role, table.person
        table = Table(book, state, arrived)
        if speaker[1] is not None:
            table.speak_as(speaker[0], speaker[1])
        _record_refusal(table, refusal)
    if arrived.mono_ms != state.last_mono_ms:
        table.put(last_mono_ms=arrived.mono_ms)
    if refusal is None:
        if book.settle is not None:
            book.settle(table)
        levels.announce(table)
    return Turn(arrived, table.state, tuple(table.events), tuple(table.effects), refusal)


def outputs_of(book: Book, state: TableState) -> Outputs:
    """Every level of the table in this state."""
    return levels.outputs_of(book, state)


def _record_refusal(table: Table, refusal: Refusal) -> None:
    item = table.arrived.item
    name = item.claimed if isinstance(item, Malformed) else getattr(item, "TYPE", "")
    table.emit("input.refused", refusal.rule, type=name, reason=refusal.reason)


def _decide(table: Table) -> Refusal | None:
    item, source = table.arrived.item, table.arrived.source
    if isinstance(item, Malformed):
        return Refusal(None, item.reason)
    if isinstance(item, Replay | Recorded):
        return None
    move = table.book.moves.get(source, {}).get(type(item))
    if move is not None:
        return _refusal(move(table, item))
    if source in ("shuffler", "shoe"):
        _fact(table, item)
        return None
    return _command(table, item)


def _refusal(answer: object) -> Refusal | None:
    return answer if isinstance(answer, Refusal) else None


def _fact(table: Table, item: object) -> None:
    """A device's word about cards: the phase says what it means, and it is never refused."""
    one = table.book.rows.get(table.state.phase, {}).get(type(item))
    if one is None:
        unexpected = table.book.unexpected.get(type(item))
        if unexpected is not None:
            unexpected(table, item)
        return
    verdict = verdict_of(one, table, item)
    assert not isinstance(verdict, Refusal), "a row for a device's fact has no refusing guard"
    one.then(table, item)


def _command(table: Table, stated: object) -> Refusal | None:
    book = table.book
    item = stated if book.translate is None else book.translate(table, stated)
    if isinstance(item, Refusal):
        return item
    press = book.moves.get("press", {}).get(type(item))
    if press is not None:
        return _refusal(press(table, item))
    one = book.common.get(type(item)) or _procedure_row(table, item)
    if isinstance(one, Refusal):
        return one
    verdict = verdict_of(one, table, item)
    if isinstance(verdict, Refusal):
        return verdict
    if isinstance(verdict, Ask):
        assert book.ask is not None, "a book with unread law can ask"
        book.ask(table, verdict)
        return None
    one.then(table, item)
    return None


def _procedure_row(table: Table, item: object) -> Row | Refusal:
    """The row of the void or of the phase; play does not go on under a hold or without a record."""
    book, state = table.book, table.state
    _, who, text, rule = levels.prompt_of(book, state)
    if type(item) in book.reports:
        one = book.rows.get(state.phase, {}).get(type(item))
        return one or Refusal(rule, f"not now; next: {text} ({who})")
    if state.void is not None:
        return book.voiding.get(type(item)) or Refusal(rule, f"the round is void; next: {text}")
    if state.holds:
        return Refusal(rule, f"play is held; next: {text}")
    if not state.services.recording:
        return Refusal(None, "the record cannot be written: no record, no deal")
    if state.services.changed is not None:
        return Refusal(None, f"{state.services.changed}; install the approved package again")
    one = book.rows.get(state.phase, {}).get(type(item))
    return one or Refusal(rule, f"not now; next: {text} ({who})")

"""The record as a state of the table: no record, no deal, and only a person lets play go on. Pure.

What could not be written in time was decided all the same and is written by now, or this input
would not be; whether people at the table acted on what they saw meanwhile, only they know.
"""

from __future__ import annotations

from controller.core.codec import plain
from controller.core.inputs import Overrun, Storage
from controller.core.machine import Move
from controller.core.recording import RecordFilling, Sealed, TakenOver, Unrecorded
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.holds import hold

# Holds that nobody may lift while the record still cannot be written.
CODE = "storage"
FILLING = "record_filling"


def storage(table: Table, item: Storage) -> None:
    was = table.state.services.recording
    table.change("services", storage_free_bytes=item.free_bytes, recording=item.writable)
    if item.writable:
        clear_cause(table, CODE)
        return
    raise_alarm(table, CODE, 4, "the record cannot be written", live=True)
    if was:
        hold(table, CODE, "the record cannot be written", _choices(table))


def filling(table: Table, item: RecordFilling) -> None:
    """Play goes on: a person has the time to mend what would stop the table (F47)."""
    if item.percent is None:
        clear_cause(table, FILLING)
        return
    text = f"{item.percent} % of the record's room are used: see that it is delivered and pruned"
    raise_alarm(table, FILLING, 3, text, live=True)


def unrecorded(table: Table, item: Unrecorded) -> None:
    """Late is an alarm, for the card is failing; not at all is a hold."""
    table.emit(
        "journal.trouble", None, 3 if item.code == "slow" else None,
        code=item.code, reason=item.reason, lasted_ms=item.lasted_ms,
    )  # fmt: skip
    if item.code == "slow":
        raise_alarm(table, "storage_slow", 3, f"the disk is slow: {item.reason}")
        return
    raise_alarm(table, "unrecorded", 4, f"the record could not be written: {item.reason}")
    hold(table, CODE, f"the record could not be written: {item.reason}", _choices(table))


def taken_over(table: Table, item: TakenOver) -> None:
    """Another program's state is not trusted in silence, in a round or between two."""
    table.emit(
        "journal.taken_over", program=item.program, state=item.state, reason=item.reason,
    )  # fmt: skip
    raise_alarm(table, "taken_over", 4, f"after a change of software: {item.reason}")
    hold(table, "taken_over", "the software was changed after an unclean end", _choices(table))


def overrun(table: Table, item: Overrun) -> None:
    """Inputs were lost before they had a number: nobody knows what, so the table holds."""
    raise_alarm(table, "overrun", 4, f"{item.lost} inputs were lost")
    hold(table, "overrun", f"{item.lost} inputs were lost", _choices(table))


def sealed(table: Table, item: Sealed) -> None:
    """The statement as it was signed, for whoever keeps a copy outside."""
    table.emit("journal.checkpoint", checkpoint=plain(item.checkpoint), public_key=item.public_key)


def _choices(table: Table) -> tuple[str, ...]:
    return ("resume", "void") if table.state.in_round else ("resume", "reshuffle")


MOVES: dict[type, Move] = {
    Storage: storage, RecordFilling: filling, Unrecorded: unrecorded, TakenOver: taken_over,
    Overrun: overrun, Sealed: sealed,
}  # fmt: skip

"""The generator and its digit as devices: drawn, shown, failed, back in service. Pure."""

from __future__ import annotations

from controller.core.law import CODE
from controller.core.state import Phase, Start
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.holds import hold
from controller.rules.start_position import number_is_in_range, position_of, redraw_is_lawful
from hal.facts import DisplayFault, Drawn, HealthFailed, Restored, Shown


def drawn(table: Table, item: Drawn) -> bool:
    """Take the number of the draw that was asked for; returns whether it gives the position."""
    if item.draw != table.state.rng.pending_draw:
        _failed(table, "unexpected", "a number came that was not asked for")
        return False
    table.change("rng", pending_draw=None)
    if not number_is_in_range(table, item.number):
        _failed(table, "range", f"the generator gave {item.number}")
        table.change("rng", in_service=False)
        return False
    count, to = position_of(table, item.number)
    settle_start(table, "rng", item.number, count, to, item.draw)
    if not table.state.rng.in_service:
        # The digit failed while the number was on its way: nobody has seen it.
        _hold_number(table, "segment")
    return True


def drawn_late(table: Table, item: Drawn) -> None:
    """A number whose round is over is recorded with its input and used for nothing."""
    if item.draw != table.state.rng.pending_draw:
        _failed(table, "unexpected", "a number came that was not asked for")
    table.change("rng", pending_draw=None)


def settle_start(
    table: Table, method: str, raw: int, count: int, to: int | str, draw: int | None = None
) -> None:
    """The start position is on record before the digit lights."""
    table.change("round", start=Start(method, raw, count, to))
    law = table.profile.start_position
    assert law is not None, "only a game with a start position gets one"
    table.emit(
        "startpos.determined", law.numbers.rule if method == "rng" else law.count_direction.rule,
        method=method, raw=raw, count=count, to=to, draw=draw,
    )  # fmt: skip


def shown(table: Table, item: Shown) -> None:
    """The digit read back; a wrong one is blanked by the hold and put out of service."""
    start = table.state.round.start
    expected = start.raw if start is not None and start.method == "rng" else None
    if item.readback == item.number and item.number == expected:
        return
    if expected is None:
        # The round ended while the answer was on its way; the level is blank again by now.
        return
    table.change("rng", in_service=False, display_ok=False)
    _failed(table, "readback", f"the digit shows {item.readback} instead of {expected}")
    _hold_number(table, "readback")


def health_failed(table: Table, item: HealthFailed) -> None:
    """A generator that fails a test is out of service at once, not warned about."""
    table.change("rng", in_service=False, pending_draw=None)
    _failed(table, item.test, f"the generator failed its test: {item.test}")


def display_fault(table: Table, item: DisplayFault) -> None:
    table.change("rng", in_service=False, display_ok=False)
    _failed(table, "segment", f"segment {item.segment} of the digit does not work")
    start = table.state.round.start
    if table.state.in_round and start is not None and start.method == "rng":
        _hold_number(table, "segment")


def restored(table: Table, item: Restored) -> None:
    clear_cause(table, "rng")
    if not table.state.rng.in_service:
        table.change("rng", in_service=True, display_ok=True)
        table.emit("rng.restored", _rule(table))


def _failed(table: Table, test: str, text: str) -> None:
    table.emit("rng.failed", _rule(table), test=test, reason=text)
    raise_alarm(table, "rng", 4, text, _rule(table), live=not table.state.rng.in_service)


def _hold_number(table: Table, test: str) -> None:
    """The number is on record and stays; a person says it aloud or voids the round."""
    choices = ("continue", "void", "discard") if redraw_is_lawful(table) else ("continue", "void")
    hold(
        table, "digit", f"the digit cannot be trusted ({test}); the drawn number is on record",
        choices, _rule(table),
    )  # fmt: skip


def discard_number(table: Table) -> None:
    """A floorperson, with a reason on record, lets the position be found anew."""
    table.change("round", start=None, order=())
    table.go(Phase.START)


def _rule(table: Table) -> str:
    law = table.profile.start_position
    return law.numbers.rule if law is not None else CODE + "659a.5(g)(2)"

"""The program as a state of the table: a changed one plays nothing; its code on the digit. Pure."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import ShowCode, SoftwareChanged
from controller.core.law import Verdict
from controller.core.machine import Move, Rows, row
from controller.core.software import short_code
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm

TIMER = "code"
# Long enough to be read and written down; dark between, or two equal digits would look like one.
LIT_MS = 1_500
DARK_MS = 500
DARK = " "


def begun(table: Table, build: str | None) -> None:
    """A new boot was read from the files as they are now; what was found of the old one is over."""
    table.change("services", build=build, changed=None)
    _stop(table)
    clear_cause(table, "software")


def changed(table: Table, item: SoftwareChanged) -> None:
    """What nobody approved deals no card; closing and the end of a round are left to people."""
    more = item.count - 1
    text = f"the program was changed: {item.files[0]}" + (f" and {more} more" if more else "")
    table.change("services", changed=text)
    table.emit("software.changed", None, count=item.count, files=list(item.files))
    raise_alarm(table, "software", 5, text, live=True)


def nothing_is_played(table: Table, item: ShowCode) -> Verdict:
    """A digit of a code must never be taken for a number that was drawn."""
    if not table.state.at_rest:
        return Refusal(None, "not while a round, a void, a hold or a draw is open")
    if table.state.services.build is None:
        return Refusal(None, "nothing is known of the program that runs here")
    return None


def show_code(table: Table, item: ShowCode) -> None:
    """Asked again it begins again; the code is on record, so that the room sees the same one."""
    build = table.state.services.build
    assert build is not None, "the guard has seen it"
    code = short_code(item.nonce, build)
    table.emit("software.code_shown", None, nonce=item.nonce, code=code, digest=build)
    table.cancel_timer(TIMER)
    _show(table, DARK.join(code))


def fired(table: Table) -> None:
    """The next digit, or the pause before it; a round that began meanwhile ends it."""
    left = (table.state.services.code or "")[1:]
    _show(table, left if table.state.at_rest else "")


def _show(table: Table, glyphs: str) -> None:
    table.change("services", code=glyphs or None)
    if glyphs:
        table.start_timer(TIMER, DARK_MS if glyphs[0] == DARK else LIT_MS)


def _stop(table: Table) -> None:
    if table.state.services.code is not None:
        table.change("services", code=None)
        table.cancel_timer(TIMER)


COMMON_ROWS: Rows = {ShowCode: row(nothing_is_played, then=show_code)}
MOVES: dict[type, Move] = {SoftwareChanged: changed}

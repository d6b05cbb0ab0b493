"""Pins: every line can be had, the digit follows, and a person sees the right lamp light."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from controller.doctor.finding import Finding
from controller.doctor.patient import Ask, Patient
from hal.gpio import Board, BoardError, Output, open_factory
from hal.lamp_device import LampDevice
from hal.panel import Panel
from hal.pins import LAMPS, PanelSettings
from hal.segments import SEGMENTS

CHECK = "pins"
LINES = (
    "another program holds the line (gpioinfo names it), the account is not in the group"
    " gpio, or the factory is not installed (docs/panel.md)"
)
# Where a segment is, for people who do not know its letter.
PLACES = {
    "a": "top", "b": "upper right", "c": "lower right", "d": "bottom", "e": "lower left",
    "f": "upper left", "g": "middle",
}  # fmt: skip


async def examine(patient: Patient) -> list[Finding]:
    """Claim the lines, test the digit, then light one output after the other and ask."""
    if patient.daemon is not None:
        failing = patient.healthy("devices", "panel", "failing_segments")
        if failing:
            text = f"the table runs ({patient.daemon}); segments that fail: {failing}"
            return [Finding(CHECK, "digit", "wrong", text, "look at the segment's wire")]
        text = f"in use by the table itself, {patient.daemon}; stop it to test the wiring"
        return [Finding(CHECK, "panel", "info", text)]
    found = list(_sensors(patient))
    panel = patient.settings.panel
    if panel is None:
        return [*found, Finding(CHECK, "panel", "info", "the file names no panel")]
    wiring = panel.wiring()
    found += await _claimed(wiring)
    if wiring.factory == "mock":
        found.append(Finding(CHECK, "factory", "info", "mock: these pins are simulated"))
    if any(one.severity == "wrong" for one in found):
        return found
    if patient.ask is None:
        return [*found, Finding(CHECK, "wiring", "info", "nobody was asked what lights")]
    return [*found, *await asyncio.to_thread(_by_eye, wiring, patient.ask)]


def _sensors(patient: Patient) -> Iterator[Finding]:
    """The light sensors before a shuffler's own lamps."""
    shuffler = patient.settings.shuffler
    if shuffler is None or shuffler.lamps is None:
        return
    try:
        LampDevice(shuffler.lamps.wiring(), lambda heard: None).close()
    except BoardError as trouble:
        yield Finding(CHECK, "lamps", "wrong", str(trouble), LINES, unreachable=True)
    else:
        yield Finding(CHECK, "lamps", "ok", "both sensors' lines can be had")


async def _claimed(wiring: PanelSettings) -> list[Finding]:
    try:
        panel = Panel(wiring, lambda heard: None)
    except BoardError as trouble:
        return [Finding(CHECK, "factory", "wrong", str(trouble), LINES, unreachable=True)]
    try:
        failing = await panel.self_test()
    finally:
        panel.close()
    lines = len(wiring.pins.lines)
    found = [Finding(CHECK, "factory", "ok", f"{wiring.factory}: all {lines} lines can be had")]
    if failing:
        text = f"segments that do not read back as driven: {', '.join(failing)}"
        mend = "a wire is off or two are joined; compare with [panel.pins]"
        found.append(Finding(CHECK, "digit", "wrong", text, mend))
    elif wiring.pins.of_digit("segment"):
        found.append(Finding(CHECK, "digit", "ok", "each segment reads back as driven"))
    return found


def _by_eye(wiring: PanelSettings, ask: Ask) -> list[Finding]:
    """One output at a time; what the person does not see, or sees elsewhere, is wired wrong."""
    board = Board(open_factory(wiring.factory))
    found = []
    try:
        for name, place, output in list(_outputs(wiring, board)):
            output.set(True)
            seen = ask(f"{place}, and nothing else?")
            output.set(False)
            if seen is None:
                found.append(Finding(CHECK, "wiring", "info", f"nobody answered from {name} on"))
                break
            line = wiring.pins.pin(name)
            if seen:
                found.append(Finding(CHECK, name, "ok", f"line {line}: seen"))
            else:
                mend = f"look at the wire of line {line} and at [panel.pins] {name}"
                found.append(Finding(CHECK, name, "wrong", f"line {line}: not seen", mend))
        found += _switches(wiring, board)
    except BoardError as trouble:
        found.append(Finding(CHECK, "factory", "wrong", str(trouble), "", unreachable=True))
    finally:
        board.close()
    return found


def _outputs(wiring: PanelSettings, board: Board) -> Iterator[tuple[str, str, Output]]:
    for name in LAMPS:
        if (line := wiring.pins.pin(name)) is not None:
            yield name, f"the {name} lamp lights", board.output(
                name, line, wiring.lamps_active_low
            )  # fmt: skip
    segments = wiring.pins.of_digit("segment")
    for letter in SEGMENTS:
        if letter in segments:
            name = f"segment_{letter}"
            yield name, f"the {PLACES[letter]} segment of the digit lights", board.output(
                name, segments[letter], wiring.common_anode
            )  # fmt: skip
    if (line := wiring.pins.pin("sounder")) is not None:
        yield "sounder", "the sounder sounds", board.output(
            "sounder", line, wiring.sounder_active_low
        )  # fmt: skip


def _switches(wiring: PanelSettings, board: Board) -> Iterator[Finding]:
    """How each contact stands; a cut wire reads as open, so a pressed button can be looked at."""
    closed: list[str] = []
    open_: list[str] = []
    for name, line in wiring.pins.switches():
        contact = board.input(name, line, wiring.inputs_active_low)
        (closed if contact.closed() else open_).append(name)
    for words, names in (("closed", closed), ("open", open_)):
        if names:
            yield Finding(CHECK, "switches", "info", f"{words} now: {', '.join(names)}")

"""The panel under the dealer's hand: buttons, key, covers, case; digit, lamps and sounder."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping
from typing import Literal

from hal import facts
from hal.debounce import Change
from hal.digit import Digit
from hal.gpio import Board, Input, open_factory
from hal.lamps import LAMP_WORDS, SOUNDER_WORDS, Beacon
from hal.pins import BUTTONS, LAMPS, SEAT_BUTTONS, PanelSettings
from hal.ports import Heard, Sink
from hal.switches import Switches

_COVERED: Mapping[str, Literal["shuffler", "shoe"]] = {
    "cover_shuffler": "shuffler",
    "cover_shoe": "shoe",
}
_ALL_BUTTONS = frozenset((*BUTTONS, *SEAT_BUTTONS))


class Panel:
    """Implements `hal.ports.Panel`. Facts arrive at `sink` on the loop.

    The lines are claimed, and everything that shows is dark, as soon as it is made; raises
    BoardError where a line cannot be had. `board` replaces the one of `settings.factory`.
    """

    def __init__(self, settings: PanelSettings, sink: Sink, board: Board | None = None) -> None:
        self._settings = settings
        self._sink = sink
        self._board = board or Board(open_factory(settings.factory))
        with contextlib.ExitStack() as undo:
            undo.callback(self._board.close)
            self._digit = self._claim_digit()
            self._lamps = self._claim_lamps()
            self._sounder = self._claim_sounder()
            lines = self._claim_switches()
            undo.pop_all()
        self._switches = Switches(
            lines, _ALL_BUTTONS & lines.keys(), settings.stable_ms, self._changed
        )
        self._closed = False

    @property
    def board(self) -> Board:
        """The board of its lines; other lines of it may be claimed, until `close`."""
        return self._board

    async def run(self) -> None:
        """Test the digit, then serve edges until cancelled; dark again at the end."""
        loop = asyncio.get_running_loop()
        try:
            for beacon in self._beacons():
                beacon.open(loop)
            self._tell_levels(self._switches.open(loop))
            await self._digit.self_test(self._settings.self_test_step_ms)
            self._digit.open(loop)
            await loop.create_future()
        finally:
            if not self._closed:
                self._darken()

    async def self_test(self) -> tuple[str, ...]:
        """Light every segment on demand; gives those that fail. Only while `run` does not run."""
        await self._digit.self_test(self._settings.self_test_step_ms)
        return self._digit.failing

    def show(self, glyph: str) -> None:
        """Drive the digit with a glyph of `hal.segments.FONT`; a number is answered with `Shown`.

        Before the self-test is over it is remembered. Raises KeyError for an unknown glyph.
        """
        self._digit.show(glyph)

    def lamps(self, red: str, amber: str, green: str) -> None:
        """Drive the lamps, each `off`, `on` or `blink`; a lamp that is not wired is skipped."""
        for name, word in (("red", red), ("amber", amber), ("green", green)):
            assert word in LAMP_WORDS, f"lamp {name} is told {word!r}"
            if name in self._lamps and not self._closed:
                self._lamps[name].set(word)

    def sound(self, pattern: str) -> None:
        """Drive the sounder: `off`, `chirp` or `alarm`."""
        assert pattern in SOUNDER_WORDS, f"the sounder is told {pattern!r}"
        if self._sounder is not None and not self._closed:
            self._sounder.set(pattern)

    def close(self) -> None:
        """Blank the digit, lamps off, pins released; nothing is driven any more, whoever asks."""
        if not self._closed:
            self._darken()
            self._closed = True
            self._board.close()

    def status(self) -> dict[str, object]:
        """For health and doctor: edges lost, storms, failing segments."""
        return {
            "edges_lost": self._switches.edges_lost,
            "storms": self._switches.storms,
            "failing_segments": list(self._digit.failing),
        }

    # ---- lines ---------------------------------------------------------------------------------
    def _claim_digit(self) -> Digit:
        settings, board = self._settings, self._board
        outputs = {
            segment: board.output(f"segment_{segment}", line, settings.common_anode)
            for segment, line in settings.pins.of_digit("segment").items()
        }
        senses = {
            segment: board.input(f"sense_{segment}", line, settings.senses_active_low)
            for segment, line in settings.pins.of_digit("sense").items()
        }
        return Digit(outputs, senses, settings.settle_ms, self._shown, self._display_fault)

    def _claim_lamps(self) -> dict[str, Beacon]:
        settings = self._settings
        return {
            name: Beacon(self._board.output(name, line, settings.lamps_active_low))
            for name in LAMPS
            if (line := settings.pins.pin(name)) is not None
        }

    def _claim_sounder(self) -> Beacon | None:
        line = self._settings.pins.pin("sounder")
        if line is None:
            return None
        return Beacon(self._board.output("sounder", line, self._settings.sounder_active_low))

    def _claim_switches(self) -> dict[str, Input]:
        active_low = self._settings.inputs_active_low
        return {
            name: self._board.input(name, line, active_low)
            for name, line in self._settings.pins.switches()
        }

    def _beacons(self) -> tuple[Beacon, ...]:
        sounder = () if self._sounder is None else (self._sounder,)
        return (*self._lamps.values(), *sounder)

    def _darken(self) -> None:
        self._switches.close()
        self._digit.close()
        for beacon in self._beacons():
            beacon.close()

    # ---- facts ---------------------------------------------------------------------------------
    def _tell_levels(self, closed: Mapping[str, bool]) -> None:
        """Doors and covers are told as they are found; a button found down was not pressed."""
        now_ns = time.monotonic_ns()
        for name, is_closed in closed.items():
            if name == "case" or name in _COVERED:
                self._level(name, is_closed, now_ns)
        # A key that was left in over a restart confirms nothing: it must be turned again.
        if closed.get("key") is False:
            self._level("key", False, now_ns)

    def _changed(self, name: str, change: Change, at_ns: int) -> None:
        if change is Change.STUCK:
            self._hear("panel", facts.Stuck(button=name), at_ns)
        elif name in _ALL_BUTTONS:
            if change is Change.DOWN:
                self._pressed(name, at_ns)
        else:
            self._level(name, change is Change.DOWN, at_ns)

    def _pressed(self, name: str, at_ns: int) -> None:
        if name == "rng":
            self._hear("rng", facts.Button(), at_ns)
        else:
            self._hear("panel", facts.Pressed(button=name), at_ns)

    def _level(self, name: str, closed: bool, at_ns: int) -> None:
        if name == "case":
            self._hear("panel", facts.Case(open=not closed), at_ns)
        elif name == "key":
            self._hear("panel", facts.Key(on=closed, id=self._settings.key_id), at_ns)
        else:
            self._hear("panel", facts.Cover(device=_COVERED[name], on=closed), at_ns)

    def _shown(self, number: int, readback: int) -> None:
        self._hear("rng", facts.Shown(number=number, readback=readback), time.monotonic_ns())

    def _display_fault(self, segment: str) -> None:
        self._hear("panel", facts.DisplayFault(segment=segment), time.monotonic_ns())

    def _hear(self, source: str, fact: object, mono_ns: int) -> None:
        self._sink(Heard(source, fact, mono_ns))

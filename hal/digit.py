"""The seven-segment digit: driven, read back, and dark whenever the two disagree.

One dead segment makes a 7 look like a 1, so what is lit is read from the lines (or from a sense
line for each segment, where the house has wired them) and never taken from what was driven.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from hal.gpio import Input, Output
from hal.segments import BLANK, SELF_TEST, Lit, lit_for, number_of

MS_PER_S = 1_000
# How often a standing glyph is read again: a wire may come off while the number is shown.
WATCH_S = 1.0


class Digit:
    """One digit. `shown(number, readback)` and `fault(segment)` are called on the loop.

    `readback` is the number that a person would read, 0 for none. A segment's fault is told once,
    until a self-test clears it. A digit without lines can show nothing: its number reads back as 0.
    """

    def __init__(
        self,
        outputs: Mapping[str, Output],
        senses: Mapping[str, Input],
        settle_ms: int,
        shown: Callable[[int, int], None],
        fault: Callable[[str], None],
    ) -> None:
        self._outputs = outputs
        self._senses = senses
        self._settle_s = settle_ms / MS_PER_S
        self._shown = shown
        self._fault = fault
        self._glyph = BLANK
        self._driven: Lit = frozenset()
        self._bad: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self.drive(frozenset())

    @property
    def failing(self) -> tuple[str, ...]:
        """Segments that did not read back as driven when last looked at."""
        return tuple(sorted(self._bad))

    def show(self, glyph: str) -> None:
        """Show `glyph` of the font; a number is answered with `shown` once it was read back.

        The glyph that is wanted already is left alone: levels may be re-applied at will.
        """
        lit_for(glyph)
        if glyph == self._glyph:
            return
        self._glyph = glyph
        if self._loop is not None:
            self._start()

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Show what was asked for meanwhile, and watch over it from now on."""
        self._loop = loop
        if self._glyph == BLANK:
            self._arm(self._watch, WATCH_S)
        else:
            self._start()

    def close(self) -> None:
        """Dark, and still."""
        self._loop = None
        self._cancel()
        self._glyph = BLANK
        self.drive(frozenset())

    async def self_test(self, step_ms: int) -> None:
        """Light every segment alone, all and none; a fault for each that does not follow."""
        assert self._loop is None, "a test pattern may not replace what is shown"
        bad: set[str] = set()
        for lit in SELF_TEST if self._outputs else ():
            self.drive(lit)
            await asyncio.sleep(max(self._settle_s, step_ms / MS_PER_S))
            bad |= lit ^ self.read_back()
        self.drive(frozenset())
        self._tell(bad)

    def drive(self, lit: Lit) -> None:
        """Drive the segments: first those that go out, so that no third glyph appears between."""
        self._driven = lit
        for on in (False, True):
            for segment, output in self._outputs.items():
                if (segment in lit) is on:
                    output.set(on)

    def read_back(self) -> Lit:
        """The segments that are lit, as the lines tell, and the sense lines where there are any."""
        lit = {segment for segment, output in self._outputs.items() if output.reads_on()}
        for segment, sense in self._senses.items():
            # The worse of two witnesses counts: where one differs from what was driven, so be it.
            wanted = segment in self._driven
            if sense.closed() != wanted and (segment in lit) is wanted:
                lit ^= {segment}
        return frozenset(lit)

    def _start(self) -> None:
        self.drive(lit_for(self._glyph))
        self._arm(self._verify, self._settle_s)

    def _verify(self) -> None:
        read = self.read_back()
        wrong = self._driven ^ read
        if wrong or not self._outputs:
            self.drive(frozenset())
        self._tell(set(wrong), looked_at_all=False)
        if self._glyph.isdigit():
            self._shown(int(self._glyph), number_of(read))
        self._arm(self._watch, WATCH_S)

    def _watch(self) -> None:
        wrong = self._driven ^ self.read_back()
        if wrong:
            self.drive(frozenset())
        self._tell(set(wrong), looked_at_all=False)
        self._arm(self._watch, WATCH_S)

    def _tell(self, wrong: set[str], looked_at_all: bool = True) -> None:
        for segment in sorted(wrong - self._bad):
            self._fault(segment)
        # Only the self-test lights and darkens every segment: nothing less clears a fault.
        self._bad = wrong if looked_at_all else self._bad | wrong

    def _arm(self, then: Callable[[], None], wait_s: float) -> None:
        self._cancel()
        if self._loop is not None:
            self._timer = self._loop.call_later(wait_s, then)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

"""Lamps and sounder: steady or in a rhythm that all of them share, kept by the loop.

The rhythm is a function of the monotonic time: two blinking lamps blink together, none drifts.
"""

from __future__ import annotations

import asyncio
import time

from hal.gpio import Output

# (on, ms) steps, repeated. One change in half a second is seen by everyone and hurts nobody
# (photosensitive people: below three flashes a second). A chirp asks, an alarm does not stop.
Rhythm = tuple[tuple[bool, int], ...]
RHYTHMS: dict[str, Rhythm] = {
    "off": ((False, 0),),
    "on": ((True, 0),),
    "blink": ((True, 500), (False, 500)),
    "chirp": ((True, 60), (False, 1_940)),
    "alarm": ((True, 250), (False, 250)),
}
LAMP_WORDS = ("off", "on", "blink")
SOUNDER_WORDS = ("off", "chirp", "alarm")

MS_PER_S = 1_000
NS_PER_MS = 1_000_000


def level_at(rhythm: Rhythm, now_ms: int) -> tuple[bool, int | None]:
    """The level at a monotonic time, and how many ms it still lasts (None: for ever)."""
    period_ms = sum(length_ms for _, length_ms in rhythm)
    if period_ms == 0:
        return rhythm[0][0], None
    left_ms = now_ms % period_ms
    for on, length_ms in rhythm[:-1]:
        if left_ms < length_ms:
            return on, length_ms - left_ms
        left_ms -= length_ms
    on, length_ms = rhythm[-1]
    return on, length_ms - left_ms


class Beacon:
    """One lamp or sounder. Before `open` and after `close` it is steady or off."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._word = "off"
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None

    def open(self, loop: asyncio.AbstractEventLoop) -> None:
        """Keep the rhythm from now on."""
        self._loop = loop
        self._step()

    def close(self) -> None:
        """Off, and still."""
        self._loop = None
        self.set("off")

    def set(self, word: str) -> None:
        """Take up one of RHYTHMS; the one that is already kept goes on undisturbed."""
        assert word in RHYTHMS, f"a lamp is told {word!r}"
        if word != self._word:
            self._word = word
            self._step()

    def _step(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._loop is None:
            # Nobody keeps the rhythm: lit without a rhythm says more than dark by chance.
            self._output.set(self._word != "off")
            return
        on, left_ms = level_at(RHYTHMS[self._word], time.monotonic_ns() // NS_PER_MS)
        self._output.set(on)
        if left_ms is not None:
            self._timer = self._loop.call_later(left_ms / MS_PER_S, self._step)

"""Junk of one line, summed up: kept as evidence, told at most once a second. Pure."""

from __future__ import annotations

from typing import Final

from hal import facts
from hal.protocols.message import Junk

# One fact a second keeps a broken cable from filling the journal (hal.facts.Noise).
REPORT_MS_MIN: Final = 1_000
# A boot loader's greeting or what a driver buffered; faults.md S08 has 300 octets.
BANNER_OCTETS_MAX: Final = 1_024
OCTETS_MOST: Final = 0x7FFFFFFF


class JunkTally:
    """Sums junk until it may be told. Before the first frame after an open it is a banner."""

    def __init__(self) -> None:
        """Begin as after an open."""
        self.total_octets = 0
        self._octets: dict[str, int] = {}
        self._opening = True
        self._told_ms: int | None = None

    def add(self, junk: Junk) -> None:
        """Count; reasons are fixed words of the decoder, so there are few."""
        self.total_octets += junk.octets
        self._octets[junk.reason] = self._octets.get(junk.reason, 0) + junk.octets
        if sum(self._octets.values()) > BANNER_OCTETS_MAX:
            self._opening = False

    def port_opened(self) -> None:
        """The next octets may be a banner."""
        self._opening = True

    def frame_came(self) -> None:
        """The device speaks: a banner before it is forgotten (more than one is told, see `add`)."""
        if self._opening:
            self._octets.clear()
        self._opening = False

    def fell_silent(self) -> None:
        """No frame came for too long: what came instead is told."""
        self._opening = False

    def due_ms(self) -> int | None:
        """When the sum may be told; None: nothing to tell."""
        if self._opening or not self._octets or self._told_ms is None:
            return None
        return self._told_ms + REPORT_MS_MIN

    def report(self, mono_ms: int) -> facts.Noise | None:
        """The sum with its most frequent reason, if it may be told now."""
        if self._opening or not self._octets:
            return None
        if self._told_ms is not None and mono_ms - self._told_ms < REPORT_MS_MIN:
            return None
        octets = min(sum(self._octets.values()), OCTETS_MOST)
        reason = max(self._octets, key=lambda word: (self._octets[word], word))
        self._octets.clear()
        self._told_ms = mono_ms
        return facts.Noise(octets, reason)

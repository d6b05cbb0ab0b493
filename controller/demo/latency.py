"""How long it takes from a frame's last octet on the wire to its event at the subscriber."""

from __future__ import annotations

import json
from collections.abc import Mapping

from hal.protocols.framing import Framer
from hal.protocols.members import NotUnderstood
from hal.protocols.message import Junk
from hal.protocols.tdp1 import Frame, frame_of

NS_A_MS = 1_000_000
# Frames whose event is on its way; one that never comes must not stay.
WAITING_MAX = 256

# Which event follows from which frame at once, and by which member the two are matched.
PAIRS: Mapping[str, tuple[str, str, str]] = {
    "SHUF_START": ("shuffle.started", "cycle", "cycle"),
    "SHUF_END": ("shuffle.completed", "cycle", "cycle"),
    "STACK": ("round.deal_progress", "n", "stack"),
}
BY_EVENT = {event: theirs for event, _, theirs in PAIRS.values()}


class Latency:
    """Feed it with frames as they left and events as they came."""

    def __init__(self) -> None:
        self.taken_ns: list[int] = []
        self._sent: dict[tuple[str, str], int] = {}
        self._copies: set[tuple[int, int]] = set()
        self._framer = Framer()

    def left(self, octets: bytes, at_ns: int) -> Frame | None:
        """A frame's last octet left; gives the frame if it is whole and the first of its copies."""
        self._framer = Framer()
        for part in self._framer.feed(octets):
            if isinstance(part, Junk):
                continue
            try:
                frame = frame_of(part)
            except NotUnderstood:
                continue
            return self._note(frame, at_ns)
        return None

    def _note(self, frame: Frame, at_ns: int) -> Frame | None:
        if frame.type in ("HB", "HELLO") or (frame.boot, frame.seq) in self._copies:
            return None
        self._copies.add((frame.boot, frame.seq))
        pair = PAIRS.get(frame.type)
        if pair is not None:
            self._sent[pair[0], frame.fields.get(pair[1], "")] = at_ns
            while len(self._sent) > WAITING_MAX:
                del self._sent[next(iter(self._sent))]
        return frame

    def came(self, envelope: Mapping[str, object], at_ns: int) -> None:
        """An event came to the subscriber for the first time."""
        kind, data = str(envelope.get("type")), envelope.get("data")
        if kind in BY_EVENT and isinstance(data, dict):
            sent = self._sent.pop((kind, json.dumps(data.get(BY_EVENT[kind]))), None)
            if sent is not None:
                self.taken_ns.append(at_ns - sent)

    def interrupted(self) -> None:
        """The broker is away: what is on its way is not measured."""
        self._sent.clear()

    def at(self, share: int) -> float | None:
        """Milliseconds that `share` percent of the events did not exceed; None without any."""
        if not self.taken_ns:
            return None
        ordered = sorted(self.taken_ns)
        place = min(len(ordered) - 1, len(ordered) * share // 100)
        return round(ordered[place] / NS_A_MS, 2)

"""Whether what the broker carries on a topic of ours is what we said there. Pure.

A publisher that subscribes to its own topics hears itself. What it hears beside that came from
somebody else, or from a time before: an old connection's will, a broker that was put back.
"""

from __future__ import annotations

import enum
import hashlib
from collections import OrderedDict, deque
from dataclasses import dataclass, field

# What may be on its way between us and the broker and back, several times: a level that changes
# with every turn at the speed of a demo.
SAID_OF_TOPIC_MAX = 64
# All levels of a table and as many alarms as it may have had open; the oldest topic is forgotten.
TOPICS_MAX = 512
DIGEST_OCTETS = 16


class Origin(enum.Enum):
    """Who said what was heard."""

    OURS = "ours"  # our own words, on their way back to us
    BEFORE = "before"  # our own words, but we heard later ones since
    FOREIGN = "foreign"  # never said by us, as far as we remember


@dataclass(slots=True)
class _Said:
    """Digests in the order of saying; the last `unheard` of them did not come back yet, the last
    `since` are of this connection."""

    digests: deque[bytes] = field(default_factory=lambda: deque(maxlen=SAID_OF_TOPIC_MAX))
    unheard: int = 0
    since: int = 0


class Echoes:
    """Remembers what was published last on each topic; bounded.

    `settled`: something of this connection came back. What comes before is what the broker kept
    for an absent table: older words of ours, and the will.
    """

    def __init__(self) -> None:
        self._said: OrderedDict[str, _Said] = OrderedDict()
        self.settled = False

    def parted(self) -> None:
        """The connection is gone; what was said on it may still come back on the next."""
        self.settled = False
        for one in self._said.values():
            one.since = 0

    def said(self, topic: str, payload: bytes) -> None:
        """We publish it now."""
        one = self._said.setdefault(topic, _Said())
        one.digests.append(_digest(payload))
        one.unheard = min(one.unheard + 1, SAID_OF_TOPIC_MAX)
        one.since = min(one.since + 1, SAID_OF_TOPIC_MAX)
        self._said.move_to_end(topic)
        if len(self._said) > TOPICS_MAX:
            self._said.popitem(last=False)

    def heard(self, topic: str, payload: bytes) -> Origin:
        """A broker keeps the order of one topic: what comes back makes all before it heard too."""
        one = self._said.get(topic)
        if one is None:
            return Origin.FOREIGN
        wanted, digests = _digest(payload), tuple(one.digests)
        for after in range(one.unheard, 0, -1):
            if digests[-after] == wanted:
                one.unheard = after - 1
                self.settled = self.settled or after <= one.since
                return Origin.OURS
        return Origin.BEFORE if wanted in digests else Origin.FOREIGN


def _digest(payload: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=DIGEST_OCTETS).digest()

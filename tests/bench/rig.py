"""The bench itself: pseudo-terminals with heartbeats, frames on demand, and an ear.

One thread and one `poll`, so that a stamp is taken when the octets left or came and nothing else
is done in between. Monotonic nanoseconds everywhere.
"""

from __future__ import annotations

import os
import select
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Final

from hal.protocols.message import NUMBERS
from hal.protocols.tdp1 import Frame, encode
from tests.bench.ear import Ear

# Interfaces, section 7.
BEAT_NS: Final = 500_000_000
EVENT_NS_MAX: Final = 10_000_000_000
DRAIN_OCTETS_MAX: Final = 65_536
FRAMES_A_WRITE: Final = 32
# Some 27 KB of the 64 that the kernel holds for a pseudo-terminal: a write is then never taken in
# part. Half a frame with a pause behind it is given up by the daemon, and rightly.
UNHEARD_FRAMES_MAX: Final = 512
# A fault of severity 1 is a notice: recorded as one `device.fault`, and nothing else follows.
FRAME: Final = ("FAULT_ON", {"code": "bench", "severity": "1"})
EVENT: Final = "/events/device/fault"


class Silent(Exception):
    """An event did not come in time."""


class Voice:
    """A simulated device at the master's end of a pseudo-terminal that has a lasting name."""

    def __init__(self, name: str, path: Path) -> None:
        """`path` becomes a link to the other end."""
        self.name, self.path = name, path
        self.master, self._slave = os.openpty()
        os.set_blocking(self.master, False)
        path.unlink(missing_ok=True)
        path.symlink_to(os.ttyname(self._slave))
        self._boot = int.from_bytes(os.urandom(2), "big")
        self._seq = 0

    def event(self) -> bytes:
        """The next event's frame."""
        kind, fields = FRAME
        octets = encode(Frame(self.name, self._boot, self._seq, kind, fields))
        self._seq = (self._seq + 1) % NUMBERS
        return octets

    def greeting(self) -> bytes:
        """HELLO and the first heartbeat."""
        who = {"make": "Bench", "model": f"{self.name}-1", "serial": "B-0001", "fw": "1.0.0"}
        return encode(Frame(self.name, self._boot, self._seq, "HELLO", who)) + self.beat()

    def beat(self) -> bytes:
        """A heartbeat."""
        last = f"{(self._seq - 1) % NUMBERS:04X}"
        snapshot = {"state": "IDLE", "faults": "0", "last": last, "lock": "0"}
        return encode(Frame(self.name, self._boot, self._seq, "HB", snapshot))

    def close(self) -> None:
        """Unplug."""
        os.close(self.master)
        os.close(self._slave)
        self.path.unlink(missing_ok=True)


@dataclass(frozen=True, slots=True)
class Burst:
    """Frames sent as fast as the line takes them: how many and how long until the last event."""

    events: int
    ns: int


class Rig:
    """Surroundings of daemon and floor alike, so that both are measured by turns.

    `shoe` and `shuffler` are the daemon's devices, `plain` is the floor's line. `strangers` are the
    topics of events that nobody asked for: empty, or the figures are not of what they say.
    """

    def __init__(self, home: Path, broker_port: int) -> None:
        """Lay the lines at `home` and listen at the broker to all tables."""
        self.shoe = Voice("shoe", home / "shoe")
        self.shuffler = Voice("shuffler", home / "shuffler")
        self.plain = Voice("shoe", home / "plain")
        self.strangers: set[str] = set()
        self.payload_octets = 0
        self._ear = Ear(broker_port, "tables/+/events/#")
        self._next_beat: int | None = None
        self._poll = select.poll()
        lines = (self.shoe.master, self.shuffler.master, self.plain.master)
        for descriptor in (*lines, self._ear.socket.fileno()):
            self._poll.register(descriptor, select.POLLIN)

    def __enter__(self) -> Rig:
        """Itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        """Unplug all."""
        for part in (self._ear, self.shoe, self.shuffler, self.plain):
            part.close()

    def switch_on(self) -> None:
        """Both devices say who they are, and give heartbeats from now on."""
        for voice in (self.shoe, self.shuffler):
            os.write(voice.master, voice.greeting())
        self._next_beat = time.monotonic_ns() + BEAT_NS

    def switch_off(self) -> None:
        """No more heartbeats: the daemon is gone."""
        self._next_beat = None

    def rest(self, seconds: float) -> None:
        """Let time pass; heartbeats go on, and what comes is thrown away."""
        end = time.monotonic_ns() + int(seconds * 1e9)
        while (now := time.monotonic_ns()) < end:
            self._beat(now)
            self._wait(min(end, self._next_beat or end) - now)

    def one(self, voice: Voice) -> int:
        """Nanoseconds from the last octet of a frame to its event at the ear. Raises Silent."""
        octets = voice.event()
        sent = time.monotonic_ns()
        os.write(voice.master, octets)
        while not (heard := self._wait(sent + EVENT_NS_MAX - time.monotonic_ns())):
            if time.monotonic_ns() - sent > EVENT_NS_MAX:
                raise Silent("no event for a frame within 10 s")
        came = time.monotonic_ns()
        assert heard == 1, "one frame gives one event"
        return came - sent

    def many(self, voice: Voice, count: int) -> Burst:
        """`count` frames in a burst. Raises Silent."""
        waiting = bytearray()
        began = time.monotonic_ns()
        heard, left = 0, count
        while heard < count:
            now = time.monotonic_ns()
            if now - began > EVENT_NS_MAX + count * 10_000_000:
                raise Silent(f"{heard} events for {count} frames")
            if not waiting and count - left - heard < UNHEARD_FRAMES_MAX:
                # Between frames, never inside one: a long burst must not silence the heartbeats.
                self._beat(now)
                group = min(left, FRAMES_A_WRITE)
                waiting += b"".join(voice.event() for _ in range(group))
                left -= group
            self._put(voice, waiting)
            heard += self._wait(1_000_000 if waiting or left else 100_000_000)
        return Burst(heard, time.monotonic_ns() - began)

    def _put(self, voice: Voice, waiting: bytearray) -> None:
        try:
            del waiting[: os.write(voice.master, waiting)]
        except BlockingIOError:
            return

    def _beat(self, now: int) -> None:
        if self._next_beat is not None and now >= self._next_beat:
            self._next_beat = now + BEAT_NS
            for voice in (self.shoe, self.shuffler):
                os.write(voice.master, voice.beat())

    def _wait(self, ns: int) -> int:
        """Wait for octets; how many events were among them."""
        events = 0
        for descriptor, _ in self._poll.poll(max(0, ns) / 1e6):
            if descriptor == self._ear.socket.fileno():
                for topic, payload in self._ear.hear():
                    if topic.endswith(EVENT):
                        self.payload_octets = len(payload)
                        events += 1
                    else:
                        self.strangers.add(topic)
            else:
                # Acknowledgements of the host; a line that nobody empties would stall it.
                os.read(descriptor, DRAIN_OCTETS_MAX)
        return events

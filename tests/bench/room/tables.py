"""The generator, a process: tables that each have a line of their own and speak at their times.

Asked `{"rate", "seconds", "levels", "spare_s"}` it makes all events beforehand, then sends each
when it is due, whatever became of those before it. The stamp is taken right before the octets go
to the kernel. Its answer says how late it was itself.
"""

from __future__ import annotations

import argparse
import gc
import random
import select
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from controller.core.stamp import stamp_of
from controller.messages import Outgoing
from tests.bench.figures import percentile
from tests.bench.room.role import Asked, Line
from tests.bench.room.sayings import PRINCIPAL, Said, Sayings
from tests.bench.room.stamps import Stamps
from tests.bench.room.wire import TableLine, rest_of, topic_of

RETAINED, PLAIN = 0x33, 0x32
# How long the broker may take to answer what was sent.
QUIET_S_MAX = 30.0
# The kernel's timer for a wait; what is left of one is slept.
POLL_NS = 2_000_000
# Between two looks at the clock while nothing is played.
REST_S = 0.1
# Between two looks at the sockets, where it is late and all is due at once.
SENDS_A_LOOK = 32
# As the daemon has it; without it a room that waits for long would rightly call a table silent.
HEALTH_EVERY_NS = 30_000_000_000
# Where the making of events takes longer than it was thought, all are of an earlier time.
MAKE_NS = 200_000


@dataclass(frozen=True, slots=True)
class Due:
    """One event of one table, `ns` after the beginning."""

    ns: int
    table: int
    event: Said


class Tables:
    """`count` tables and their lines."""

    def __init__(self, port: int, count: int, stamps: Stamps, seed: int) -> None:
        """Connect all, subscribe to commands, and say their births."""
        life = f"{time.time_ns():x}"
        self._stamps = stamps
        self._random = random.Random(seed)
        self._sayings = [Sayings(number, life) for number in range(count)]
        self._lines = [TableLine(port, one.name) for one in self._sayings]
        self._poll = select.epoll()
        self._places: dict[int, int] = {}
        self.confirmations = self.requests = 0
        self._healths = 0
        self._begun_ns = time.monotonic_ns()
        for place, line in enumerate(self._lines):
            line.subscribe(self._sayings[place].commands)
            number = line.unblocked()
            self._places[number] = place
            self._poll.register(number, select.EPOLLIN)

    def begin(self) -> None:
        """Status, health and levels of all. A live status: whoever subscribed hears it."""
        for place, sayings in enumerate(self._sayings):
            for message in sayings.birth():
                self._say(place, message)
            self._look(0)
        self._until_quiet()

    def play(self, rate: float, seconds: float, levels: bool, spare_s: float) -> Line:
        """`rate` events a second and table for `seconds`; gives what the bench has to know."""
        count = max(1, round(rate * seconds))
        first = self._sayings[0].sequence + 1
        gap_ns = int(1e9 / rate)
        making_ns = int(spare_s * 1e9) + count * len(self._sayings) * MAKE_NS
        begin_ms = time.time_ns() // 1_000_000 + making_ns // 1_000_000
        begin_ns = time.monotonic_ns() + making_ns
        due = self._made(count, gap_ns, begin_ms)
        shift_ns = max(0, time.monotonic_ns() - begin_ns)
        self._wait_until(begin_ns)
        gc.collect()
        gc.disable()
        late = self._send(due, begin_ns + shift_ns, levels)
        took_ns = time.monotonic_ns() - begin_ns - shift_ns
        quiet = self._until_quiet()
        gc.enable()
        last_ms = {one.table: begin_ms + one.ns // 1_000_000 for one in due}
        return {
            "first": first, "last": first + count - 1, "sent": len(due), "took_ns": took_ns,
            "shift_ms": shift_ns // 1_000_000, "late_p99_ns": percentile(late, 99),
            "quiet": quiet, "refused": sum(line.refused for line in self._lines),
            "confirmations": self.confirmations, "requests": self.requests,
            "times": {f"t-{table}": stamp_of(ms) for table, ms in last_ms.items()},
        }  # fmt: skip

    def _made(self, count: int, gap_ns: int, begin_ms: int) -> list[Due]:
        phases = [self._random.randrange(gap_ns) for _ in self._sayings]
        due = []
        for turn in range(count):
            for place, sayings in enumerate(self._sayings):
                ns = phases[place] + turn * gap_ns
                due.append(Due(ns, place, sayings.next_event(begin_ms + ns // 1_000_000)))
        due.sort(key=lambda one: one.ns)
        return due

    def _send(self, due: list[Due], begin_ns: int, levels: bool) -> list[int]:
        late = []
        for number, one in enumerate(due):
            at_ns = begin_ns + one.ns
            self._wait_until(at_ns)
            if number % SENDS_A_LOOK == 0:
                self._look(0)
            line, event = self._lines[one.table], one.event
            now_ns = time.monotonic_ns()
            self._stamps.note(one.table, event.sequence, now_ns)
            line.publish(event.head, event.tail)
            late.append(now_ns - at_ns)
            if levels:
                state = self._sayings[one.table].state(event.sequence)
                line.publish(state.head, state.tail, RETAINED)
        return late

    def _wait_until(self, ns: int) -> None:
        while (left := ns - time.monotonic_ns()) > 0:
            if left > POLL_NS:
                self._look((left - POLL_NS // 2) / 1e9)
            else:
                time.sleep(left / 1e9)
                self._look(0)

    def _until_quiet(self) -> bool:
        end = time.monotonic() + QUIET_S_MAX
        while not all(line.is_quiet for line in self._lines):
            if time.monotonic() > end:
                return False
            self._look(0.01)
            for line in self._lines:
                line.flush()
        return True

    def _look(self, seconds: float) -> None:
        self._hear(self._poll.poll(seconds))

    def _hear(self, ready: list[tuple[int, int]]) -> None:
        for number, _ in ready:
            place = self._places.get(number)
            if place is not None:
                for topic, payload in self._lines[place].hear():
                    self._told(place, topic, payload)
        self._say_healths()

    def _say_healths(self) -> None:
        """One table after the other, all of them within the time that one has."""
        count = len(self._sayings)
        due = (time.monotonic_ns() - self._begun_ns) * count // HEALTH_EVERY_NS
        while self._healths < due:
            place = self._healths % count
            self._say(place, self._sayings[place].health())
            self._healths += 1

    def _told(self, place: int, topic: str, payload: bytes) -> None:
        _, principal, kind = topic.rsplit("/", 2)
        if kind == "recorded" and principal == PRINCIPAL:
            self.confirmations += 1
        else:
            self.requests += 1
        answer = self._sayings[place].answer(payload)
        self._lines[place].publish(answer.head, answer.tail)

    def _say(self, place: int, message: Outgoing) -> None:
        kind = RETAINED if message.retain else PLAIN
        tail = rest_of(message.content, message.payload)
        self._lines[place].publish(topic_of(message.topic), tail, kind)

    def rest(self, asked: Asked) -> list[Line] | None:
        """Answer the broker until the bench asks for something; None when it is gone."""
        self._poll.register(asked.fileno(), select.EPOLLIN)
        try:
            while True:
                ready = self._poll.poll(REST_S)
                self._hear(ready)
                if any(number == asked.fileno() for number, _ in ready):
                    return asked.lines()
        finally:
            self._poll.unregister(asked.fileno())


def main() -> int:
    """Play as often as it is asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("port", type=int)
    parser.add_argument("tables", type=int)
    parser.add_argument("each", type=int)
    parser.add_argument("stamps", type=Path)
    given = parser.parse_args()
    asked = Asked()
    with Stamps(given.stamps, given.tables, given.each) as stamps:
        tables = Tables(given.port, given.tables, stamps, seed=58)
        asked.answer(ready=True)
        while (lines := tables.rest(asked)) is not None:
            for line in lines:
                if "begin" in line:
                    tables.begin()
                    asked.answer(begun=True)
                else:
                    asked.answer(**tables.play(**line))
    return 0


if __name__ == "__main__":
    sys.exit(main())

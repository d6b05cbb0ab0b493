"""What a shuffler's green and red lamp say, seen by two sensors: its colour, its runs. Pure.

The lamps' language: green stands for ready, green that blinks for a run, red in any form for a
warning. Both lit, both dark, or a light that does not settle: the state is not known, and not known
is not shuffled (`Link(up=False)`). A red light is told at once, its end only when it is certain.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hal import facts
from hal.light import BLINK_CHANGES_MIN, STEADY_NS, Light, Pattern
from hal.member_types import Colour, CycleResult

# The slowest blink is certain after six changes; lamps that say nothing for longer say nothing.
UNKNOWN_NS_MAX: Final = BLINK_CHANGES_MIN * STEADY_NS
SENSORS: Final = ("green", "red")


class Saying(enum.Enum):
    """What both lamps say together; UNKNOWN: they contradict each other, or nothing is lit."""

    READY = "ready"
    RUNNING = "running"
    WARNING = "warning"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Seen:
    """One fact and the monotonic time, in ns, at which it had become certain."""

    fact: object
    at_ns: int


class LampReading:
    """Facts of one shuffler from the edges of two sensors.

    `batch` names the cards that a run shuffles: a lamp cannot. None: the shuffler has a port that
    says everything else, and only the colour is told. A run whose beginning was not seen is none.
    """

    def __init__(self, at_ns: int, green: bool, red: bool, batch: str | None) -> None:
        self._lights = {"green": Light(at_ns, green), "red": Light(at_ns, red)}
        self._batch = batch
        self._now_ns = at_ns
        # Since when nothing is known; None: something is.
        self._unknown_ns: int | None = at_ns
        self._colour: Colour | None = None
        self._up: bool | None = None
        # A run counts only where the rest before it was seen.
        self._rested = False
        self._running = False
        self.cycles = 0

    @property
    def colour(self) -> str:
        """The colour last told; `off` before any was."""
        return self._colour or "off"

    @property
    def up(self) -> bool:
        """Whether the lamps say something that is understood."""
        return self._up is True

    @property
    def due_ns(self) -> int | None:
        """When `advance` may have something to say if no edge comes; None: never."""
        times = [light.due_ns for light in self._lights.values()]
        if self._unknown_ns is not None and self._up is not False and self._batch is not None:
            times.append(self._unknown_ns + UNKNOWN_NS_MAX)
        return min((time for time in times if time is not None), default=None)

    def raw(self, sensor: str) -> bool:
        """The level of a sensor's last edge."""
        return self._lights[sensor].raw

    def edge(self, sensor: str, at_ns: int, lit: bool) -> list[Seen]:
        """One sensor changed; gives what became certain until then, oldest first."""
        seen = self.advance(at_ns)
        self._lights[sensor].edge(self._now_ns, lit)
        return seen

    def lost(self, sensor: str, at_ns: int) -> list[Seen]:
        """Edges of a sensor were lost: what it saw is not known until it settles."""
        seen = self.advance(at_ns)
        self._lights[sensor].lost()
        self._step(self._now_ns, seen)
        return seen

    def advance(self, to_ns: int) -> list[Seen]:
        """Take the time; what became certain up to it, oldest first."""
        seen: list[Seen] = []
        while (due_ns := self.due_ns) is not None and due_ns <= to_ns:
            self._step(due_ns, seen)
        self._step(max(to_ns, self._now_ns), seen)
        return seen

    def _step(self, to_ns: int, seen: list[Seen]) -> None:
        for light in self._lights.values():
            light.advance(to_ns)
        self._now_ns = to_ns
        seen += [Seen(fact, to_ns) for fact in self._judge()]

    # ---- what the lights say ---------------------------------------------------------------
    def _judge(self) -> Iterator[object]:
        colour = self._colour_now()
        if colour is not None and colour != self._colour:
            self._colour = colour
            yield facts.Lamp(colour)
        if self._batch is None:
            return
        saying = self._saying()
        if saying is Saying.UNKNOWN:
            yield from self._not_known()
            return
        self._unknown_ns = None
        if self._up is not True:
            yield from self._come_up()
        if saying is Saying.RUNNING:
            yield from self._run_begins(self._batch)
        else:
            yield from self._run_ends(self._batch, saying)

    def _colour_now(self) -> Colour | None:
        """The colour that shines, the warning one before the other; None: not known yet."""
        green, red = self._lights["green"], self._lights["red"]
        if red.pattern is Pattern.BLINK:
            return "blink"
        if self._warns():
            return "red"
        if green.pattern in (Pattern.LIT, Pattern.BLINK):
            return "green"
        if green.pattern is None or red.pattern is None or green.is_changing:
            return None
        return "off"

    def _saying(self) -> Saying:
        green, red = self._lights["green"].pattern, self._lights["red"].pattern
        warns = self._warns()
        if green is None or (red is None and not warns) or (warns == (green is not Pattern.DARK)):
            return Saying.UNKNOWN
        if warns:
            return Saying.WARNING
        return Saying.READY if green is Pattern.LIT else Saying.RUNNING

    def _warns(self) -> bool:
        """Whether red is lit, or was until it is certain that it is not."""
        red = self._lights["red"]
        return red.level or red.is_changing or red.pattern in (Pattern.LIT, Pattern.BLINK)

    # ---- what follows ----------------------------------------------------------------------
    def _not_known(self) -> Iterator[object]:
        """A run whose lamp turns red has failed at once; anything else waits for its time."""
        if self._running and self._lights["red"].level:
            yield self._ended("incomplete")
        if self._unknown_ns is None:
            self._unknown_ns = self._now_ns
        if self._up is not False and self._now_ns - self._unknown_ns >= UNKNOWN_NS_MAX:
            self._up = False
            self._rested = self._running = False
            yield facts.Link(up=False)

    def _come_up(self) -> Iterator[object]:
        # What the shuffler did before this program looked is not known, as after its own restart.
        began = self._up is None
        self._up = True
        yield facts.Link(up=True)
        if began:
            yield facts.Restarted()

    def _run_begins(self, batch: str) -> Iterator[object]:
        if self._rested and not self._running:
            self._rested, self._running = False, True
            self.cycles += 1
            yield facts.ShufflerLoaded(batch)
            yield facts.CycleStarted(self.cycles, "shuffle")

    def _run_ends(self, batch: str, saying: Saying) -> Iterator[object]:
        self._rested = True
        if self._running and saying is Saying.WARNING:
            yield self._ended("incomplete")
        elif self._running:
            yield self._ended("ok")
            # No lamp tells when the cards are taken out; who cuts them says that they are.
            yield facts.Ejected(batch)

    def _ended(self, result: CycleResult) -> facts.CycleEnded:
        self._running = False
        return facts.CycleEnded(self.cycles, "shuffle", result)

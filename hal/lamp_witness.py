"""A shuffler's lamp said by its port and seen by sensors: the graver of the two is told. Pure.

A port that says all is well does not turn a red lamp off: seven fined incidents began with a red
light that nobody acted on.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from hal import facts
from hal.member_types import Colour
from hal.ports import Heard, Sink

# From what asks for nothing to what must not be ignored.
GRAVITY: Final[tuple[Colour, ...]] = ("off", "green", "amber", "red", "blink")
WARNINGS: Final = ("red", "blink")


class LampWitness:
    """Joins the facts of a port and of the sensors beside it; both of its sinks never wait."""

    def __init__(self, sink: Sink) -> None:
        """Facts go to `sink`, those of the port with their receipts and marks."""
        self._sink = sink
        self._said: Colour = "off"
        self._seen: Colour = "off"
        self._told: Colour = "off"
        self._disagree = False
        self.disagreements = 0

    def said(self, heard: Heard) -> None:
        """A fact of the port."""
        if isinstance(heard.fact, facts.Lamp):
            self._said = heard.fact.colour
            self._weigh()
            heard = replace(heard, fact=facts.Lamp(self._told))
        self._sink(heard)

    def seen(self, heard: Heard) -> None:
        """A colour that the sensors see."""
        assert isinstance(heard.fact, facts.Lamp), "sensors beside a port tell colours alone"
        self._seen = heard.fact.colour
        before = self._told
        self._weigh()
        if self._told != before:
            self._sink(replace(heard, fact=facts.Lamp(self._told)))

    def _weigh(self) -> None:
        before = self._disagree
        self._disagree = (self._said in WARNINGS) != (self._seen in WARNINGS)
        self.disagreements += self._disagree and not before
        self._told = max(self._said, self._seen, key=GRAVITY.index)

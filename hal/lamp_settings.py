"""How two light sensors before a shuffler's lamps are wired; a shape only."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LampSettings:
    """Two sensors: BCM numbers of their lines, and how they are wired.

    `active_low`: a sensor's contact closes to ground against a pull-up, else to the supply.
    `red_normally_closed`: the contact of red opens when it sees light, so that a cut wire reads as
    a lit red lamp; that of green always closes when it sees light. `batch` names the cards inside.
    """

    green: int
    red: int
    factory: str = "lgpio"
    active_low: bool = True
    red_normally_closed: bool = True
    batch: str = "A"

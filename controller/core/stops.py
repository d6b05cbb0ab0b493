"""What stops play: a question to the floorperson, and a round on its way to be void. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Hold:
    """Play stops until a floorperson picks one of `choices`."""

    id: str
    code: str
    reason: str
    choices: tuple[str, ...]
    since_ms: int
    rule: str | None = None
    irregularity: str | None = None
    waiver: str | None = None
    device: str | None = None
    batch: str | None = None


@dataclass(frozen=True, slots=True)
class Cause:
    """A later irregularity of a round that is being made void; it stands if the first is not."""

    irregularity: str
    code: str
    reason: str
    outcome: str
    choices: tuple[str, ...]
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class Void:
    """A round on its way to be void; `deck` is what becomes of the cards, `also` came later.

    `rule` is None where a floorperson voids what no text speaks of.
    """

    irregularity: str
    code: str
    since_ms: int
    rule: str | None = None
    settle: tuple[str, ...] = ()
    bonuses_settled: bool = False
    returned_by: str | None = None
    deck_count_due: bool = False
    deck: Literal["reshuffle", "remove_deck"] = "reshuffle"
    also: tuple[Cause, ...] = ()

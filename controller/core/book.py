"""One game at one table: its profile, the house's setup, and the rows of its procedure. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from controller.core.law import Ask
from controller.core.machine import Move, Rows
from controller.core.profile import GameProfile
from controller.core.setup import Setup
from controller.core.state import Phase
from controller.core.view import Table


@dataclass(frozen=True, slots=True)
class Step:
    """What the people at the table do next in a phase: the prompt and the steps it keeps shut.

    `text` may hold `{to}`; `locks` are steps that wait; `rule` names the profile leaf's citation
    through a function, so that a shared phase cites the chapter in play.
    """

    name: str
    who: str
    text: str
    locks: tuple[str, ...] = ()
    rule: Callable[[GameProfile], str] | None = None


@dataclass(frozen=True, slots=True)
class Book:
    """`rows[phase]` are the lawful inputs of a phase and `steps[phase]` its prompt; `common` rows
    stand in every phase, `voiding` rows while a round is made void, and `reports` are never shut
    out. `moves[source]` are facts of devices and system, taken in every phase;
    `unexpected` are facts about cards in a phase that has no row for them. `translate` turns
    a press into its command, `ask` a question into a hold, `settle` ends every turn.
    `dealt_by[method]` is the profile while cards are dealt that way."""

    profile: GameProfile
    setup: Setup
    rows: dict[Phase, Rows] = field(default_factory=dict)
    common: Rows = field(default_factory=dict)
    voiding: Rows = field(default_factory=dict)
    reports: frozenset[type] = frozenset()
    moves: dict[str, dict[type, Move]] = field(default_factory=dict)
    unexpected: dict[type, Move] = field(default_factory=dict)
    translate: Callable[[Table, object], object] | None = None
    ask: Callable[[Table, Ask], None] | None = None
    settle: Callable[[Table], None] | None = None
    steps: dict[Phase, Step] = field(default_factory=dict)
    dealt_by: dict[str, GameProfile] = field(default_factory=dict)

    def profile_by(self, method: str) -> GameProfile:
        """The profile in the words of the section on this way of dealing."""
        return self.dealt_by.get(method, self.profile)

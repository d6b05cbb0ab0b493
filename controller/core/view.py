"""The table while one input is decided: the state so far, and what the input brings about. Pure.

Rules read it; moves change it through `put` and `change` and speak through `emit`. All guards
have passed before the first move, so nothing here is ever taken back.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from controller.core.altered import altered
from controller.core.effects import CancelTimer, DrawNumber, Effect, StartTimer
from controller.core.events import CATALOGUE, Event, Refusal
from controller.core.inputs import Arrived
from controller.core.state import Batch, Phase, Token

if TYPE_CHECKING:
    from controller.core.book import Book
    from controller.core.profile import GameProfile
    from controller.core.setup import Setup
    from controller.core.state import TableState


@dataclass(frozen=True, slots=True)
class Turn:
    """The whole outcome of one input."""

    arrived: Arrived
    state: TableState
    events: tuple[Event, ...]
    effects: tuple[Effect, ...]
    refusal: Refusal | None


class Table:
    """One table, one input."""

    def __init__(self, book: Book, state: TableState, arrived: Arrived) -> None:
        self.book = book
        self.state = state
        self.arrived = arrived
        # A press speaks for the signed-in dealer or the key's holder; everything else for itself.
        self.role = arrived.source
        self.person = arrived.by
        self.events: list[Event] = []
        self.effects: list[Effect] = []
        # The alarm that this input raised; whatever else it sets off belongs to it.
        self.alarm: str | None = None

    @property
    def profile(self) -> GameProfile:
        return self.book.profile_by(self.state.methods.deal)

    @property
    def setup(self) -> Setup:
        return self.book.setup

    @property
    def by(self) -> str:
        """The person who speaks, or the device."""
        return self.person or self.role

    def speak_as(self, role: str, person: str) -> None:
        """What follows is stated by this person, through the panel."""
        self.role, self.person = role, person

    # ---- change ----------------------------------------------------------------------------
    def put(self, **parts: Any) -> None:
        """Replace whole parts of the state."""
        self.state = altered(self.state, **parts)

    def change(self, part: str, **members: Any) -> None:
        """Replace members of one part of the state."""
        self.put(**{part: altered(getattr(self.state, part), **members)})

    def go(self, phase: Phase) -> None:
        self.put(phase=phase)

    def counted(self, counter: str) -> int:
        """The next number of a counter of the journal."""
        number: int = getattr(self.state.counters, counter) + 1
        self.change("counters", **{counter: number})
        return number

    # ---- speak -----------------------------------------------------------------------------
    def emit(
        self, kind: str, rule: str | None = None, severity: int | None = None, /, **data: Any
    ) -> None:
        """Add an event; `severity` of its envelope; members of `data` that are None are left out.

        Positional only, because an alarm's own severity is a member of its data as well.
        """
        members = {key: value for key, value in data.items() if value is not None}
        members["round"] = self.state.round.number
        members["shoe"] = self.state.counters.shoes
        self.events.append(
            Event(
                type=kind,
                data=members,
                rule=rule,
                severity=CATALOGUE[kind] if severity is None else severity,
                subject=self._subject(members),
                actor=self._actor(),
            )
        )

    def _actor(self) -> tuple[str, str] | None:
        if self.person is None or self.person == self.arrived.by:
            return None
        return self.role, self.person

    def _subject(self, members: dict[str, Any]) -> str:
        if "device" in members:
            return f"devices/{members['device']}"
        if self.state.round.open:
            return f"rounds/{self.state.round.number}"
        return f"shoes/{self.state.counters.shoes}"

    # ---- effects ---------------------------------------------------------------------------
    def draw(self) -> int:
        number = self.counted("draws")
        self.effects.append(DrawNumber(f"E{self.counted('effects')}", number))
        return number

    def start_timer(self, name: str, after_ms: int) -> None:
        self.put(timers={**self.state.timers, name: self.arrived.mono_ms + after_ms})
        self.effects.append(StartTimer(f"E{self.counted('effects')}", name, after_ms))

    def cancel_timer(self, name: str) -> None:
        if name in self.state.timers:
            left = {key: due for key, due in self.state.timers.items() if key != name}
            self.put(timers=left)
            self.effects.append(CancelTimer(f"E{self.counted('effects')}", name))

    # ---- cards -----------------------------------------------------------------------------
    def batch(self, name: str | None) -> Batch | None:
        return next((batch for batch in self.state.batches if batch.name == name), None)

    def change_batch(self, name: str, **members: Any) -> None:
        self.put(
            batches=tuple(
                altered(batch, **members) if batch.name == name else batch
                for batch in self.state.batches
            )
        )

    def spoil(self, name: str | None, why: str) -> None:
        """The batch is no longer known to be shuffled; `why` is the reason a load would get."""
        if self.batch(name) is not None:
            self.change_batch(str(name), token=None, why=why)

    def ready_batch(self) -> Batch | None:
        """The batch that can be cut or loaded and whose token is not spent.

        It lies outside of the shuffler, unless that one puts the stack into the shoe itself.
        """
        places = ("stack", "table", *(("shuffler",) if self.setup.shuffler.direct_to_shoe else ()))
        return next(
            (
                batch
                for batch in self.state.batches
                if batch.token is not None and not batch.token.spent and batch.where in places
            ),
            None,
        )

    def change_token(self, batch: Batch, **members: Any) -> None:
        assert batch.token is not None, "only a batch with a token is cut, checked or loaded"
        token: Token = altered(batch.token, **members)
        self.change_batch(batch.name, token=token)

"""The rules as journal and engine see them: a few pure functions bound to one book."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from controller.core.effects import Effect
from controller.core.events import Event, Refusal
from controller.core.inputs import Arrived
from controller.core.outputs import Outputs

S = TypeVar("S")
S_co = TypeVar("S_co", covariant=True)


class TurnOf(Protocol[S_co]):
    """What one input did; `controller.core.table.Turn` is one."""

    @property
    def state(self) -> S_co: ...
    @property
    def arrived(self) -> Arrived: ...
    @property
    def events(self) -> tuple[Event, ...]: ...
    @property
    def effects(self) -> tuple[Effect, ...]: ...
    @property
    def refusal(self) -> Refusal | None: ...


@dataclass(frozen=True, slots=True)
class Program(Generic[S]):
    """`run` decides; `timers` are due times in monotonic ms by name; `pending_draw` the draw that
    was asked for and not yet answered; `load` reads what `dump` wrote and raises ValueError on
    anything else."""

    first: Callable[[], S]
    run: Callable[[S, Arrived], TurnOf[S]]
    outputs: Callable[[S], Outputs]
    timers: Callable[[S], Mapping[str, int]]
    pending_draw: Callable[[S], int | None]
    dump: Callable[[S], bytes]
    load: Callable[[bytes], S]

"""A small set of rules with the shape of the real ones, so that the engine is tested by itself.

A card counts up; a spread asks for a draw; a jam locks; `feathered` and `power` break the program.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field

from controller.core.codec import build, canonical, plain
from controller.core.effects import CancelTimer, DrawNumber, Effect, StartTimer
from controller.core.events import Event, Refusal
from controller.core.inputs import (
    Arrived,
    Feathered,
    Idle,
    Malformed,
    Resume,
    Spread,
    Started,
    TimerFired,
)
from controller.core.outputs import Outputs
from controller.core.recording import Sealed
from controller.journal.program import Program
from hal.facts import CardDrawn, Drawn, Jam, Power


@dataclass(frozen=True)
class SmallState:
    cards: int = 0
    draws: int = 0
    pending_draw: int | None = None
    number: int | None = None
    locked: bool = False
    effects: int = 0
    timers: dict[str, int] = field(default_factory=dict)
    mono_ms: int = 0
    boots: int = 0


@dataclass(frozen=True)
class SmallTurn:
    state: SmallState
    arrived: Arrived
    events: tuple[Event, ...] = ()
    effects: tuple[Effect, ...] = ()
    refusal: Refusal | None = None


def run(state: SmallState, arrived: Arrived) -> SmallTurn:
    item = arrived.item
    after = dataclasses.replace(state, mono_ms=arrived.mono_ms)
    replace = dataclasses.replace
    match item:
        case Started():
            boots = after.boots + 1
            timers = dict.fromkeys(after.timers, arrived.mono_ms + 20)
            after = replace(after, boots=boots, timers=timers)
            return SmallTurn(after, arrived, (Event("power.restored", {"boots": boots}),))
        case CardDrawn():
            after = replace(after, cards=after.cards + 1)
            return SmallTurn(after, arrived, (Event("card", {"cards": after.cards}),))
        case Jam():
            after = replace(after, locked=True)
            return SmallTurn(after, arrived, (Event("lock.engaged"),))
        case Resume():
            after = replace(after, locked=False)
            return SmallTurn(after, arrived, (Event("lock.released"),))
        case Spread():
            draw, effect = after.draws + 1, after.effects + 1
            after = replace(after, draws=draw, pending_draw=draw, effects=effect)
            return SmallTurn(after, arrived, (), (DrawNumber(f"E{effect}", draw),))
        case Drawn():
            after = replace(after, pending_draw=None, number=item.number)
            data = {"number": item.number, "draw": item.draw}
            return SmallTurn(after, arrived, (Event("startpos.determined", data),))
        case Idle():
            effect = after.effects + 1
            timers = {**after.timers, "idle": arrived.mono_ms + 30}
            after = replace(after, effects=effect, timers=timers)
            return SmallTurn(after, arrived, (), (StartTimer(f"E{effect}", "idle", 30),))
        case TimerFired():
            effect = after.effects + 1
            timers = {name: due for name, due in after.timers.items() if name != item.name}
            after = replace(after, timers=timers, effects=effect)
            events = (Event("idle.ended", {"timer": item.name}),)
            return SmallTurn(after, arrived, events, (CancelTimer(f"E{effect}", item.name),))
        case Malformed():
            event = Event("input.refused", {"reason": item.reason})
            return SmallTurn(state, arrived, (event,), (), Refusal(None, item.reason))
        case Sealed():
            data = {"checkpoint": plain(item.checkpoint), "public_key": item.public_key}
            return SmallTurn(after, arrived, (Event("journal.checkpoint", data),))
        case Feathered() | Power():
            raise AssertionError("this input breaks the program")
    return SmallTurn(after, arrived)


def outputs(state: SmallState) -> Outputs:
    return Outputs(
        lamps={"red": "on" if state.locked else "off", "green": "off" if state.locked else "on"},
        digit=" " if state.number is None else str(state.number),
        device_locks={"shoe": state.locked},
    )


def load(body: bytes) -> SmallState:
    state: SmallState = build(SmallState, json.loads(body), "state")
    return state


def small_program() -> Program[SmallState]:
    return Program(
        first=SmallState,
        run=run,
        outputs=outputs,
        timers=lambda state: state.timers,
        pending_draw=lambda state: state.pending_draw,
        dump=lambda state: canonical(plain(state)),
        load=load,
    )

"""A simulator's script: JSON lines, each one thing that a person or the device does.

    {"do": "load", "batch": "A", "cards": 53}
    {"do": "cycle"}
    {"do": "wait", "ms": 500, "times": 3}

`times` repeats any action. A refusal of the device (locked, jammed) is an outcome, not an error.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hal.errors import DeviceRefused, ScriptError
from hal.sim import faults
from hal.sim.device import SimDevice
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler

# A line is written by hand; longer ones are another file.
LINE_CHARACTERS_MAX: Final = 1_000
TIMES_MAX: Final = 1_000
NUMBER_MOST: Final = 86_400_000

Values = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Action:
    """One line: what to do, its members and how often."""

    do: str
    members: Values
    times: int = 1


@dataclass(frozen=True, slots=True)
class _Form:
    """Members of an action: name -> kind; those in `needed` must be there."""

    kinds: Mapping[str, type]
    needed: frozenset[str]


def _form(needed: str = "", **kinds: type) -> _Form:
    return _Form(kinds, frozenset(needed.split()))


_COMMON: Final[Mapping[str, _Form]] = {
    "wait": _form("ms", ms=int),
    "jam": _form(zone=str, cards=int),
    "stop": _form(),
    "clear": _form(),
    "reboot": _form(),
    "fault": _form("name", name=str),
    "lift": _form(),
    "fault_on": _form("code severity", code=str, severity=int),
    "fault_off": _form("code", code=str),
}
FORMS: Final[Mapping[str, Mapping[str, _Form]]] = {
    "shuffler": {
        **_COMMON,
        "load": _form("batch cards", batch=str, cards=int),
        "cycle": _form(mode=str, cards=int, ms=int),
        "eject": _form(),
        "take_out": _form(),
        "door": _form("is_open", is_open=bool),
        "lamp": _form("colour", colour=str),
    },
    "shoe": {
        **_COMMON,
        "load": _form("cards", cards=int, batch=str, cover_from_bottom=int),
        "dispense": _form("cards", cards=int),
        "take_stack": _form(),
        "remainder": _form(),
        "draw": _form(face=str, rank=str, suit=str),
        "empty": _form(),
        "lid": _form("is_open", is_open=bool),
    },
}


def action_of(device: str, line: str) -> Action:
    """The action that a line states for `device`. Raises ScriptError."""
    if len(line) > LINE_CHARACTERS_MAX:
        raise ScriptError(f"longer than {LINE_CHARACTERS_MAX} characters")
    try:
        stated = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ScriptError(f"no JSON: {error}") from None
    if not isinstance(stated, dict):
        raise ScriptError('expected an object such as {"do": "wait", "ms": 500}')
    do, times = stated.pop("do", None), stated.pop("times", 1)
    form = FORMS[device].get(do) if isinstance(do, str) else None
    if form is None:
        raise ScriptError(f"do: expected one of {' '.join(FORMS[device])}")
    if type(times) is not int or not 1 <= times <= TIMES_MAX:
        raise ScriptError(f"times: expected 1 to {TIMES_MAX}")
    _check(device, do, form, stated)
    return Action(do, stated, times)


def _check(device: str, do: str, form: _Form, stated: Values) -> None:
    for name in sorted(form.needed - stated.keys()):
        raise ScriptError(f"{do}: member {name} is missing")
    for name, value in stated.items():
        kind = form.kinds.get(name)
        if kind is None:
            raise ScriptError(f"{do}: unknown member {name}")
        if type(value) is not kind:
            raise ScriptError(f"{do}.{name}: expected {kind.__name__}")
        if isinstance(value, int) and not 0 <= value <= NUMBER_MOST:
            raise ScriptError(f"{do}.{name}: expected 0 to {NUMBER_MOST}")
    if do == "fault" and stated["name"] not in faults.faults_of(device):
        raise ScriptError(f"fault.name: expected one of {' '.join(faults.faults_of(device))}")


async def perform(device: SimDevice, action: Action) -> str:
    """Do it once; gives the outcome in a word, or why the device refused."""
    try:
        outcome = await _act_of(device, action.do)(**action.members)
    except DeviceRefused as refused:
        return f"refused: {refused}"
    return "done" if outcome is None else str(outcome)


def _act_of(device: SimDevice, do: str) -> Callable[..., Awaitable[object]]:
    async def wait(ms: int) -> None:
        await asyncio.sleep(ms / 1000)

    async def fault(name: str) -> None:
        faults.apply(name, device)

    async def lift() -> None:
        faults.lift(device)

    own: dict[str, Callable[..., Awaitable[object]]] = {"wait": wait, "fault": fault, "lift": lift}
    if do in own:
        return own[do]
    assert isinstance(device, (Shuffler, Shoe)), "a script drives one of the two devices"
    method: Callable[..., object] = getattr(device, do)

    async def act(**members: object) -> object:
        outcome = method(**members)
        return await outcome if isinstance(outcome, Awaitable) else outcome

    return act

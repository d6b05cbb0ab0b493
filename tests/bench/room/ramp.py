"""How far the rate goes: doubled until a 99th percentile is too late, then halved in."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.bench.figures import percentile
from tests.bench.room.hall import Hall, Played
from tests.bench.room.plan import FAR_MS, LATE_MS_MAX, Plan


@dataclass(slots=True)
class Bound:
    """Of one subscriber: events a second that it bore and those that were too many (None: not
    reached, and `why`)."""

    name: str
    borne: float = 0.0
    too_many: float | None = None
    why: str = ""


@dataclass(slots=True)
class Ramp:
    """One search: every step in the order of its playing, and the bound of each subscriber."""

    title: str
    steps: list[Played] = field(default_factory=list)
    bounds: list[Bound] = field(default_factory=list)


def p99_ms(played: Played, name: str) -> float:
    """Of one subscriber; endless where something was lost or still waits."""
    way = played.way(name)
    assert way is not None
    return float("inf") if way.lost or not way.ns else percentile(way.ns, 99) / 1e6


def search(
    hall: Hall, title: str, plan: Plan, end_s: float, say: Callable[[str], None]
) -> Ramp:  # fmt: skip
    """Play the steps; ends before the monotonic `end_s`, or where the generator is at its end."""
    ramp = Ramp(title)
    names = [name for name in hall.stamps if name != "sent"]
    rates = list(plan.rates)
    bounds = {name: Bound(name) for name in names}
    ramp.bounds = list(bounds.values())
    ended = ""
    while rates and not ended:
        played = _step(hall, rates.pop(0), plan, ramp, say)
        for name, bound in bounds.items():
            _note(bound, played, p99_ms(played, name))
        ended = _reason(played, bounds, end_s)
    for bound in bounds.values():
        for _ in range(plan.bisections if bound.too_many is not None else 0):
            if time.monotonic() > end_s:
                break
            middle = (bound.borne + (bound.too_many or 0)) / 2 / hall.tables
            played = _step(hall, middle, plan, ramp, say)
            for name, other in bounds.items():
                _note(other, played, p99_ms(played, name))
        if bound.too_many is None:
            bound.why = ended or "no step was larger"
    return ramp


def _step(
    hall: Hall, rate: float, plan: Plan, ramp: Ramp, say: Callable[[str], None]
) -> Played:  # fmt: skip
    say(f"{ramp.title}: {rate * hall.tables:,.0f} events a second")
    played = hall.play(rate, plan.step_s, levels=False)
    ramp.steps.append(played)
    return played


def _note(bound: Bound, played: Played, late_ms: float) -> None:
    asked = played.rate * played.tables
    if late_ms > FAR_MS:
        bound.too_many = asked if bound.too_many is None else min(bound.too_many, asked)
        # On a busy machine a smaller rate may have been the luckier one: what was borne is less.
        bound.borne = min(bound.borne, bound.too_many)
    elif bound.too_many is None or asked < bound.too_many:
        bound.borne = max(bound.borne, asked)


def _reason(played: Played, bounds: dict[str, Bound], end_s: float) -> str:
    if all(bound.too_many is not None for bound in bounds.values()):
        return "all are found"
    if played.told["late_p99_ns"] / 1e6 > LATE_MS_MAX:
        return "the generator itself was late"
    return "no time was left" if time.monotonic() > end_s else ""

"""What was played, as tables for people and as JSON for machines."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from typing import Any

from tests.bench.figures import percentile
from tests.bench.report import machine
from tests.bench.room.hall import Played, Way
from tests.bench.room.plan import AIM_MS, FAR_MS
from tests.bench.room.ramp import Bound, Ramp, p99_ms

NAMES = {
    "listener": "plain subscriber", "recorder": "recorder, durable", "tables": "generator",
    "page": "page's reader",
}  # fmt: skip
Say = Callable[[str], object]


def show_machine(say: Say) -> None:
    """Where it was measured."""
    say(", ".join(f"{name} {value}" for name, value in machine().items()) + "\n")


def show_played(say: Say, title: str, played: Played) -> None:
    """One play: ways, page, processes."""
    state = "" if played.drained else "; NOT ALL ARRIVED IN TIME"
    say(
        f"\n{title}: {played.events:,} events, {played.rate_a_second:,.0f} a second, "
        f"load {played.load:.1f}{state}\n"
    )
    for way in played.ways:
        say(f"  {_way(way)}\n")
    if played.page:
        say(f"  {_page(played)}\n")
    late = played.told["late_p99_ns"] / 1e6
    say(f"  generator late by {late:.1f} ms (p99); confirmations {played.told['confirmations']:,}, "
        f"asked again {played.told['requests']}, refused {played.told['refused']}\n")  # fmt: skip
    for part in played.parts:
        name = NAMES.get(part.name, part.name)
        say(f"  {name:<20}{part.share * 100:>7.1f} % of a core{part.event_us:>8.0f} us an event"
            f"{part.resident_mb:>8.1f} MB resident\n")  # fmt: skip


def _way(way: Way) -> str:
    name = NAMES.get(way.name, way.name)
    if not way.ns:
        return f"{name:<20} nothing arrived"
    p50, p99 = (percentile(way.ns, hundredths) / 1e6 for hundredths in (50, 99))
    aim = ""
    if way.name == "listener":
        aim = f"  {'ok' if p99 <= AIM_MS else 'MISS'} {AIM_MS:g}"
    return (
        f"{name:<20} p50 {p50:>8.2f} ms  p99 {p99:>8.2f} ms  lost {way.lost}, "
        f"again {way.repeats}, out of order {way.jumps}{aim}"
    )


def _page(played: Played) -> str:
    page, shift = played.page, played.told["shift_ms"]
    lacking = sum(page["times"].get(name) != time for name, time in played.told["times"].items())
    concerns = f"; {len(page['concerns'])} concerns: {page['concerns'][:2]}"
    return (
        f"{'open page':<20} p50 {page['age_p50_ms'] - shift:>8} ms  "
        f"p99 {page['age_p99_ms'] - shift:>8} ms  tables without their last event {lacking}, "
        f"{page['octets'] / 1e6:.1f} MB in {page['news']} news"
        f"{concerns if page['concerns'] else ''}"
    )


def show_ramp(say: Say, ramp: Ramp) -> None:
    """The steps in the order of their rates, and the bounds."""
    say(f"\n{ramp.title}: p99 in ms by events a second\n")
    names = [bound.name for bound in ramp.bounds]
    heads = "".join(f"{NAMES.get(name, name):>20}" for name in names)
    say(f"  {'asked':>8}{'sent':>8}{heads}{'generator late':>18}{'load':>7}\n")
    for step in sorted(ramp.steps, key=lambda one: one.rate):
        cells = "".join(f"{p99_ms(step, name):>20.1f}" for name in names)
        late = step.told["late_p99_ns"] / 1e6
        say(f"  {step.rate * step.tables:>8,.0f}{step.rate_a_second:>8,.0f}{cells}{late:>18.1f}"
            f"{step.load:>7.1f}\n")  # fmt: skip
    for bound in ramp.bounds:
        say(f"  {_bound(bound)}\n")


def _bound(bound: Bound) -> str:
    name = NAMES.get(bound.name, bound.name)
    if bound.too_many is None:
        return f"{name}: {bound.borne:,.0f} and more ({bound.why})"
    return f"{name}: {bound.borne:,.0f} are borne, {bound.too_many:,.0f} pass {FAR_MS:g} ms"


def document_of(plays: dict[str, Played], ramps: list[Ramp]) -> str:
    """The same as JSON, without the single ways."""
    document = {
        "machine": machine(),
        "plays": {title: _members(played) for title, played in plays.items()},
        "ramps": [
            {
                "title": ramp.title,
                "bounds": [
                    {"name": one.name, "borne": one.borne, "too_many": one.too_many}
                    for one in ramp.bounds
                ],
                "steps": [_members(step) for step in ramp.steps],
            }
            for ramp in ramps
        ],
    }
    return json.dumps(document, indent=2) + "\n"


def _members(played: Played) -> dict[str, Any]:
    return {
        "tables": played.tables, "events": played.events, "a_second": played.rate_a_second,
        "load": played.load, "drained": played.drained,
        "ways": {
            way.name: {
                "p50_ms": percentile(way.ns, 50) / 1e6 if way.ns else None,
                "p99_ms": percentile(way.ns, 99) / 1e6 if way.ns else None,
                "lost": way.lost, "again": way.repeats, "out_of_order": way.jumps,
            }
            for way in played.ways
        },
        "parts": {
            part.name: dataclasses.asdict(part)
            for part in played.parts
        },
        "generator": {name: one for name, one in played.told.items() if name != "times"},
        "page": {name: one for name, one in played.page.items() if name != "times"},
    }  # fmt: skip

"""Devices out of service: covered or signed before another method, seen by two people."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import LINE, Covered, DeclareUnusable, ReturnToService, SetMethod
from controller.core.law import Verdict, broken
from controller.core.state import Device
from controller.core.view import Table
from controller.rules.registry import rule
from controller.rules.start_position import generator_fits_the_layout

METHODS = {
    "shuffle": ("device", "manual"),
    "deal": ("auto_shoe", "manual_shoe", "hand"),
    "start": ("rng", "shaker"),
}


def device_of(table: Table, name: str) -> Device:
    return table.state.shuffler if name == "shuffler" else table.state.shoe


@rule("OOS-DECLARE", cites=("687a.13(g)",))
def device_is_in_service(table: Table, item: DeclareUnusable) -> Verdict:
    """A device is declared unusable once; only a floorperson can (ambiguity A18)."""
    if device_of(table, item.device).health in ("uncovered", "covered"):
        rule_text = table.profile.out_of_service.cover_or_sign.rule
        return Refusal(rule_text, f"the {item.device} is out of service already")
    return None


@rule("OOS-COVER", cites=("687a.13(g)",))
def cover_is_due(table: Table, item: Covered) -> Verdict:
    """The cover or sign is confirmed by two different people, a floorperson among them (A19)."""
    rule_text = table.profile.out_of_service.cover_or_sign.rule
    device = device_of(table, item.device)
    if device.health != "uncovered":
        return Refusal(rule_text, f"the {item.device} was not declared unusable")
    if table.by in device.covered_by:
        return Refusal(rule_text, f"{table.by} confirmed it already; another person has to")
    return None


@rule("OOS-TWO-PEOPLE", cites=("687a.13(g)",))
def cover_is_confirmed(people: tuple[str, ...], floor_saw_it: bool) -> bool:
    """Two different people, one of them a floorperson or above."""
    return len(set(people)) >= 2 and floor_saw_it


@rule("OOS-RETURN", cites=("687a.13(g)",))
def device_may_return(table: Table, item: ReturnToService) -> Verdict:
    """A device comes back between rounds, the shuffler with its chamber found empty."""
    rule_text = table.profile.out_of_service.cover_or_sign.rule
    if device_of(table, item.device).health == "ok":
        return Refusal(rule_text, f"the {item.device} is in service")
    if table.state.in_round:
        return Refusal(rule_text, "a round is open")
    if item.device == "shuffler" and item.chamber_empty is not True:
        return Refusal(rule_text, "look into the chamber: chamber_empty=true")
    return None


@rule("METHOD-COVER-FIRST", cites=("687a.13(g)",))
def failed_device_is_covered(table: Table, item: SetMethod) -> Verdict:
    """While a failed device has no cover or sign, no method but its own is set at the table.

    Which device failed does not matter: the paragraph bars shuffle and deal alike.
    """
    leaf = table.profile.out_of_service.cover_or_sign
    own = {"shuffle": "shuffler", "deal": "shoe"}.get(item.step)
    if own is None or item.method in ("device", "auto_shoe"):
        return None
    if device_of(table, own).health == "fault":
        return broken(leaf, f"declare the {own} unusable and cover it first", "cover")
    for name in ("shuffler", "shoe"):
        if device_of(table, name).health == "uncovered":
            return broken(leaf, f"cover or sign the {name} first", "cover")
    return None


@rule("METHOD-LAWFUL", cites=("659a.5(a)", "659a.5(g)", "687a.9(a)(1)", "687a.10(a)"))
def method_is_lawful(table: Table, item: SetMethod) -> Verdict:
    """A method belongs to its step and to the game, and its device is in service."""
    if item.method not in METHODS[item.step]:
        return Refusal(None, f"{item.step} is done by {' or '.join(METHODS[item.step])}")
    if item.step == "start":
        return _start_method(table, item)
    law = table.profile.deal
    if item.step == "deal" and item.method not in law.methods.value:
        return Refusal(law.methods.rule, f"this game is dealt by {' or '.join(law.methods.value)}")
    cover = table.profile.out_of_service.cover_or_sign.rule
    if item.method == "device" and table.state.shuffler.health != "ok":
        return Refusal(cover, "the shuffler is out of service: return_to_service comes first")
    if item.method == "auto_shoe" and table.state.shoe.health != "ok":
        return Refusal(cover, "the shoe is out of service: return_to_service comes first")
    return None


def _start_method(table: Table, item: SetMethod) -> Verdict:
    law = table.profile.start_position
    if law is None or item.method not in law.methods.value:
        rule_text = None if law is None else law.methods.rule
        return Refusal(rule_text, "this game does not find a start position that way")
    if item.method == "rng" and not table.state.rng.in_service:
        return Refusal(law.numbers.rule, "the generator is out of service")
    return generator_fits_the_layout(table, item)


@rule("METHOD-MOMENT", cites=("659a.5(g)", "687a.13(g)"))
def method_may_change_now(table: Table, item: SetMethod) -> Verdict:
    """Shuffle and deal change between rounds, the start method while there is no position."""
    if item.step == "start":
        if table.state.round.start is not None:
            law = table.profile.start_position
            rule_text = None if law is None else law.methods.rule
            return Refusal(rule_text, "this round has its start position")
        return None
    rule_text = table.profile.out_of_service.cover_or_sign.rule
    if table.state.in_round:
        return Refusal(rule_text, "a round is open; methods change between rounds")
    if table.state.holds:
        return Refusal(rule_text, f"hold {table.state.holds[0].id} is open; answer it first")
    if item.step == "shuffle" and (table.state.cycle.running or table.state.cycle.by_hand):
        return Refusal(table.profile.shuffle.when.rule, "a shuffle is under way")
    return None


def is_floor(source: str) -> bool:
    """Floorperson or above: a comparison on the line of authority (ambiguity A25)."""
    return source in LINE and LINE.index(source) >= LINE.index("floorperson")

"""Methods of shuffle, deal and start, and devices that are taken out of service. Pure."""

from __future__ import annotations

from controller.core.inputs import Covered, DeclareUnusable, ReturnToService, SetMethod
from controller.core.machine import Rows, row
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions import deck_age, shoe
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.cards import require_shuffle, take_out
from controller.regions.holds import release
from controller.regions.whereabouts import chamber_is_empty, take_from_shuffler
from controller.rules.deal import hand_has_its_shuffler
from controller.rules.out_of_service import (
    cover_is_confirmed,
    cover_is_due,
    device_is_in_service,
    device_may_return,
    device_of,
    failed_device_is_covered,
    is_floor,
    method_is_lawful,
    method_may_change_now,
)
from hal.facts import Cover


def declare_unusable(table: Table, item: DeclareUnusable) -> None:
    rule = table.profile.out_of_service.cover_or_sign.rule
    if item.device == "shoe" and table.state.phase in shoe.DEALING and table.state.in_round:
        # A shoe that cannot be used in the middle of a round has stopped dealing.
        shoe.shoe_failed(table, "declared_unusable")
    table.change(item.device, health="uncovered", covered_by=(), floor_saw_cover=False)
    if item.device == "shuffler":
        table.spoil(table.state.cycle.inside, "unknown_state")
        table.change("cycle", running=False)
    clear_cause(table, f"{item.device}.fault")
    table.emit("device.out_of_service", rule, device=item.device, reason=item.reason)
    for one in table.state.holds:
        if one.code == "identity_changed" and one.device == item.device:
            # Which device answers does not matter once it is not used.
            release(table, one)
            table.emit("floor.authorization", rule, hold=one.id, choice="continue",
                       reason=item.reason)  # fmt: skip


def covered(table: Table, item: Covered) -> None:
    see_cover(table, item.device, item.how, table.by, is_floor(table.role))


def see_cover(table: Table, name: str, how: str, who: str, floor: bool) -> None:
    """One more witness; with the second the device counts as covered."""
    device = device_of(table, name)
    people = (*device.covered_by, who)
    floor = floor or device.floor_saw_cover
    table.change(name, covered_by=people, floor_saw_cover=floor)
    if cover_is_confirmed(people, floor):
        table.change(name, health="covered")
        rule = table.profile.out_of_service.cover_or_sign.rule
        table.emit("device.cover_confirmed", rule, device=name, how=how)


def cover_switch(table: Table, item: Cover) -> None:
    """A cover switch stands for one of the two witnesses (ambiguity A19)."""
    device = device_of(table, item.device)
    if table.profile.readings.taken("switch_as_witness") == "no":
        return
    if item.on and device.health == "uncovered" and "switch" not in device.covered_by:
        see_cover(table, item.device, "cover", "switch", False)
    elif not item.on and "switch" in device.covered_by:
        _uncovered_again(table, item.device)


def _uncovered_again(table: Table, name: str) -> None:
    """The cover was lifted while the device is out of service: it is covered and seen once more."""
    rule = table.profile.out_of_service.cover_or_sign.rule
    table.change(name, health="uncovered", covered_by=(), floor_saw_cover=False)
    table.emit("device.out_of_service", rule, device=name, reason="the cover was lifted")
    raise_alarm(table, f"{name}.cover", 3, f"the cover of the {name} was lifted", rule)


def return_to_service(table: Table, item: ReturnToService) -> None:
    return_device(table, item.device)
    if item.device == "shuffler":
        _chamber_was_looked_into(table)


def _chamber_was_looked_into(table: Table) -> None:
    """Nothing is inside: what was stored there lies on the table, and proves nothing any more."""
    for batch in table.state.batches:
        if batch.where == "shuffler":
            table.spoil(batch.name, "unknown_state")
            table.change_batch(batch.name, where="table")
            take_from_shuffler(table, batch.name, "table")
    chamber_is_empty(table)


def return_device(table: Table, name: str) -> None:
    """The device is used again; a shuffler starts with nothing known of its cards."""
    table.change(name, health="ok", jammed=False, faults=(), covered_by=(), floor_saw_cover=False)
    if name == "shuffler":
        table.change("cycle", inside=None, running=False, residue=False)
        clear_cause(table, "shuffler.residue")
    clear_cause(table, f"{name}.fault")
    table.emit("device.returned", table.profile.out_of_service.cover_or_sign.rule, device=name)


def set_method(table: Table, item: SetMethod) -> None:
    """Cards that were prepared for the old way are prepared again for the new one."""
    before = getattr(table.state.methods, item.step)
    if item.step == "start":
        # A number that is still on its way is for nobody now; it was never shown.
        table.change("rng", pending_draw=None)
    table.change("methods", **{item.step: item.method})
    table.emit(
        "method.changed", _cite(table, item.step),
        step=item.step, method=item.method, reason=item.reason,
    )  # fmt: skip
    in_hand = table.state.phase in (Phase.LOAD, Phase.BETS, Phase.UNLOAD)
    if item.step == "deal" and before != item.method:
        deck_age.follow_method(table)
        if in_hand:
            take_out(table)
            require_shuffle(table, "method_changed")


def _cite(table: Table, step: str) -> str:
    law = table.profile.start_position
    if step == "start" and law is not None:
        return law.methods.rule
    if device_of(table, "shuffler" if step == "shuffle" else "shoe").health != "ok":
        return table.profile.out_of_service.cover_or_sign.rule
    leaf = table.profile.shuffle.when if step == "shuffle" else table.profile.deal.methods
    return leaf.rule


COMMON_ROWS: Rows = {
    DeclareUnusable: row(device_is_in_service, then=declare_unusable),
    Covered: row(cover_is_due, then=covered),
    ReturnToService: row(device_may_return, then=return_to_service),
    SetMethod: row(
        failed_device_is_covered, method_is_lawful, method_may_change_now, hand_has_its_shuffler,
        then=set_method,
    ),
}  # fmt: skip

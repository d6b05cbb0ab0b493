"""Holds: play stops until a floorperson picks one of the choices offered. Pure."""

from __future__ import annotations

from controller.core.events import Refusal
from controller.core.inputs import Decide
from controller.core.law import Verdict
from controller.core.stops import Hold
from controller.core.view import Table


def hold(
    table: Table,
    code: str,
    reason: str,
    choices: tuple[str, ...],
    rule: str | None = None,
    irregularity: str | None = None,
    waiver: str | None = None,
    device: str | None = None,
    batch: str | None = None,
) -> None:
    """Stop play and ask; the same open question is not asked twice."""
    if any(one.code == code and one.device == device for one in table.state.holds):
        return
    new = Hold(
        id=f"H{table.counted('holds')}", code=code, reason=reason, choices=choices,
        since_ms=table.arrived.at_ms, rule=rule, irregularity=irregularity, waiver=waiver,
        device=device, batch=batch,
    )  # fmt: skip
    table.put(holds=(*table.state.holds, new))
    table.emit(
        "floor.decision_required", rule,
        hold=new.id, code=code, reason=reason, choices=list(choices), irregularity=irregularity,
    )  # fmt: skip


def release(table: Table, one: Hold) -> None:
    table.put(holds=tuple(other for other in table.state.holds if other.id != one.id))


def find(table: Table, identity: str) -> Hold | None:
    return next((one for one in table.state.holds if one.id == identity), None)


def offering(table: Table, choice: str) -> Hold | None:
    """The oldest hold that offers this choice."""
    return next((one for one in table.state.holds if choice in one.choices), None)


def hold_offers_choice(table: Table, item: Decide) -> Verdict:
    """A decision answers an open hold with one of its choices."""
    one = find(table, item.hold)
    if one is None:
        return Refusal(None, f"there is no open hold {item.hold}")
    if item.choice not in one.choices:
        return Refusal(one.rule, f"hold {one.id} offers {' '.join(one.choices)}")
    return None

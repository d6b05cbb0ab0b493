"""What shuffler and shoe have in common: link, faults, identity, lamp, mode. Pure.

A device's word is never refused; what should not have happened becomes a fault, a hold or an alarm.
"""

from __future__ import annotations

from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.holds import hold
from hal.facts import (
    Fault,
    FaultCleared,
    Identity,
    IdentityChanged,
    Meters,
    Mode,
    Noise,
    Power,
)

# A device's own severity from which on it cannot be used until the fault is gone.
STOPPING = 3
POWER_FINE = ("ok", "on", "mains")


def health_of(table: Table, name: str) -> str:
    device = table.state.shuffler if name == "shuffler" else table.state.shoe
    return device.health


def fail(table: Table, name: str, code: str, rule: str, severity: int = 3) -> None:
    """The device has a fault: it is not used until it is restored, covered or returned."""
    if health_of(table, name) == "ok":
        table.change(name, health="fault")
    table.emit("device.fault", rule, severity, device=name, code=code)


def restore(table: Table, name: str) -> None:
    """The device works again; a device out of service only comes back by a floorperson."""
    clear_cause(table, f"{name}.fault")
    if health_of(table, name) == "fault":
        table.change(name, health="ok", jammed=False)
        table.emit("device.restored", device=name)


def works_after_all(table: Table) -> None:
    """A person says that the shoe goes on; one that is jammed or names a fault still does not."""
    if not table.state.shoe.jammed and not table.state.shoe.faults:
        restore(table, "shoe")


def alarm_fault(table: Table, name: str, code: str, rule: str, severity: int = 3) -> None:
    raise_alarm(table, f"{name}.fault", severity, f"{name}: {code}", rule, live=True)


def fault_raised(table: Table, name: str, item: Fault) -> bool:
    """Record a fault code; returns whether the device can no longer be used."""
    device = table.state.shuffler if name == "shuffler" else table.state.shoe
    # Fault masks are small; 32 codes bound what a broken device can make us remember.
    codes = tuple(dict.fromkeys((*device.faults, item.code)))[-32:]
    table.change(name, faults=codes)
    rule = table.profile.out_of_service.cover_or_sign.rule
    if item.severity < STOPPING:
        table.emit("device.fault", rule, item.severity, device=name, code=item.code)
        return False
    fail(table, name, item.code, rule, item.severity)
    alarm_fault(table, name, item.code, rule, item.severity)
    return True


def fault_cleared(table: Table, name: str, item: FaultCleared) -> None:
    device = table.state.shuffler if name == "shuffler" else table.state.shoe
    left = tuple(code for code in device.faults if code != item.code)
    table.change(name, faults=left)
    if not left and not device.jammed:
        restore(table, name)


def link_lost(table: Table, name: str) -> bool:
    """Returns whether the device was heard until now."""
    device = table.state.shuffler if name == "shuffler" else table.state.shoe
    if not device.up:
        return False
    table.change(name, up=False)
    rule = table.profile.out_of_service.cover_or_sign.rule
    table.emit("link.lost", rule, device=name)
    raise_alarm(table, f"{name}.link", 3, f"{name} is not heard", rule, live=True)
    return True


def link_restored(table: Table, name: str) -> None:
    device = table.state.shuffler if name == "shuffler" else table.state.shoe
    if not device.up:
        table.change(name, up=True)
        table.emit("link.restored", device=name)
    clear_cause(table, f"{name}.link")


def identity(table: Table, name: str, item: Identity) -> None:
    table.change(
        name,
        identity={
            "make": item.make, "model": item.model, "serial": item.serial,
            "firmware": item.firmware, "digest": item.digest,
        },
    )  # fmt: skip


def identity_changed(table: Table, name: str, item: IdentityChanged) -> None:
    """Another device answers: nothing that it says is proof until a person says which one it is."""
    rule = table.profile.out_of_service.cover_or_sign.rule
    table.emit("device.changed", rule, device=name, code="identity", reason=item.serial)
    raise_alarm(table, f"{name}.identity", 5, f"another {name} answers: {item.serial}", rule)
    table.change(name, identity={})
    if health_of(table, name) == "ok":
        table.change(name, health="fault")
    hold(
        table, "identity_changed", f"another {name} answers: {item.make} {item.serial}",
        ("return_to_service", "void") if table.state.in_round else ("return_to_service",),
        rule, device=name,
    )  # fmt: skip


def noise(table: Table, name: str, item: Noise) -> None:
    table.emit("link.noise", device=name, code=item.reason, octets=item.octets)


def mode(table: Table, name: str, item: Mode) -> None:
    table.change(name, mode=item.mode)


def power_is_bad(item: Power) -> bool:
    return item.state not in POWER_FINE


def meters(table: Table, name: str, item: Meters) -> None:
    """Kept in the record with the input; nothing at the table follows from a meter."""

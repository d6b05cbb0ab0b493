"""Approved continuous devices: which paragraphs an approval switches off."""

from __future__ import annotations

from controller.core.view import Table
from controller.rules.registry import rule


@rule("EXEMPT-DEVICE", cites=("633a.5(h)", "659a.5(f)"))
def exemption_fails_because(table: Table) -> str | None:
    """The device in use is the approved model, said so itself, and counts where the text asks."""
    approved, state = table.setup.approved_device, table.state
    exemption = table.profile.exemption
    if exemption is None or approved is None:
        return "none"
    if state.methods.shuffle != "device":
        return "method"
    models = [state.shuffler.identity.get("model")]
    if state.methods.deal == "auto_shoe":
        models.append(state.shoe.identity.get("model"))
    if approved not in models:
        return "identity"
    # A device that can count and is silent about its last cycle has not counted (A17, A29).
    counts = table.setup.shuffler.counts and state.cycle.counted
    return None if counts or not exemption.must_count.value else "count"


def device_is_approved(table: Table) -> bool:
    """An approved continuous device is in use, and nothing speaks against it."""
    return exemption_fails_because(table) is None


@rule("EXEMPT-PARAGRAPH", cites=("633a.5(h)", "659a.5(f)"))
def applies(table: Table, cite: str) -> bool:
    """A paragraph applies unless the approved device in use switches it off."""
    exemption = table.profile.exemption
    if exemption is None or not device_is_approved(table):
        return True
    return not any(cite.startswith(off) for off in exemption.disables.value)

"""Approved continuous devices: which paragraphs an approval switches off."""

from __future__ import annotations

from controller.core.view import Table
from controller.rules.registry import rule


@rule("EXEMPT-DEVICE", cites=("633a.5(h)", "659a.5(f)"))
def device_is_approved(table: Table) -> bool:
    """The shuffler or shoe in use is the approved model the house named, and it said so itself."""
    approved, state = table.setup.approved_device, table.state
    if table.profile.exemption is None or approved is None or state.methods.shuffle != "device":
        return False
    models = [state.shuffler.identity.get("model")]
    if state.methods.deal == "auto_shoe":
        models.append(state.shoe.identity.get("model"))
    counts = table.setup.shuffler.counts or not table.profile.exemption.must_count.value
    return approved in models and counts


@rule("EXEMPT-PARAGRAPH", cites=("633a.5(h)", "659a.5(f)"))
def applies(table: Table, cite: str) -> bool:
    """A paragraph applies unless the approved device in use switches it off."""
    exemption = table.profile.exemption
    if exemption is None or not device_is_approved(table):
        return True
    return not any(cite.startswith(off) for off in exemption.disables.value)

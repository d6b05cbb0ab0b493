"""The approved continuous device: when its exemption begins, is lost and comes back. Pure.

Cards that it gave out uncut are dealt under its exemption alone; without it they wait.
"""

from __future__ import annotations

from controller.core.profile import GameProfile
from controller.core.state import Phase
from controller.core.view import Table
from controller.regions.alarms import clear_cause, raise_alarm
from controller.regions.holds import hold
from controller.rules.exemption import exemption_fails_because
from controller.rules.shuffle import cut_is_required

ALARM = "exemption"
LOST = "exemption_lost"
WHY = {
    "identity": "the approved device no longer says who it is",
    "count": "the approved device did not tell its count",
    "method": "the approved device is not the method in use",
}


def watch(table: Table) -> None:
    """Look at the end of every turn, whatever the turn was about."""
    if table.profile.exemption is None or table.setup.approved_device is None:
        return
    why = exemption_fails_because(table)
    if table.state.exempt != (why is None):
        table.put(exempt=why is None)
        if why is None:
            _begin(table)
        else:
            _lose(table, why)
    load = table.state.load
    if why is not None and load is not None and load.exempt and not table.state.in_round:
        hold(
            table, LOST, f"{WHY[why]}: bring it back, then continue; or shuffle the cards",
            ("continue", "reshuffle"), _rule(table.profile),
        )  # fmt: skip


def _begin(table: Table) -> None:
    clear_cause(table, ALARM)
    table.emit(
        "config.mode", _rule(table.profile), mode="continuous", device=table.setup.approved_device
    )


def _lose(table: Table, why: str) -> None:
    """The ordinary paragraphs apply: cards that wait are cut, a round is asked about."""
    rule = _rule(table.profile)
    table.emit(
        "config.mode", rule, 3,
        mode="ordinary", device=table.setup.approved_device, reason=why,
    )  # fmt: skip
    if why != "method":
        raise_alarm(table, ALARM, 3, WHY[why], rule, live=True)
    for batch in table.state.batches:
        token = batch.token
        waits = token is not None and not token.spent and token.cut == "none"
        if token is not None and waits and cut_is_required(table, token.method):
            table.change_token(batch, cut="needed")
            if table.state.phase is Phase.LOAD:
                table.go(Phase.SHUFFLE)
    load = table.state.load
    if load is not None and load.exempt and table.state.in_round:
        hold(table, LOST, f"{WHY[why]} in a round", ("continue", "void"), rule)


def _rule(profile: GameProfile) -> str:
    assert profile.exemption is not None, "only a chapter with an exemption has a device to lose"
    return profile.exemption.disables.rule

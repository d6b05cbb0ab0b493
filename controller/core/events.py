"""What became true at the table: the catalogue of event types and the event itself. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """One event before it is sealed into the chain.

    `type` is a key of CATALOGUE; `data` holds text, integers, booleans, lists and objects;
    `rule` is a full citation such as `58 Pa. Code § 687a.13(f)`, or None; `severity` 0 to 5;
    `actor` the role and person a press of the panel stands for, where the input names none.
    """

    type: str
    data: dict[str, Any] = field(default_factory=dict)
    rule: str | None = None
    severity: int = 0
    subject: str = ""
    actor: tuple[str, str] | None = None


# Usual severity of each type: 0 info, 1 notice, 2 dealer acts, 3 floor acts, 4 integrity, 5 tamper.
CATALOGUE: dict[str, int] = {
    "table.opening": 1, "table.opened": 1, "table.closed": 1,
    "shuffle.required": 2, "shuffle.started": 0, "shuffle.completed": 0, "shuffle.failed": 2,
    "token.made": 0, "token.spent": 0, "token.refused": 4,
    "floor.feather_check": 1,
    "cut.offered": 0, "cut.refused": 0, "cut.made": 0, "cut.recut_ordered": 1,
    "cover.inserted": 0, "shoe.loaded": 0, "shoe.cover_card_out": 0,
    "burn.required": 0, "burn.completed": 0, "burn.mismatch": 3,
    "batch.swapped": 0, "batch.conflict": 3,
    "deck.change_due": 3, "deck.changed": 1, "deck.removed": 3, "deck.count_mismatch": 4,
    "startpos.determined": 0, "startpos.marked": 0, "startpos.shaker_reset": 0,
    "round.no_more_bets": 0, "round.deal_progress": 0, "round.dealt": 0, "round.raises_closed": 0,
    "round.last_of_shoe": 1, "round.completed": 0, "round.voided": 3,
    "wager.disposition": 1, "stub.count_due": 2, "stub.count_result": 0,
    "irregularity.raised": 3, "irregularity.withdrawn": 3,
    "device.fault": 3, "device.restored": 1, "device.out_of_service": 3,
    "device.cover_confirmed": 1, "device.returned": 1, "device.changed": 5,
    "method.changed": 1,
    "idle.spread": 0, "idle.inspected": 0, "idle.ended": 0,
    "lock.engaged": 0, "lock.released": 0,
    "floor.decision_required": 3, "floor.authorization": 1, "floor.called": 3,
    "alarm.raised": 3, "alarm.escalated": 3, "alarm.acknowledged": 1, "alarm.cleared": 1,
    "alarm.flood": 1, "alarm.over_budget": 1,
    "input.refused": 1, "input.flooded": 3, "power.restored": 1, "power.lost": 3,
    "clock.stepped": 1, "clock.synchronised": 1, "clock.unsynchronised": 1,
    "config.profile_loaded": 0, "config.mode": 1, "journal.checkpoint": 0,
    "journal.trouble": 4, "journal.taken_over": 4,
    "level.corrected": 1,
    "link.lost": 3, "link.restored": 1, "link.noise": 1, "link.facts_missing": 3,
    "rng.failed": 4, "rng.restored": 1,
    "dealer.signed_in": 0, "player.arrived": 0, "player.left": 0, "annotation.added": 0,
    "panel.fault": 3, "case.changed": 5, "software.changed": 5, "software.code_shown": 1,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Refusal:
    """An input that was not lawful now: the citation it broke, and why, for people."""

    rule: str | None
    reason: str

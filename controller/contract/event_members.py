"""The data members of every event: one meaning a word, whichever event it stands in. Pure."""

from __future__ import annotations

from typing import Annotated, Literal

from controller.core.recording import Checkpoint, Digest
from controller.core.software import FileName
from controller.core.statements import Choice, Method, Position, Reason, Seat, Seats
from hal.member_types import Batch, Count, Cycle, Face, Name, Range, Rank, Word

Whole = Annotated[int, Range(0, 0x1FFFFFFFFFFFFF)]
Step = Literal["shuffle", "cut", "load", "bets", "start", "deal", "settle", "method"]
Wagers = tuple[Word, ...]

# Member -> its type. A member that is a person's own word has the bound of the input it came in.
WORDS: dict[str, object] = {
    "age_s": Whole,
    "alarm": Word,
    "batch": Batch,
    "button": Word,
    "book": Name,
    "build": Name,
    "by": Name,
    "by_ms": int,
    "cards": Count,
    "checkpoint": Checkpoint,
    "choice": Choice,
    "choices": tuple[Choice, ...],
    "code": Name,
    "commands": Whole,
    "count": Annotated[int, Range(0, 0xFFFF)],
    "cutter": Position,
    "cycle": Cycle,
    "dealer": Name,
    "device": Name,
    "digest": Name,
    "draw": Whole,
    "error_ms_max": Whole,
    "even": bool,
    "event": Name,
    "expected": Count,
    "extra": bool | Count,
    "face": Face,
    "files": tuple[FileName, ...],
    "from_bottom": Count,
    "from_top": Count,
    "got": Count,
    "hold": Word,
    "how": Literal["cover", "sign"],
    "ids": tuple[Name, ...],
    "into": Batch,
    "irregularity": Word,
    "method": Method | Literal["preshuffled", "recut"],
    "lasted_ms": Whole,
    "mode": Word,
    "most": Count,
    "nonce": Word,
    "note": Reason,
    "octets": Whole,
    "offset_ms": int,
    "ok": bool,
    "open": bool,
    "origin": Literal[
        "first_arrival", "cover_seat", "cover_dealer", "floor", "dealer", "highest_number"
    ],
    "outcome": Literal[
        "hold", "void", "discard", "use_next", "reshuffle", "continue", "void_remove_deck",
        "void_settle_bonuses", "escalated", "remove_deck",
    ],
    "path": Literal["manual", "stored_batch"],
    "phase": Word,
    "place": Word,
    "preshuffled": bool,
    "previous_end": Name,
    "profile_digest": Name,
    "program": Digest,
    "progressive": Seats,
    "public_key": Digest,
    "rank": Rank,
    "raw": Annotated[int, Range(1, 18)],
    "reason": str,
    "returned": Wagers,
    "round": Whole,
    "rules": tuple[str, ...],
    "seat": Seat,
    "seats": Seats,
    "settled": Wagers,
    "severity": Annotated[int, Range(0, 5)],
    "shoe": Whole,
    "span_s": Whole,
    "stack": Count,
    "state": Digest,
    "step": Step,
    "test": Word,
    "text": Reason,
    "times": Whole,
    "to": Position | Literal["floorperson", "pit_manager"],
    "topic": Name,
    "trips": Seats,
    "type": Word,
    "version": Name,
    "where": Position,
}  # fmt: skip

# Members of each event beside `round shoe actor cause`, which all have; `?` may be left out.
EVENTS: dict[str, str] = {
    "table.opening": "preshuffled", "table.opened": "", "table.closed": "",
    "shuffle.required": "reason", "shuffle.started": "method batch? cycle?",
    "shuffle.completed": "method batch cycle? cards?",
    "shuffle.failed": "method batch? cycle? reason cards?",
    "token.made": "batch method cards?", "token.spent": "batch method",
    "token.refused": "reason batch? cards?",
    "floor.feather_check": "even",
    "cut.offered": "to origin", "cut.refused": "seat", "cut.made": "cutter from_top?",
    "cut.recut_ordered": "cutter reason",
    "cover.inserted": "from_bottom?", "shoe.loaded": "batch cards?",
    "shoe.cover_card_out": "where?",
    "burn.required": "rank extra", "burn.completed": "cards",
    "burn.mismatch": "cards expected got",
    "batch.swapped": "batch into?", "batch.conflict": "batch? reason",
    "deck.change_due": "batch", "deck.changed": "batch ids", "deck.removed": "batch",
    "deck.count_mismatch": "batch? place? cards? expected got",
    "startpos.determined": "method raw count to draw?", "startpos.marked": "to",
    "startpos.shaker_reset": "",
    "round.no_more_bets": "seats progressive trips", "round.deal_progress": "stack to cards",
    "round.dealt": "extra?", "round.raises_closed": "", "round.last_of_shoe": "",
    "round.completed": "", "round.voided": "code irregularity",
    "wager.disposition": "returned settled",
    "stub.count_due": "expected", "stub.count_result": "expected got ok",
    "irregularity.raised": "irregularity code outcome reason",
    "irregularity.withdrawn": "irregularity code reason",
    "device.fault": "device code cards?", "device.restored": "device",
    "device.out_of_service": "device reason", "device.cover_confirmed": "device how",
    "device.returned": "device", "device.changed": "device code reason",
    "method.changed": "step method reason",
    "idle.spread": "face", "idle.inspected": "", "idle.ended": "path",
    "lock.engaged": "step rules", "lock.released": "step rules",
    "floor.decision_required": "hold code reason choices irregularity?",
    "floor.authorization": "hold? choice reason irregularity?",
    "floor.called": "reason",
    "alarm.raised": "alarm severity code reason age_s",
    "alarm.escalated": "alarm severity to age_s",
    "alarm.acknowledged": "alarm severity note? age_s", "alarm.cleared": "alarm severity age_s",
    "alarm.flood": "count most span_s", "alarm.over_budget": "count most span_s",
    "input.refused": "type reason", "input.flooded": "by commands",
    "power.restored": "phase", "power.lost": "",
    "clock.stepped": "by_ms", "clock.synchronised": "offset_ms error_ms_max?",
    "clock.unsynchronised": "",
    "config.profile_loaded": "version digest profile_digest previous_end? book? build?",
    "config.mode": "mode device reason?",
    "journal.checkpoint": "checkpoint public_key",
    "journal.trouble": "code reason lasted_ms?", "journal.taken_over": "program state reason",
    "level.corrected": "topic reason times",
    "link.lost": "device", "link.restored": "device", "link.noise": "device code octets",
    "link.facts_missing": "device count",
    "rng.failed": "test reason", "rng.restored": "",
    "dealer.signed_in": "dealer", "player.arrived": "seat", "player.left": "seat",
    "annotation.added": "event text",
    "panel.fault": "button? code", "case.changed": "open",
    "software.changed": "count files", "software.code_shown": "nonce code digest",
}  # fmt: skip
COMMON = ("round", "shoe")


def members_of_event(kind: str) -> tuple[dict[str, object], list[str]]:
    """Member -> type of one event's data, and which of them are always there. Raises KeyError."""
    words = EVENTS[kind].split()
    names = (*COMMON, *(word.removesuffix("?") for word in words))
    required = [*COMMON, *(word for word in words if not word.endswith("?"))]
    return {name: WORDS[name] for name in names}, required

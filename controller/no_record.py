"""What a table shows while its record cannot be written, whatever its state says. Pure.

The state itself says so only once that is on record; lamps, levels and people must know before.
"""

from __future__ import annotations

import dataclasses

from controller.core.outputs import Outputs
from controller.core.recording import TroubleCode, Unrecorded

# The level `alarms/record`: of the appliance, beside the numbered ones of the table.
ALARM = "record"
LAW = "no record, no deal"
STEPS = ("shuffle", "cut", "load", "bets", "start", "deal", "settle", "method")
WORDS: dict[TroubleCode, str] = {
    "slow": "The record is written late",
    "full": "No room for the record: free the disk",
    "gone": "The record cannot be written: look at the disk",
    "in_use": "Another process has the record open: end it",
    "foreign": "The record is another's: put this table's own in its place",
    "corrupt": "The record is damaged: keep it, and put a new one in its place",
}


def without_record(outputs: Outputs, trouble: Unrecorded, since: str) -> Outputs:
    """`outputs` with everything locked, red, and an alarm that names the trouble; a write that is
    only late keeps nothing but its alarm, since permissions wait for the disk by themselves.

    `since` is RFC 3339.
    """
    text = WORDS[trouble.code]
    alarm: dict[str, object] = {
        "alarm": ALARM, "code": trouble.code, "severity": 3 if trouble.code == "slow" else 4,
        "text": f"{text} ({trouble.reason})", "since": since, "level": "dealer", "rule": None,
        "acknowledged_by": None, "repeats": 0, "live": True, "also": [], "chattering": False,
    }  # fmt: skip
    alarms = {**outputs.alarms, ALARM: alarm}
    if trouble.code == "slow":
        return dataclasses.replace(outputs, alarms=alarms)
    return dataclasses.replace(
        outputs,
        locks={step: [*outputs.locks.get(step, []), LAW] for step in STEPS},
        lamps={"red": "blink", "amber": "off", "green": "off"},
        digit=" ",
        sounder="alarm",
        prompt={
            "step": ALARM, "who": "floorperson", "text": f"{text}. {LAW}", "rule": None,
            "since": since,
        },
        device_locks={"shuffler": True, "shoe": True},
        alarms=alarms,
        table={**outputs.table, "recording": False},
    )  # fmt: skip

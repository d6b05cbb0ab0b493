"""What is shown while the record cannot be written is tighter than what the state says."""

from __future__ import annotations

import dataclasses

import pytest

from controller.core.outputs import Outputs
from controller.core.recording import TroubleCode, Unrecorded
from controller.no_record import ALARM, LAW, STEPS, WORDS, without_record

SHOWN = Outputs(
    locks={"method": ["hold H1"]}, lamps={"red": "off", "amber": "on", "green": "on"}, digit="4",
    device_locks={"shuffler": True, "shoe": False}, alarms={"A1": {"alarm": "A1"}},
)  # fmt: skip


@pytest.mark.parametrize("code", sorted(set(WORDS) - {"slow"}))
def test_everything_is_locked_and_the_trouble_is_an_alarm_beside_those_of_the_table(
    code: TroubleCode,
) -> None:
    outputs = without_record(SHOWN, Unrecorded(code, "why"), "T")
    assert set(outputs.locks) == set(STEPS)
    assert outputs.locks["method"] == ["hold H1", LAW]
    assert outputs.lamps == {"red": "blink", "amber": "off", "green": "off"}
    assert (outputs.digit, outputs.device_locks["shoe"]) == (" ", True)
    assert outputs.alarms["A1"] == {"alarm": "A1"}
    assert (outputs.alarms[ALARM]["severity"], outputs.alarms[ALARM]["code"]) == (4, code)
    assert "why" in outputs.alarms[ALARM]["text"]
    assert outputs.prompt["since"] == "T"


def test_what_is_only_late_is_an_alarm_and_nothing_else() -> None:
    outputs = without_record(SHOWN, Unrecorded("slow", "7 s"), "T")
    assert outputs.alarms[ALARM]["severity"] == 3
    assert dataclasses.replace(outputs, alarms=SHOWN.alarms) == SHOWN

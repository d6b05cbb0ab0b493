"""Levels that follow from the state: computed, never set. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Outputs:
    """What the table shows while it is in a state; each member is one `output` of `replay`.

    `locks` step -> citations that hold it; `lamps` red/amber/green -> off/on/blink; `digit` one
    of `1`..`7`, `-` or blank (the program's code uses them too); `sounder` off/chirp/alarm;
    `prompt` step, who, text, rule, since;
    `device_locks` shuffler/shoe -> locked; `devices`, `alarms` by name or id, and `table` (phase,
    round, shoe, methods, holds …) are the retained topics of the same names.
    """

    locks: dict[str, list[str]] = field(default_factory=dict)
    lamps: dict[str, str] = field(default_factory=dict)
    digit: str = " "
    sounder: str = "off"
    prompt: dict[str, Any] = field(default_factory=dict)
    device_locks: dict[str, bool] = field(default_factory=dict)
    devices: dict[str, dict[str, Any]] = field(default_factory=dict)
    alarms: dict[str, dict[str, Any]] = field(default_factory=dict)
    table: dict[str, Any] = field(default_factory=dict)

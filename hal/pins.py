"""Which line serves which purpose, and how the panel is wired; shapes only, no pin is touched."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from hal.debounce import STABLE_MS, STABLE_MS_MAX, STABLE_MS_MIN
from hal.segments import SEGMENTS

# Seats as facts and commands count them; the widest lawful layout has fewer.
SEATS_MAX = 16
BUTTONS = ("rng", "done", "no_more_bets", "round_done", "call_floor", "card_up")
SEAT_BUTTONS = tuple(f"seat_{seat}" for seat in range(1, SEATS_MAX + 1))
COVERS = ("cover_shuffler", "cover_shoe")
LAMPS = ("red", "amber", "green")
# Every purpose that a line may have, by the names that a table's file uses.
PURPOSES = (
    *BUTTONS, *SEAT_BUTTONS, "key", *COVERS, "case",
    *(f"segment_{name}" for name in SEGMENTS), *(f"sense_{name}" for name in SEGMENTS),
    *LAMPS, "sounder",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PanelPins:
    """BCM line numbers by purpose; a purpose that is not there is not wired (None of `pin`).

    `lines` maps a name of PURPOSES to its line. Raises ValueError for an unknown purpose, for one
    line with two purposes, and for a digit with some of its segments only.
    """

    lines: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        seen: dict[int, str] = {}
        for purpose, line in self.lines.items():
            if purpose not in PURPOSES:
                raise ValueError(f"{purpose}: no such purpose of a line")
            if line in seen:
                raise ValueError(f"{purpose}: line {line} serves {seen[line]} already")
            seen[line] = purpose
        for kind in ("segment", "sense"):
            wired = [name for name in SEGMENTS if f"{kind}_{name}" in self.lines]
            if wired and len(wired) != len(SEGMENTS):
                missing = next(name for name in SEGMENTS if name not in wired)
                raise ValueError(f"{kind}_{missing}: a digit needs all of {''.join(SEGMENTS)}")
        if "sense_a" in self.lines and "segment_a" not in self.lines:
            raise ValueError("sense_a: there is no segment_a to be sensed")

    @classmethod
    def of(cls, purposes: Mapping[str, int | None]) -> PanelPins:
        """Pins of a table's `[panel]` section, where an absent line is None or not there."""
        return cls({name: line for name, line in purposes.items() if line is not None})

    def pin(self, purpose: str) -> int | None:
        """The line of a purpose, or None where it is not wired."""
        return self.lines.get(purpose)

    def switches(self) -> Iterator[tuple[str, int]]:
        """Buttons, key, covers and case that are wired, with their lines."""
        for purpose, line in self.lines.items():
            if purpose in BUTTONS or re.match("seat_|cover_|key$|case$", purpose):
                yield purpose, line

    def of_digit(self, kind: str) -> dict[str, int]:
        """Lines of the `segment` or `sense` pins by segment; empty where there are none."""
        return {
            name: self.lines[f"{kind}_{name}"]
            for name in SEGMENTS
            if f"{kind}_{name}" in self.lines
        }


@dataclass(frozen=True, slots=True)
class PanelSettings:
    """The panel of one table.

    `factory`: a name of `hal.gpio.FACTORIES`. Switches close to ground against a pull-up where
    `inputs_active_low`, to the supply against a pull-down otherwise; a cut wire is an open switch
    either way, which reads as: case open, cover off, key off, button up. `common_anode`: a segment
    lights at low. `key_id`: who holds the key, as the roster names it. `settle_ms`: how long a
    segment's driver and sense line need. `self_test_step_ms`: how long each test pattern is shown.
    Raises ValueError for a `stable_ms` that product.md A14 does not allow.
    """

    pins: PanelPins = field(default_factory=PanelPins)
    factory: str = "lgpio"
    inputs_active_low: bool = True
    senses_active_low: bool = False
    common_anode: bool = False
    lamps_active_low: bool = False
    sounder_active_low: bool = False
    stable_ms: int = STABLE_MS
    key_id: str = "key-1"
    # An optocoupler settles within 0.1 ms; five is still at once for an eye.
    settle_ms: int = 5
    # Nine patterns of 100 ms: a person sees every segment at each start (product.md A13).
    self_test_step_ms: int = 100

    def __post_init__(self) -> None:
        if not STABLE_MS_MIN <= self.stable_ms <= STABLE_MS_MAX:
            raise ValueError(
                f"stable_ms: {self.stable_ms} is not {STABLE_MS_MIN} to {STABLE_MS_MAX}"
            )

"""Hands of the controller: holds the outputs' levels on the hal ports and performs the effects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from controller.core.effects import DrawNumber, Effect
from controller.core.outputs import Outputs
from hal.ports import CardDevice, Panel, RandomSource

BLANK = " "


@dataclass(frozen=True, slots=True)
class Levels:
    """What the hal ports are told. The defaults are those of a table that may do nothing."""

    red: str = "on"
    amber: str = "off"
    green: str = "off"
    digit: str = BLANK
    sounder: str = "off"
    locked: frozenset[str] | None = None  # None: every device


class Actuator:
    """Applies levels that differ from what is applied, so that any of its calls may be repeated.

    Until the first `hold`, and after `lock_all`, all is tight: red, blank, every device locked.
    """

    def __init__(
        self, panel: Panel | None, devices: Mapping[str, CardDevice], source: RandomSource | None
    ) -> None:
        self._panel = panel
        self._devices = dict(devices)
        self._source = source
        self._held: Levels | None = None
        self._ahead: Levels | None = None
        self._applied: Levels | None = None
        self._locks: dict[str, bool] = {}
        self._draws_asked = 0

    def tighten(self, ahead: Outputs) -> None:
        """Take over what is stricter in outputs that are decided and not yet durable."""
        self._ahead = levels_of(ahead)
        self._apply()

    def hold(self, outputs: Outputs) -> None:
        """Hold the outputs of the durable state, save where what is decided ahead is stricter."""
        self._held = levels_of(outputs)
        self._apply()

    def lock_all(self) -> None:
        """Everything as tight as it gets, whatever the state says: the program or the disk failed.

        Holds until the next `hold`.
        """
        self._held = self._ahead = None
        self._apply()

    def perform(self, effect: Effect) -> None:
        """Perform an effect once. Timers are held as a level of the state, see `Timers`."""
        if isinstance(effect, DrawNumber):
            self.draw(effect.draw)

    def draw(self, number: int) -> None:
        """Ask the generator for draw `number`; in one process each number is asked for once."""
        if number > self._draws_asked and self._source is not None:
            self._draws_asked = number
            self._source.draw(number)

    def _apply(self) -> None:
        held = self._held or Levels()
        wanted = held if self._ahead is None else stricter(held, self._ahead)
        for name, device in self._devices.items():
            locked = wanted.locked is None or name in wanted.locked
            if self._locks.get(name) != locked:
                self._locks[name] = locked
                device.lock(locked)
        before, panel = self._applied, self._panel
        self._applied = wanted
        if panel is None:
            return
        lamps = (wanted.red, wanted.amber, wanted.green)
        if before is None or lamps != (before.red, before.amber, before.green):
            panel.lamps(*lamps)
        if before is None or wanted.digit != before.digit:
            panel.show(wanted.digit)
        if before is None or wanted.sounder != before.sounder:
            panel.sound(wanted.sounder)


def levels_of(outputs: Outputs) -> Levels:
    """The part of the outputs that hardware shows; a lamp that is not named is off."""
    lamps = outputs.lamps
    return Levels(
        lamps.get("red", "off"), lamps.get("amber", "off"), lamps.get("green", "off"),
        outputs.digit, outputs.sounder,
        frozenset(name for name, locked in outputs.device_locks.items() if locked),
    )  # fmt: skip


def stricter(held: Levels, ahead: Levels) -> Levels:
    """`held` with what `ahead` forbids more: red on, green out, digit blank, devices locked."""
    locked = None
    if held.locked is not None and ahead.locked is not None:
        locked = held.locked | ahead.locked
    return Levels(
        red=ahead.red if held.red == "off" else held.red,
        amber=held.amber,
        green="off" if ahead.green == "off" else held.green,
        digit=BLANK if ahead.digit == BLANK else held.digit,
        sounder=held.sounder,
        locked=locked,
    )

"""Mistakes of shuffler and shoe: drivers, ports, and what a shuffler of lamps alone cannot do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from config.complaints import Problem, nearest
from config.positions import Path, Positions
from config.profiles import games, usual_setup
from config.sections import Device, Game, Lamps, Panel, Shoe, Shuffler
from hal.protocols import PROTOCOLS

LAMP: Final = "lamp"
LINES: Final = "lines"
# A shoe has no lamp that tells its cards.
DRIVERS: Final[Mapping[str, tuple[str, ...]]] = {
    "shuffler": (*PROTOCOLS, LINES, LAMP),
    "shoe": (*PROTOCOLS, LINES),
}
# Names that the kernel gives in the order of plugging: another one after a reboot (faults S03).
_UNSTABLE_PORT = re.compile(r"^/dev/tty(USB|ACM)[0-9]+$")
_TCP_PORT_MAX = 65_535


class DeviceChecks:
    """The checks, with what they look at; a section that is absent or wrong is None."""

    def __init__(
        self, positions: Positions, for_daemon: bool, game: Game | None, panel: Panel | None
    ) -> None:
        self._positions = positions
        self._for_daemon = for_daemon
        self._game = game
        self._panel = panel

    def check(self, shuffler: Shuffler | None, shoe: Shoe | None) -> Iterator[Problem]:
        """All problems of both devices."""
        if shuffler is not None:
            yield from self._check_device("shuffler", shuffler)
            yield from self._check_cycle(shuffler)
            if shuffler.driver == LAMP:
                yield from self._check_lamps_alone(shuffler)
            if shuffler.lamps is not None:
                yield from self._check_lines(shuffler.lamps)
        if shoe is not None:
            yield from self._check_device("shoe", shoe)
            if shoe.port is not None and shuffler is not None and shoe.port == shuffler.port:
                yield self._error(
                    ("shoe", "port"), "[shoe] port is that of the shuffler; a port has one device"
                )

    def _error(self, path: Path, text: str) -> Problem:
        return Problem(self._positions.value(path), text)

    def _warning(self, path: Path, text: str) -> Problem:
        return Problem(self._positions.key(path), text, warning=True)

    def _missing(self, name: str, key: str, why: str) -> Problem:
        return Problem(self._positions.key((name,)), f"[{name}] {key} is missing; {why}")

    # ---- a driver and its port -----------------------------------------------------------------
    def _check_device(self, name: str, device: Device) -> Iterator[Problem]:
        known = DRIVERS[name]
        if device.driver is not None and device.driver not in known:
            yield self._error(
                (name, "driver"),
                f"[{name}] driver {device.driver!r} is unknown; {nearest(device.driver, known)}",
            )
        if self._for_daemon:
            seen_only = name == "shuffler" and device.driver == LAMP
            for key in ("driver",) if seen_only else ("driver", "port"):
                if getattr(device, key) is None:
                    yield self._missing(name, key, "it has no default")
        yield from self._check_file(name, device)
        port = device.port or ""
        if _UNSTABLE_PORT.match(port):
            yield self._warning(
                (name, "port"),
                f"[{name}] port {port} may be another device after a reboot; "
                "use its link in /dev/serial/by-id or a udev name",
            )
        if port.startswith("tcp://"):
            if not 1 <= int(port.rpartition(":")[2]) <= _TCP_PORT_MAX:
                yield self._error((name, "port"), f"[{name}] port must end with 1 to 65535")
            if (name, "baud") in self._positions.keys:
                yield self._warning(
                    (name, "baud"), f"[{name}] baud has no effect on a tcp port; its server sets it"
                )

    def _check_file(self, name: str, device: Device) -> Iterator[Problem]:
        if device.driver == LINES and device.driver_file is None:
            yield self._missing(name, "driver_file", 'driver "lines" is told by a file how to read')
        if device.driver_file is not None and device.driver != LINES:
            yield self._error(
                (name, "driver_file"),
                f'[{name}] driver_file has no effect without driver = "lines"',
            )
        if device.driver_file is not None and (name, "baud") in self._positions.keys:
            yield self._error(
                (name, "baud"), f"[{name}] baud stands in the driver file: take it away here"
            )

    def _check_cycle(self, shuffler: Shuffler) -> Iterator[Problem]:
        least, most = shuffler.cycle_s_min, shuffler.cycle_s_max
        if least is not None and most is not None and least > most:
            yield self._error(
                ("shuffler", "cycle_s_max"),
                f"[shuffler] cycle_s_max must not be below cycle_s_min, which is {least}",
            )

    # ---- lamps ---------------------------------------------------------------------------------
    def _check_lamps_alone(self, shuffler: Shuffler) -> Iterator[Problem]:
        """A shuffler that is only seen: what no lamp can tell is not claimed of it."""
        if shuffler.lamps is None:
            yield self._missing("shuffler", "lamps", 'driver "lamp" reads two light sensors')
        for key in ("cycle_s_min", "cycle_s_max"):
            if getattr(shuffler, key) is None:
                yield self._missing("shuffler", key, "of a lamp only the time of a run is proof")
        if shuffler.counts:
            yield self._error(
                ("shuffler", "counts"), "[shuffler] counts must be false: no lamp counts cards"
            )
        for key in ("port", "baud", "identity"):
            if ("shuffler", key) in self._positions.keys:
                yield self._error(
                    ("shuffler", key),
                    f'[shuffler] {key} is not for driver "lamp"; for a shuffler with a port name '
                    "that port's driver and keep [shuffler.lamps] beside it",
                )
        game = self._game
        if (
            game is not None
            and game.name in games()
            and (game.batches or usual_setup(game.name).batches) != 1
        ):
            yield self._error(
                ("shuffler", "driver"),
                f"[shuffler] driver {LAMP!r} needs one batch: no lamp tells which of two is "
                "inside; [game] batches = 1, or a shuffler with a port",
            )

    def _check_lines(self, lamps: Lamps) -> Iterator[Problem]:
        taken = {} if self._panel is None else {line: one for one, line in self._panel.pins.items()}
        for sensor, line in (("green", lamps.green), ("red", lamps.red)):
            if line in taken:
                yield self._error(
                    ("shuffler", "lamps", sensor),
                    f"[shuffler.lamps] {sensor}: line {line} serves {taken[line]} already",
                )
            taken.setdefault(line, f"the {sensor} lamp's sensor")
        if self._panel is not None and self._panel.factory != lamps.factory:
            yield self._error(
                ("shuffler", "lamps", "factory"),
                f"[shuffler.lamps] factory must be that of [panel], {self._panel.factory!r}: "
                "both are lines of one board",
            )
        if not lamps.red_normally_closed:
            yield self._warning(
                ("shuffler", "lamps", "red_normally_closed"),
                "[shuffler.lamps] red_normally_closed = false: a cut wire of the red sensor "
                "will look like a red lamp that is off",
            )

"""A shuffler that is seen, not heard: two light sensors on GPIO before its green and red lamp.

Example:
    shuffler = LampDevice(LampSettings(green=23, red=24), intake.offer)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(shuffler.run())
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Final

from hal.edges import DEAF_S, Edges, Storm
from hal.gpio import Board, Input, open_factory
from hal.lamp_reading import SENSORS, LampReading, Seen
from hal.lamp_settings import LampSettings
from hal.ports import Heard, Sink

NAME: Final = "shuffler"
# A look that is 20 ms late tells the same: the lamps' times are those of their edges.
LOOK_S_MIN: Final = 0.02
# The kernel may merge edges that come too fast: what a line says is compared with what was heard.
COMPARE_S: Final = 1.0
NS_PER_S: Final = 1_000_000_000


class LampDevice:
    """Implements `hal.ports.CardDevice`. Facts arrive at `sink` on the loop.

    The lines are claimed as soon as it is made; raises BoardError where one cannot be had. `board`
    replaces the one of `settings.factory`. `alone` off: the shuffler has a port as well, and only
    the colour is told.
    """

    def __init__(
        self, settings: LampSettings, sink: Sink, board: Board | None = None, alone: bool = True
    ) -> None:
        self.name = NAME
        self._settings = settings
        self._sink = sink
        self._alone = alone
        self._own = None if board is not None else Board(open_factory(settings.factory))
        claimed = board or self._own
        assert claimed is not None, "a board is given or opened"
        with contextlib.ExitStack() as undo:
            if self._own is not None:
                undo.callback(self._own.close)
            self._lines: dict[str, Input] = {
                "green": claimed.input("lamp_green", settings.green, settings.active_low),
                "red": claimed.input("lamp_red", settings.red, settings.active_low),
            }
            undo.pop_all()
        self._names = {f"lamp_{name}": name for name in SENSORS}
        self._edges = Edges()
        self._storm = Storm()
        self._deaf: set[str] = set()
        self._storms = 0
        self._reading: LampReading | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._ended: asyncio.Future[None] | None = None

    # ---- hal.ports.CardDevice --------------------------------------------------------------
    async def run(self) -> None:
        """Look at the lamps until cancelled; raises what the sink raises."""
        loop = asyncio.get_running_loop()
        self._ended = loop.create_future()
        self._edges.open(loop, self._look)
        for line in self._lines.values():
            line.listen(self._edges.put)
        self._reading = LampReading(
            time.monotonic_ns(),
            self._sees("green"),
            self._sees("red"),
            self._settings.batch if self._alone else None,
        )
        try:
            self._look()
            await self._ended
        finally:
            self.hush()

    def lock(self, locked: bool) -> None:
        """Nothing to hold: a shuffler without a line cannot be locked, the table's lamp can."""

    def status(self) -> dict[str, object]:
        """What the lamps say, and how often their lines were of no use, since the start."""
        reading = self._reading
        return {
            "link": "up" if reading is not None and reading.up else "down",
            "lamp": "off" if reading is None else reading.colour,
            "cycles": 0 if reading is None else reading.cycles,
            "edges_lost": self._edges.lost_total,
            "storms": self._storms,
        }

    def hush(self) -> None:
        """Hear no edge any more; the end of `run` says nothing of it."""
        self._reading = None
        self._deafen()

    def close(self) -> None:
        """Let the lines go, where the board is our own; again is no harm."""
        self._deafen()
        if self._own is not None:
            self._own.close()

    # ---- edges -----------------------------------------------------------------------------
    def _sees(self, sensor: str) -> bool:
        """Whether a sensor sees light now."""
        return self._lit(sensor, self._lines[sensor].closed())

    def _lit(self, sensor: str, closed: bool) -> bool:
        return closed != (sensor == "red" and self._settings.red_normally_closed)

    def _look(self) -> None:
        """Everything that waits and everything that is due, in this order."""
        if self._reading is None or self._ended is None or self._ended.done():
            return
        try:
            for seen in self._taken(self._reading):
                self._sink(Heard(self.name, seen.fact, seen.at_ns))
        except Exception as error:  # noqa: BLE001 - handed to run(), which raises it
            self._ended.set_exception(error)
            return
        self._arm(self._reading)

    def _taken(self, reading: LampReading) -> list[Seen]:
        taken = self._edges.take()
        seen: list[Seen] = []
        for line, at_ns, closed in taken.edges:
            sensor = self._names[line]
            if sensor in self._deaf:
                continue
            seen += reading.edge(sensor, at_ns, self._lit(sensor, closed))
            if self._storm.breaks_out(sensor, at_ns):
                seen += self._leave_alone(reading, sensor, at_ns)
        for line in taken.lost:
            seen += reading.lost(self._names[line], taken.now_ns)
        for sensor in SENSORS:
            # An edge that the kernel merged away never arrived: believe the line, not the memory.
            if sensor not in self._deaf and self._sees(sensor) != reading.raw(sensor):
                seen += reading.edge(sensor, taken.now_ns, self._sees(sensor))
        return seen + reading.advance(taken.now_ns)

    def _leave_alone(self, reading: LampReading, sensor: str, at_ns: int) -> list[Seen]:
        """No lamp makes so many edges: what this sensor sees is not known."""
        self._deaf.add(sensor)
        self._storms += 1
        self._lines[sensor].deafen()
        asyncio.get_running_loop().call_later(DEAF_S, self._listen_again, sensor)
        return reading.lost(sensor, at_ns)

    def _listen_again(self, sensor: str) -> None:
        if self._reading is not None and sensor in self._deaf:
            self._deaf.discard(sensor)
            self._lines[sensor].listen(self._edges.put)
            self._look()

    def _arm(self, reading: LampReading) -> None:
        """Wake when the reading may have something to say, and now and then to compare."""
        if self._timer is not None:
            self._timer.cancel()
        wait_s = COMPARE_S
        if reading.due_ns is not None:
            wait_s = min(wait_s, (reading.due_ns - time.monotonic_ns()) / NS_PER_S)
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(max(wait_s, LOOK_S_MIN), self._look)

    def _deafen(self) -> None:
        self._edges.close()
        self._deaf.clear()
        for line in self._lines.values():
            line.deafen()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

"""Builds the hardware side of one table from its settings: panel, generator, shuffler and shoe."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from config.settings import Settings
from controller.marks import cursor_of, mark_of_number
from controller.messages import Json
from hal.device import SerialDevice, new_boot
from hal.lamp_witness import LampWitness
from hal.port import PortSettings
from hal.ports import CardDevice, Panel, RandomSource, Sink
from hal.protocols.lines import LineTalk, driver_of
from hal.protocols.message import Driver
from hal.session import Pin

if TYPE_CHECKING:
    from config.sections import Device, Lamps
    from hal.gpio import Board
    from hal.sim.hand import HandServer

# Past the start-up tests of 1,024 octets by a few blocks of 64: a demo sees the fault in seconds.
DEMO_GOOD_OCTETS = 1_024 + 2 * 64

Status = Callable[[], dict[str, object]]


class Marks(Protocol):
    """What is asked of a journal: how far each device was heard."""

    def cursor(self, name: str) -> int:
        """0 for a device that was never heard."""
        ...


@dataclass(slots=True)
class Parts:
    """What was built. `works` are the coroutines that keep it alive, by name; `hush` stops the
    hearing of the devices, whose events are then repeated to the next start; `close` lets the pins
    go."""

    panel: Panel | None = None
    source: RandomSource | None = None
    devices: dict[str, CardDevice] = field(default_factory=dict)
    works: dict[str, Callable[[], Awaitable[None]]] = field(default_factory=dict)
    statuses: dict[str, Status] = field(default_factory=dict)
    ears: list[Callable[[], None]] = field(default_factory=list)
    closings: list[Callable[[], None]] = field(default_factory=list)

    def hush(self) -> None:
        """Read no line any more, so that a flood does not take the time that an end has."""
        for deafen in self.ears:
            deafen()

    def close(self) -> None:
        """Dark lamps, blank digit, released pins; again is no harm."""
        for close in self.closings:
            close()
        if self.panel is not None:
            self.panel.close()


def parts_of(
    settings: Settings, store: Marks, sink: Sink, draws: bool, history: Sequence[int] = (),
    gate: Callable[[], Sink] | None = None,
) -> Parts:  # fmt: skip
    """Build all that the file names; `draws`: the game finds its start position by a number, and
    `history` are those of before; `gate` makes the sink of each device, `sink` where there is none.

    Raises hal.gpio.BoardError, and AddressError for a port that cannot be one.
    """
    parts = Parts()
    with contextlib.ExitStack() as undo:
        undo.callback(parts.close)
        faults = tuple((settings.bench.faults or ()) if settings.bench is not None else ())
        lines = settings.lines
        board = None if settings.panel is None else _add_panel(parts, settings, sink, faults)
        if settings.shuffler is not None:
            outlet = gate() if gate else sink
            if settings.shuffler.lamps is not None:
                outlet = _add_lamps(parts, settings.shuffler.lamps, board, settings, outlet)
            _add_device(parts, "shuffler", settings.shuffler, store, outlet, lines.get("shuffler"))
        if settings.shoe is not None:
            outlet = gate() if gate else sink
            _add_device(parts, "shoe", settings.shoe, store, outlet, lines.get("shoe"))
        if draws:
            _add_generator(parts, settings, sink, faults, history)
        undo.pop_all()
    return parts


def _add_device(
    parts: Parts, name: str, section: Device, store: Marks, sink: Sink, talk: LineTalk | None
) -> None:
    if section.port is None:
        return
    identity = section.identity
    pin = None if identity is None else Pin(identity.make, identity.model, identity.serial)
    heard = mark_of_number(store.cursor(cursor_of(name)))
    port = PortSettings(section.port, section.baud)
    driver: str | Driver = section.driver or "tdp1"
    if talk is not None:
        port = PortSettings(section.port, talk.baud)
        driver = driver_of(talk, new_boot(heard))
    device = SerialDevice(name, port, sink, driver, pin, heard)
    parts.devices[name] = device
    parts.works[name] = device.run
    parts.statuses[name] = device.status
    parts.ears.append(device.hush)


def _add_lamps(
    parts: Parts, section: Lamps, board: Board | None, settings: Settings, sink: Sink
) -> Sink:
    """Sensors before a shuffler's lamps; gives the sink of its port, if it has one."""
    from hal.lamp_device import LampDevice

    alone = settings.shuffler is not None and settings.shuffler.port is None
    witness = LampWitness(sink)
    lamps = LampDevice(section.wiring(), sink if alone else witness.seen, board, alone)
    parts.closings.append(lamps.close)
    parts.ears.append(lamps.hush)
    name = lamps.name if alone else "lamps"
    if alone:
        parts.devices[name] = lamps
    parts.works[name] = lamps.run

    def status() -> dict[str, object]:
        return {**lamps.status(), "disagreements": witness.disagreements}

    parts.statuses[name] = lamps.status if alone else status
    return witness.said


def _add_generator(
    parts: Parts, settings: Settings, sink: Sink, faults: tuple[str, ...], history: Sequence[int]
) -> None:
    from hal.entropy import open_source
    from hal.generator import NumberGenerator

    if settings.bench is not None:
        from hal.sim.entropy import source_for

        opened = source_for(faults, DEMO_GOOD_OCTETS)
        generator = NumberGenerator(sink, opened, history=history)
    else:
        raw = settings.rng.source
        generator = NumberGenerator(sink, lambda: open_source(raw), history=history)
    parts.source = generator
    parts.works["generator"] = generator.run
    parts.statuses["rng"] = generator.status


def _add_panel(parts: Parts, settings: Settings, sink: Sink, faults: tuple[str, ...]) -> Board:
    """The panel; gives its board, of which other lines may be claimed."""
    from hal.panel import Panel as RealPanel

    assert settings.panel is not None, "only a panel that is configured is built"
    wiring = settings.panel.wiring()
    hand: HandServer | None = None
    if settings.bench is not None:
        from hal.sim.hand import HandServer

        hand = HandServer(settings.bench.hand, wiring, faults)
        parts.works["hand"] = hand.run
    panel = RealPanel(wiring, sink, None if hand is None else hand.board)
    if hand is not None:
        hand.ready()
    parts.panel = panel
    parts.works["panel"] = panel.run
    parts.statuses["panel"] = panel.status
    return panel.board


def json_of(status: Mapping[str, object]) -> Json:
    """A status of hal, whose members are texts, numbers, truths and lists of texts."""
    told: dict[str, Json] = {}
    for name, value in status.items():
        if value is None or isinstance(value, bool | int | str):
            told[name] = value
        elif isinstance(value, list):
            told[name] = [str(one) for one in value]
    return told

"""A table in an emulated machine, and around it on the host: broker, devices and people."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from controller.broker import DemoBroker
from controller.demo.audience import Audience
from controller.demo.crew import Crew
from controller.demo.dealer import Dealer
from controller.demo.floor import Floor
from controller.demo.hands import Hands, NoPanel
from controller.demo.latency import Latency
from controller.demo.stage import KEY, Stage
from controller.demo.terminal import Terminals
from controller.demo.view import View
from controller.messages import Topics
from hal.port import PortSettings
from hal.sim.device import SimDevice
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler
from hal.sim.wire import PortEnd
from tests.machine.image import BROKER_HOST, TABLE
from tests.machine.machine import Machine

GAME = "dj-wild"
# A deck of DJ Wild, and one stack of it.
CARDS = (53, 5)
SPEED = 100.0
SEED = 7


class MachineHands(Hands):
    """Fingers on the panel of a daemon in a machine."""

    def __init__(self, port: int) -> None:
        super().__init__(Path())
        self._port = port

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            try:
                self._streams = await asyncio.open_connection("127.0.0.1", self._port)
            except OSError as error:
                raise NoPanel(str(error)) from None
        return self._streams


@dataclass(slots=True)
class Around:
    """Everything around the machine."""

    machine: Machine
    view: View
    terminals: Terminals
    audience: Audience
    crew: Crew
    devices: tuple[SimDevice, SimDevice]


def table_file(home: Path, broker: DemoBroker) -> str:
    """A table's file as the demo writes it, with the paths of an installed machine."""
    Stage(home, GAME, broker.address, SPEED, SEED, ())
    text = (home / "table.toml").read_text()
    for outside, inside in (
        (f"{home}/shuffler", f"/dev/table/{TABLE}-shuffler"),
        (f"{home}/shoe", f"/dev/table/{TABLE}-shoe"),
        (f"{home}/journal.sqlite", f"/var/lib/table-controller/{TABLE}/journal.sqlite"),
        (f"{home}/seal.key", f"/var/lib/table-controller/{TABLE}/seal.key"),
        (f"{home}/hand", f"/run/table-controller/{TABLE}/hand"),
        ('host = "127.0.0.1"', f'host = "{BROKER_HOST}"\nallow_plaintext = true'),
    ):
        assert outside in text, outside
        text = text.replace(outside, inside)
    assert KEY in text
    return text


def around(machine: Machine, broker: DemoBroker) -> Around:
    """People and devices of one table; nothing runs yet."""
    ends = [PortEnd(PortSettings(f"tcp://127.0.0.1:{machine.line(name)}"))
            for name in ("shuffler", "shoe")]  # fmt: skip
    shuffler, shoe = Shuffler(ends[0], SPEED, SEED), Shoe(ends[1], SPEED, SEED + 1)
    view = View()
    terminals = Terminals(broker.address, Topics("tables", TABLE), view)
    hands = MachineHands(machine.hand_port)
    audience = Audience(broker.address, terminals, Latency(), lambda seen: None)

    async def moment(name: str) -> None:
        """Nothing strikes at a moment of the dealer's: the supply fails at any."""

    dealer = Dealer(view, terminals, hands, shuffler, shoe, CARDS, SEED, moment)
    floor = Floor(view, terminals, hands, dealer)
    crew = Crew(view, dealer, floor, lambda finished: None, lambda: False)
    return Around(machine, view, terminals, audience, crew, (shuffler, shoe))


@contextlib.asynccontextmanager
async def running(table: Around) -> AsyncIterator[None]:
    """Devices on, people at their places."""
    works = (
        *(device.run() for device in table.devices),
        table.terminals.run(),
        table.audience.subscriber.run(random.Random(SEED)),
    )
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await table.terminals.ready.wait()
        await table.audience.subscriber.ready.wait()
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

"""Devices that say what a sentence says, as frames on their line, until each is acknowledged."""

from __future__ import annotations

import asyncio

from hal.protocols.tdp1_types import KINDS
from hal.sim.device import Label, SimDevice
from hal.sim.wire import End

# Four frames 0.2 s apart make one event; a host that is busy with its disk may need more than one.
ACKNOWLEDGED_S_MAX = 120.0


class NotOnAWire(Exception):
    """No frame states this; the message says why."""


class Mouth(SimDevice):
    """Speaks by sentences, whatever its lock. It is silent about who it is until one says so."""

    def __init__(self, name: str, end: End, seed: int) -> None:
        """`name` shuffler or shoe."""
        super().__init__(end, Label("", "", ""), speed=100.0, seed=seed)
        self.name = name
        self.asked = asyncio.Event()

    def greet(self) -> None:
        """Asked for its status: a heartbeat, and its name once it has one."""
        self.asked.set()
        if self.label.make:
            super().greet()
        else:
            self._beat()

    async def say(self, kind: str, members: dict[str, object]) -> None:
        """Return when the host has it on record. Raises NotOnAWire."""
        if kind == "restarted":
            await self.reboot()
        elif kind == "identity":
            label = {"fw" if key == "firmware" else key: str(members[key]) for key in members}
            digest = label.pop("digest", "")
            self.label = Label(**label, fw_sha256=digest)
            super().greet()
        else:
            wire, fields = frame_of_fact(self.name, kind, members)
            await self.recorded(self.emit(wire, **fields))

    async def recorded(self, seq: int) -> None:
        """Wait until the host has acknowledged the event."""
        before = self.unacknowledged
        async with asyncio.timeout(ACKNOWLEDGED_S_MAX):
            while seq in self._pending:
                await asyncio.sleep(0.002)
        assert self.unacknowledged == before, f"{self.name}: the host does not acknowledge"


def frame_of_fact(
    device: str, kind: str, members: dict[str, object]
) -> tuple[str, dict[str, object]]:
    """Type and fields of the frame that states a fact. Raises NotOnAWire."""
    for wire, entry in KINDS[device].items():
        member_keys = {member: key for key, member in entry.keys.items()}
        if kind == entry.fact.TYPE and members.keys() <= member_keys.keys():
            said = {member_keys[name]: _text(value) for name, value in members.items()}
            return wire, said
    raise NotOnAWire(f"no frame of a {device} states {kind}")


def _text(value: object) -> object:
    return int(value) if isinstance(value, bool) else value

"""What simulated shuffler and shoe share: numbers, repeats, heartbeats, greetings, boots, faults.

Heartbeats and repeats keep their real times; `speed` shortens the device's own work alone.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from hal.errors import DeviceRefused
from hal.protocols.framing import Framer
from hal.protocols.members import NotUnderstood
from hal.protocols.message import NUMBERS, Junk
from hal.protocols.tdp1 import HOST, Frame, encode, frame_of
from hal.sim.wire import End, Wire

# Interfaces, section 7.
HEARTBEAT_S: Final = 0.5
REPEAT_S: Final = 0.2
REPEATS_MAX: Final = 3
# product.md, fault menu: a clock that runs slow, by as much as the host has to bear.
SLOW_CLOCK: Final = 1.025
SILENCE_S: Final = 3.0
UNPLUGGED_S: Final = 3.0
BOOT_MS: Final = 1_500
WRAP_SEQ: Final = 0xFFFC
# As long as a frame may be, and without an STX: what a boot loader prints.
BANNER: Final = b"\r\nloader 2.1\r\nmemory ok, motors ok\r\n"
# A boot is new at every start, also when a simulation is run again with its seed.
_BOOTS: Final = random.SystemRandom()


@dataclass(frozen=True, slots=True)
class Label:
    """What the device says of itself in HELLO."""

    make: str
    model: str
    serial: str
    fw: str = "1.0.0"
    fw_sha256: str = ""


class SimDevice:
    """A device that speaks TDP/1 on its wire. Drive it with the methods of its subclass."""

    name = ""

    def __init__(self, end: End, label: Label, speed: float = 1.0, seed: int = 0) -> None:
        """`speed` 10 makes a cycle of 20 s take 2 s; `seed` decides cards, boots and cruelty."""
        self.wire = Wire(end, self._heard, seed)
        self.label = label
        self.state = "IDLE"
        self.locked = False
        self.boots = 0
        self.boot = 0
        self.seq = 0
        self.acknowledged = 0
        self.unacknowledged = 0
        self._speed = speed
        self._chance = random.Random(seed + 1)
        self._armed: Counter[str] = Counter()
        self._faults: dict[str, int] = {}
        self._dark = True
        self._pending: dict[int, asyncio.TimerHandle] = {}
        self._framer = Framer()
        self._tasks: set[asyncio.Task[None]] = set()

    # ---- life ------------------------------------------------------------------------------
    async def run(self) -> None:
        """Power on and speak until cancelled."""
        pump = asyncio.get_running_loop().create_task(self.wire.run())
        try:
            # The wire must be plugged in before the first word.
            await asyncio.sleep(0)
            self._power_on()
            beating = asyncio.get_running_loop().create_task(self._beat_on())
            self._tasks.add(beating)
            done, _ = await asyncio.wait((pump, beating), return_when=asyncio.FIRST_COMPLETED)
            for ended in done:
                ended.result()
        finally:
            self._power_off()
            for task in (pump, *self._tasks):
                task.cancel()
            await asyncio.gather(pump, *self._tasks, return_exceptions=True)

    async def reboot(self) -> None:
        """Lose the supply and come back: a new boot, numbers from the start, locks forgotten."""
        self._power_off()
        await self._work(BOOT_MS)
        self._power_on()

    def _power_on(self) -> None:
        self.boots += 1
        self.boot = (self.boot + _BOOTS.randrange(1, NUMBERS)) % NUMBERS
        self.seq = WRAP_SEQ if self._is_armed("sequence-wrap") else 0
        self.locked = False
        self._dark = False
        self._on_boot()
        self.wire.spit(BANNER)
        self.greet()

    def _power_off(self) -> None:
        self._dark = True
        for repeat in self._pending.values():
            repeat.cancel()
        self._pending.clear()

    def _on_boot(self) -> None:
        """What a subclass forgets when its supply fails."""

    async def _beat_on(self) -> None:
        loop = asyncio.get_running_loop()
        due_s = loop.time()
        while True:
            due_s += HEARTBEAT_S * (SLOW_CLOCK if self._is_armed("slow-clock") else 1)
            await asyncio.sleep(due_s - loop.time())
            self._beat()

    async def _work(self, ms: int) -> None:
        await asyncio.sleep(ms / 1000 / self._speed)

    # ---- faults ----------------------------------------------------------------------------
    def arm(self, fault: str, times: int = 1) -> None:
        """Let a fault of the menu happen at its next opportunities (`hal.sim.faults` has them)."""
        self._armed[fault] += times

    def disarm(self, fault: str) -> None:
        """Take a fault back."""
        del self._armed[fault]

    def _is_armed(self, fault: str) -> bool:
        return self._armed[fault] > 0

    def _take(self, fault: str) -> bool:
        """Whether an armed fault happens now; it is used up by that."""
        if not self._is_armed(fault):
            return False
        self._armed[fault] -= 1
        return True

    async def _trouble(self) -> bool:
        """Faults that come in the middle of any work. True: the work is lost with the boot."""
        if self._take("unplug"):
            await self.wire.unplug(UNPLUGGED_S)
        if self._take("silence-then-burst"):
            self._start(self.wire.hush(SILENCE_S))
            await asyncio.sleep(0)
        if self._take("reboot-mid-round"):
            await self.reboot()
            return True
        return False

    def _start(self, work: object) -> None:
        assert asyncio.iscoroutine(work), "a coroutine runs beside the device"
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _need(self, possible: bool, why: str) -> None:
        if not possible:
            raise DeviceRefused(f"{self.name}: {why}")

    # ---- speaking --------------------------------------------------------------------------
    def emit(self, kind: str, **fields: object) -> int:
        """Say one event and repeat it until it is acknowledged; gives its number.

        Fields that are None are left out.
        """
        seq, self.seq = self.seq, (self.seq + 1) % NUMBERS
        if not self._dark:
            self._repeat(seq, self._frame(seq, kind, fields), REPEATS_MAX)
        return seq

    def fault_on(self, code: str, severity: int) -> None:
        """Raise a fault code; heartbeats count it until `fault_off`."""
        self._faults[code] = severity
        self.emit("FAULT_ON", code=code, severity=severity)

    def fault_off(self, code: str) -> None:
        """Take a fault code back."""
        self._faults.pop(code, None)
        self.emit("FAULT_OFF", code=code)

    def _repeat(self, seq: int, frame: bytes, left: int) -> None:
        self.wire.send(frame)
        if left:
            loop = asyncio.get_running_loop()
            self._pending[seq] = loop.call_later(REPEAT_S, self._repeat, seq, frame, left - 1)
        else:
            self._pending.pop(seq, None)
            self.unacknowledged += 1

    def _beat(self) -> None:
        if not self._dark:
            last = f"{(self.seq - 1) % NUMBERS:04X}"
            snapshot = {
                "state": self.state, "faults": len(self._faults), "last": last,
                "lock": int(self.locked), **self._snapshot(),
            }  # fmt: skip
            self.wire.send(self._frame(self.seq, "HB", snapshot))

    def _snapshot(self) -> dict[str, object]:
        """What a subclass adds to its heartbeat."""
        return {}

    def greet(self) -> None:
        """Say who this is and how it stands."""
        if self._dark:
            return
        label = self.label
        # A copy can print everything except what it does not know: the serial of this table's own.
        serial = "copy-1" if self._is_armed("counterfeit") else label.serial
        identity = {
            "make": label.make, "model": label.model, "serial": serial, "fw": label.fw,
            "fw_sha256": label.fw_sha256 or None,
        }  # fmt: skip
        self.wire.send(self._frame(self.seq, "HELLO", identity))
        self._beat()

    def _frame(self, seq: int, kind: str, fields: Mapping[str, object]) -> bytes:
        said = {key: str(value) for key, value in fields.items() if value is not None}
        return encode(Frame(self.name, self.boot, seq, kind, said))

    # ---- listening -------------------------------------------------------------------------
    def _heard(self, octets: bytes) -> None:
        for part in self._framer.feed(octets):
            if isinstance(part, Junk) or self._dark:
                continue
            try:
                frame = frame_of(part)
            except NotUnderstood:
                continue
            act = self._requests().get(frame.type) if frame.device == HOST else None
            if act is not None:
                act(frame)

    def _requests(self) -> dict[str, Callable[[Frame], None]]:
        return {
            "ACK": self._acknowledge,
            "STATUS": lambda _: self.greet(),
            "LOCK": lambda _: self._lock(True),
            "UNLOCK": lambda _: self._lock(False),
        }

    def _acknowledge(self, frame: Frame) -> None:
        if frame.fields.get("boot") != f"{self.boot:04X}":
            return
        try:
            seq = int(frame.fields.get("seq", ""), 16)
        except ValueError:
            return
        repeat = self._pending.pop(seq, None)
        if repeat is not None:
            repeat.cancel()
            self.acknowledged += 1

    def _lock(self, locked: bool) -> None:
        self.locked = locked
        self._beat()

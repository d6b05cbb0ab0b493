"""A shuffler or shoe on a line: link, decoder and session joined, facts to the sink.

Example:
    shoe = SerialDevice("shoe", PortSettings("/dev/serial/by-id/usb-maker-shoe"), intake.offer)
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(shoe.run())
"""

from __future__ import annotations

import asyncio
import random
import time
from functools import partial
from typing import Final

from hal.errors import AddressError
from hal.link import Link
from hal.port import PortSettings
from hal.ports import Heard, Sink
from hal.protocols import PROTOCOLS
from hal.protocols.message import NUMBERS, Driver, Message
from hal.session import (
    AcknowledgeAgain,
    AskStatus,
    DeviceSession,
    Number,
    Pin,
    Say,
    Word,
)

NS_A_MS: Final = 1_000_000


class SerialDevice:
    """Implements `hal.ports.CardDevice`. Everything but `run` is called on the loop and returns."""

    def __init__(
        self,
        name: str,
        settings: PortSettings,
        sink: Sink,
        driver: str | Driver = "tdp1",
        pin: Pin | None = None,
        resume: str | None = None,
    ) -> None:
        """`name` shuffler or shoe; `driver` by its name or itself; `pin` the configured identity;
        `resume` the last stored mark.

        Raises AddressError for a mark that cannot be read and KeyError for an unknown driver.
        """
        self.name = name
        self._sink = sink
        family = PROTOCOLS[driver] if isinstance(driver, str) else driver
        self._decoder = family.decoder(name)
        self._encoder = family.encoder(random.randrange(NUMBERS))
        self._session = DeviceSession(pin, number_of(resume), family.silence_ms_max)
        self._poll = family.poll
        self._poll_s = None if family.poll_ms is None else family.poll_ms / 1000
        self._poll_timer: asyncio.TimerHandle | None = None
        self._link = Link(settings, self, family.frame_octets_max)
        self._locked: bool | None = None
        self._heard_ms: int | None = None
        self._acknowledged = 0
        self._timer: asyncio.TimerHandle | None = None
        self._timer_ms = 0

    # ---- hal.ports.CardDevice --------------------------------------------------------------
    async def run(self) -> None:
        """Open, listen and re-open until cancelled."""
        self._session.listen(_now_ms())
        self._arm()
        try:
            await self._link.run()
        finally:
            self._stop_asking()
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def lock(self, locked: bool) -> None:
        """Hold the device locked or unlocked, from now on and after every re-open or reboot."""
        if locked != self._locked:
            self._locked = locked
            self._send_lock()

    def hush(self) -> None:
        """Hear the device no more; acknowledgements and locks still go out. Before an end."""
        self._link.hush()

    def status(self) -> dict[str, object]:
        """Counters since the start; times in ms, `last_heard_ms` None before the first octet."""
        line, session = self._link.counters, self._session
        return {
            "link": "up" if session.up else "down",
            "open": self._link.is_open,
            "deaf": self._link.deaf,
            "error": self._link.last_error,
            **session.counters,
            "noise": session.junk.total_octets,
            "acknowledged": self._acknowledged,
            "opens": line.opens,
            "losses": line.losses,
            "failures": line.failures,
            "octets_in": line.octets_in,
            "octets_out": line.octets_out,
            "writes_dropped": line.writes_dropped,
            "write_stalls": line.write_stalls,
            "last_heard_ms": None if self._heard_ms is None else _now_ms() - self._heard_ms,
        }

    # ---- hal.link.Listener -----------------------------------------------------------------
    def opened(self) -> None:
        """The port is open: ask who is there, and say how it is to be held."""
        self._session.port_opened()
        self._write(self._encoder.ask_status())
        self._send_lock()
        self._ask_again()

    def received(self, octets: bytes, mono_ns: int) -> None:
        """Octets came."""
        self._heard_ms = mono_ns // NS_A_MS
        self._hear(self._decoder.feed(octets), mono_ns)

    def idled(self, mono_ns: int) -> None:
        """The line fell silent."""
        self._hear(self._decoder.line_idle(), mono_ns)

    def lost(self, why: str, mono_ns: int) -> None:
        """The port is gone, and with it what was half read."""
        self._stop_asking()
        self._hear(self._decoder.line_idle(), mono_ns)
        self._act(self._session.port_lost(mono_ns // NS_A_MS), mono_ns)

    # ---- between session and sink ----------------------------------------------------------
    def _hear(self, messages: list[Message], mono_ns: int) -> None:
        self._act(self._session.hear(messages, mono_ns // NS_A_MS), mono_ns)
        self._arm()

    def _act(self, words: list[Word], mono_ns: int) -> None:
        for word in words:
            if isinstance(word, Say):
                self._say(word, mono_ns)
            elif isinstance(word, AcknowledgeAgain):
                self._acknowledge(word.number)
            elif isinstance(word, AskStatus):
                self._write(self._encoder.ask_status())
                self._send_lock()
            elif word.locked != self._locked:
                self._send_lock()

    def _say(self, word: Say, mono_ns: int) -> None:
        number = word.number
        if number is None:
            self._sink(Heard(self.name, word.fact, mono_ns))
        else:
            receipt = partial(self._receipt, number)
            self._sink(Heard(self.name, word.fact, mono_ns, receipt, mark_of(number)))

    def _receipt(self, number: Number) -> None:
        """The event is durable: the device may stop repeating it."""
        if self._session.made_durable(number):
            self._acknowledge(number)

    def _acknowledge(self, number: Number) -> None:
        self._acknowledged += 1
        self._write(self._encoder.acknowledge(number.boot, number.seq))

    def _send_lock(self) -> None:
        if self._locked is not None:
            self._write(self._encoder.hold_locked(self._locked))

    def _write(self, octets: bytes) -> None:
        """What the device knows no request for is b""."""
        if octets:
            self._link.write(octets)

    # ---- time ------------------------------------------------------------------------------
    def _ask_again(self) -> None:
        """Ask a device that says nothing by itself, as long as its port is open."""
        if self._poll_s is not None:
            loop = asyncio.get_running_loop()
            self._poll_timer = loop.call_later(self._poll_s, self._ask_now)

    def _ask_now(self) -> None:
        self._write(self._poll)
        self._ask_again()

    def _stop_asking(self) -> None:
        if self._poll_timer is not None:
            self._poll_timer.cancel()
            self._poll_timer = None

    def _arm(self) -> None:
        """One timer for the earliest thing due; a later one is found when this one rings."""
        due_ms = self._session.due_ms()
        if due_ms is None or (self._timer is not None and self._timer_ms <= due_ms):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_ms = due_ms
        delay_s = max(due_ms - _now_ms(), 0) / 1000
        self._timer = asyncio.get_running_loop().call_later(delay_s, self._ring)

    def _ring(self) -> None:
        self._timer = None
        mono_ns = time.monotonic_ns()
        try:
            self._act(self._session.tick(mono_ns // NS_A_MS), mono_ns)
        except Exception as error:  # noqa: BLE001 - handed to run(), which raises it
            self._link.fail(error)
        self._arm()


def mark_of(number: Number) -> str:
    """An event's number as text: `1A2B:0007`."""
    return f"{number.boot:04X}:{number.seq:04X}"


def number_of(mark: str | None) -> Number | None:
    """The number that `mark_of` wrote. Raises AddressError for anything else."""
    if mark is None:
        return None
    boot, _, seq = mark.partition(":")
    try:
        number = Number(int(boot, 16), int(seq, 16))
    except ValueError:
        raise AddressError(f"{mark!r}: expected a mark such as 1A2B:0007") from None
    if mark_of(number) != mark or not all(0 <= part < NUMBERS for part in number):
        raise AddressError(f"{mark!r}: expected a mark such as 1A2B:0007")
    return number


def new_boot(resume: str | None) -> int:
    """A boot for a device that numbers nothing itself, 0..65535, other than that of `resume`.

    Under the old one its first events would pass for repeats of those on record.
    """
    before = number_of(resume)
    boot = random.randrange(NUMBERS)
    return boot if before is None or boot != before.boot else (boot + 1) % NUMBERS


def _now_ms() -> int:
    return time.monotonic_ns() // NS_A_MS

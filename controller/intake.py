"""The one door: everything that happened, stamped and in one order, in a queue that cannot grow."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from controller.clock import Clock
from controller.core.inputs import Overrun
from controller.journal.answer import Answer
from hal.ports import Heard

# Four seconds of two devices that babble at 512 frames a second each; some 1 MB of memory.
WAITING_INPUTS_MAX = 4096
# Of these, so that clock and system are heard when devices flood: timers, services, stop.
RESERVED_INPUTS = 128
# A burst of 200 commands is to be answered; a flood of them must not crowd out the devices.
WAITING_COMMANDS_MAX = 512
# What is still decided at the end, beside the turns that wait for the disk already: one batch. A
# table in play has a handful waiting (faults T06: 5 s for all of the end).
ENDING_INPUTS_MAX = 64


@dataclass(frozen=True, slots=True)
class Waiting:
    """One input before it has a number, with whom to tell once it is durable."""

    at_ms: int
    mono_ms: int
    clock_synchronised: bool
    source: str
    by: str | None
    item: object
    command: str | None = None
    receipt: Callable[[], None] | None = None
    answer: Callable[[Answer], None] | None = None
    mark: str | None = None


class Intake:
    """Belongs to the event loop: every method is called on it, and none waits but `take`."""

    def __init__(self, clock: Clock) -> None:
        self.clock_synchronised = False
        self.lost = 0
        self._clock = clock
        # An entry that is a number stands for inputs lost at that point.
        self._queue: deque[Waiting | int] = deque()
        self._commands = 0
        self._filled = asyncio.Event()
        self._closed = False

    def __len__(self) -> int:
        return len(self._queue)

    @property
    def closed(self) -> bool:
        """Whether the last input has been offered."""
        return self._closed

    def offer(self, heard: Heard) -> None:
        """A fact of hardware: the sink of devices, panel and generator.

        Where the queue is full it is counted as lost, has no receipt, and one `Overrun` follows.
        """
        if self._has_room(RESERVED_INPUTS):
            mono_ms = heard.mono_ns // 1_000_000
            self._put(
                heard.source, None, heard.fact, mono_ms, receipt=heard.receipt, mark=heard.mark
            )

    def offer_item(self, source: str, item: object) -> None:
        """What clock or system say; may use the reserve."""
        if self._has_room(0):
            self._put(source, None, item, self._mono_ms())

    def offer_command(
        self,
        source: str,
        by: str | None,
        item: object,
        command_id: str | None,
        answer: Callable[[Answer], None],
    ) -> bool:
        """A person's command. `answer` is called once: when its fate is durable, or here at once
        with `busy` and False returned, where too many wait."""
        if self._closed or self._commands >= WAITING_COMMANDS_MAX or self._full(RESERVED_INPUTS):
            answer(Answer("busy", reason="too many commands are waiting; send it again"))
            return False
        self._commands += 1
        self._put(source, by, item, self._mono_ms(), command=command_id, answer=answer)
        return True

    def stamp(self, source: str, item: object) -> Waiting:
        """An input of clock or system with its stamps, for whoever needs it ahead of the queue."""
        return self._stamped(source, None, item, self._mono_ms())

    def close(self, last: object) -> None:
        """Offer `last` as the system's word and take nothing after it.

        Of a flood only the oldest ENDING_INPUTS_MAX are still decided. No receipt was given for the
        others, so their device has them still; they are counted in an `Overrun` all the same, since
        one that does not listen says nothing twice. Their commands are told `busy`.
        """
        if not self._closed:
            self._let_go_beyond(ENDING_INPUTS_MAX)
            self._put("system", None, last, self._mono_ms())
            self._closed = True

    async def take(self, most: int) -> list[Waiting]:
        """Wait for inputs; at most `most`, in the order of their arrival."""
        while not self._queue:
            self._filled.clear()
            await self._filled.wait()
        return self.take_now(most)

    def take_now(self, most: int) -> list[Waiting]:
        """What waits already; at most `most`."""
        taken: list[Waiting] = []
        while self._queue and len(taken) < most:
            entry = self._queue.popleft()
            if isinstance(entry, int):
                entry = self.stamp("system", Overrun(entry))
            elif entry.answer is not None:
                self._commands -= 1
            taken.append(entry)
        return taken

    def _let_go_beyond(self, most: int) -> None:
        lost, unheard = 0, []
        while len(self._queue) > most:
            entry = self._queue.pop()
            if isinstance(entry, int):
                lost += entry
            elif entry.answer is None:
                lost += 1
                self.lost += 1
            else:
                self._commands -= 1
                unheard.append(entry.answer)
        if lost:
            self._queue.append(lost)
        for answer in reversed(unheard):
            answer(Answer("busy", reason="the table is ending; send it again"))

    def _full(self, reserved: int) -> bool:
        return len(self._queue) >= WAITING_INPUTS_MAX - reserved

    def _has_room(self, reserved: int) -> bool:
        if self._closed:
            return False
        if not self._full(reserved):
            return True
        self.lost += 1
        if self._queue and isinstance(self._queue[-1], int):
            self._queue[-1] += 1
        else:
            self._queue.append(1)
        return False

    def _put(
        self,
        source: str,
        by: str | None,
        item: object,
        mono_ms: int,
        *,
        command: str | None = None,
        receipt: Callable[[], None] | None = None,
        answer: Callable[[Answer], None] | None = None,
        mark: str | None = None,
    ) -> None:
        self._queue.append(self._stamped(source, by, item, mono_ms, command, receipt, answer, mark))
        self._filled.set()

    def _stamped(
        self,
        source: str,
        by: str | None,
        item: object,
        mono_ms: int,
        command: str | None = None,
        receipt: Callable[[], None] | None = None,
        answer: Callable[[Answer], None] | None = None,
        mark: str | None = None,
    ) -> Waiting:
        at_ms = self._clock.wall_ms()
        synchronised = self.clock_synchronised
        return Waiting(
            at_ms, mono_ms, synchronised, source, by, item, command, receipt, answer, mark
        )

    def _mono_ms(self) -> int:
        return self._clock.mono_ns() // 1_000_000

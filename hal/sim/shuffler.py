"""A simulated shuffler: real cards in a chamber, cycles that take their time, and ways to fail.

Example:
    shuffler = Shuffler(PtyEnd(Path("/tmp/shuffler")), speed=20)
    await shuffler.load("A", 53)
    assert await shuffler.cycle() == "ok"
    cards = await shuffler.eject()
"""

from __future__ import annotations

from typing import Final, Literal

from hal.sim.device import Label, SimDevice
from hal.sim.wire import End

Ending = Literal["ok", "aborted", "incomplete", "jam", "stopped", "restarted"]

# One-deck machines need 20 to 25 s; the worked days of interfaces, section 2 have 22.
CYCLE_MS: Final = 22_000
EJECT_MS: Final = 1_500
# product.md, fault menu: jam with three cards in the path; sixteen cards left inside.
JAM_CARDS: Final = 3
RESIDUE_CARDS: Final = 16
LABEL: Final = Label("Bench", "Shuffler-1", "SH-0001")


class Shuffler(SimDevice):
    """One batch in the chamber; what comes out is what went in, unless a fault took or gave."""

    name = "shuffler"

    def __init__(
        self, end: End, speed: float = 1.0, seed: int = 0, label: Label = LABEL, counts: bool = True
    ) -> None:
        """`counts`: it counts each cycle and says the number."""
        super().__init__(end, label, speed, seed)
        self.cards = 0
        self.batch = ""
        self.cycles = 0
        self._counts = counts
        self._lamp = "green"

    async def load(self, batch: str, cards: int) -> None:
        """Put a batch in. Raises DeviceRefused while one is inside."""
        self._need(self.state == "IDLE", "a batch is inside")
        # What an earlier ejection left inside is shuffled in.
        self.cards += cards
        self.batch = batch
        self.state = "LOADED"
        self.emit("LOAD", batch=batch)

    async def cycle(
        self, mode: str = "shuffle", cards: int | None = None, ms: int = CYCLE_MS
    ) -> Ending:
        """Run one cycle; gives how it ended. `cards` sets what is really inside, before it starts.

        Raises DeviceRefused when locked, empty or jammed.
        """
        self._need(not self.locked, "locked")
        self._need(self.state in ("LOADED", "STORED"), f"cannot start while {self.state}")
        if self._take("never-started"):
            # The dealer believes it ran: nothing was said, nothing was moved.
            self.state = "STORED"
            return "ok"
        self.cards = self.cards if cards is None else cards
        self.cards += int(self._take("long-deck")) - int(self._take("short-deck"))
        mode = "sort" if self._take("sort-mode") else mode
        self.cycles += 1
        self.state = "SHUFFLING"
        self.emit("SHUF_START", cycle=self.cycles, mode=mode)
        await self._work(ms * 6 // 10)
        broken = await self._break_off(mode)
        if broken is not None:
            return broken
        await self._work(ms * 4 // 10)
        return self._end(mode)

    async def _break_off(self, mode: str) -> Ending | None:
        if await self._trouble():
            return "restarted"
        if self._take("shuffler-jam"):
            self.jam()
            return "jam"
        if self._take("shuffler-stop"):
            self.stop()
            return "stopped"
        if self._take("incomplete-cycle"):
            self._say_end(mode, "incomplete")
            self.state = "LOADED"
            return "incomplete"
        return None

    def _end(self, mode: str) -> Ending:
        if self._take("foreign-back"):
            self.fault_on("foreign_back", 4)
        self.lamp("red" if self._take("red-lamp-says-ok") else "green")
        self._say_end(mode, "ok")
        self.state = "STORED"
        return "ok"

    def _say_end(self, mode: str, result: str) -> None:
        count = self.cards if self._counts else None
        self.emit(
            "SHUF_END", cycle=self.cycles, mode=mode, result=result, count=count, batch=self.batch
        )

    async def eject(self) -> int:
        """Give the batch out; gives the cards in hand. Raises DeviceRefused if locked or empty."""
        self._need(not self.locked, "locked")
        self._need(self.state in ("LOADED", "STORED"), f"cannot eject while {self.state}")
        await self._work(EJECT_MS)
        left = min(RESIDUE_CARDS, self.cards) if self._take("residue") else 0
        out = self.cards - left
        self.cards = left
        self.state = "IDLE"
        self.emit("EJECT", batch=self.batch, cards=out if self._counts else None)
        if left:
            self.emit("RESIDUE", cards=left)
        return out

    def jam(self, zone: str = "carousel", cards: int = JAM_CARDS) -> None:
        """Cards are stuck."""
        self.state = "JAMMED"
        self.emit("JAM", zone=zone, cards=cards)
        self.lamp("red")

    def stop(self) -> None:
        """The motors stop."""
        self.state = "HALTED"
        self.emit("STOP")
        self.lamp("red")

    async def clear(self) -> None:
        """A person opens, frees the path and closes: the cycle under way is aborted."""
        self._need(self.state in ("JAMMED", "HALTED"), "nothing to clear")
        jammed = self.state == "JAMMED"
        self.door(True)
        await self._work(EJECT_MS)
        self.door(False)
        if jammed:
            self.emit("JAM_CLR")
        self._say_end("shuffle", "aborted")
        self.lamp("green")
        self.state = "LOADED"

    def take_out(self) -> int:
        """A person takes all cards out by hand, left-overs included; nothing is said."""
        out, self.cards, self.state = self.cards, 0, "IDLE"
        return out

    def door(self, is_open: bool) -> None:
        """Open or close the door."""
        self.emit("DOOR", open=int(is_open))

    def lamp(self, colour: str) -> None:
        """Light the lamp; said when it changes."""
        if colour != self._lamp:
            self._lamp = colour
            self.emit("LAMP", colour=colour)

    def _on_boot(self) -> None:
        self.state = "LOADED" if self.cards else "IDLE"
        self._lamp = "green"

    def _snapshot(self) -> dict[str, object]:
        return {"cards": self.cards, "lamp": self._lamp}

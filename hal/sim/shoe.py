"""A simulated shoe: stacks or single cards out of a real number of cards, and ways to fail.

Examples, stack by stack and card by card:
    shoe = Shoe(PtyEnd(Path("/tmp/shoe")), speed=20)
    await shoe.load(53, "A")
    assert await shoe.dispense(5) == "ok"
    left = await shoe.remainder()

    await shoe.load(312, "A", cover_from_bottom=78)
    assert await shoe.draw() == 1
"""

from __future__ import annotations

from typing import Final, Literal

from hal.sim.device import Label, SimDevice
from hal.sim.pack import RANKS, SUITS, Card, shuffled
from hal.sim.wire import End

Ending = Literal["ok", "jam", "stopped", "incomplete", "restarted"]

CARD_MS: Final = 250
REMAINDER_MS: Final = 800
LOAD_MS: Final = 500
JAM_CARDS: Final = 2
# Drawn this early, a cover card is never where the procedure puts it.
EARLY_COVER_CARDS: Final = 10
LABEL: Final = Label("Bench", "Shoe-1", "SO-0001")


class Shoe(SimDevice):
    """Gives out stacks (`dispense`) or cards (`draw`); never more than it has."""

    name = "shoe"

    def __init__(
        self, end: End, speed: float = 1.0, seed: int = 0, label: Label = LABEL,
        counts: bool = True, reads: bool = False,
    ) -> None:  # fmt: skip
        """`counts`: it knows how many cards are loaded and left; `reads`: it reads cards that are
        drawn face up.

        `dealt` counts cards since it was made, `drawn` since the load. An eye at the table sees
        `boxed` cards and cover cards (`covers`) come out, and what is exposed of the cards that
        were drawn since the load (`out`).
        """
        super().__init__(end, label, speed, seed)
        self.cards = 0
        self.stacks = 0
        self.drawn = 0
        self.dealt = 0
        self.boxed = 0
        self.covers = 0
        self.out: list[Card] = []
        self._counts = counts
        self._reads = reads
        self._pack: list[Card] = []
        self._cover_at: int | None = None

    async def load(
        self, cards: int, batch: str | None = None, cover_from_bottom: int | None = None
    ) -> None:
        """Put a stack in. `cover_from_bottom`: cards below the cover card, if one is in it."""
        await self._work(LOAD_MS)
        self.cards += cards
        self.stacks = self.drawn = 0
        self.out = []
        self._pack = shuffled(self.cards, self._chance)
        self._cover_at = None if cover_from_bottom is None else cards - cover_from_bottom
        if self._take("cover-card-early"):
            self._cover_at = EARLY_COVER_CARDS
        if self._take("cover-card-never"):
            self._cover_at = None
        self.state = "READY"
        self.emit("LOADED", cards=self.cards if self._counts else None, batch=batch)

    # ---- stacks ----------------------------------------------------------------------------
    async def dispense(self, cards: int) -> Ending:
        """Give out the next stack; gives how it ended. Raises DeviceRefused when locked or jammed.

        `draw-while-locked` lets it happen in spite of a lock.
        """
        self._need(not self.locked or self._take("draw-while-locked"), "locked")
        self._need(self.state == "READY", f"cannot deal while {self.state}")
        cards += int(self._take("long-stack")) - int(self._take("short-stack"))
        self._need(self.cards >= cards, f"{self.cards} cards left of {cards} asked for")
        await self._work(CARD_MS * cards)
        # A round has begun to be dealt before it can fail to be dealt completely.
        broken = await self._break_off() if self.stacks else None
        if broken is not None:
            return broken
        self._show_boxed_cards(cards)
        self._give(cards)
        return "ok"

    def _give(self, cards: int) -> None:
        self.stacks += 1
        self.cards -= cards
        self.drawn += cards
        self.dealt += cards
        self.emit("STACK", n=self.stacks, cards=cards)

    async def _break_off(self) -> Ending | None:
        if await self._trouble():
            return "restarted"
        if self._take("shoe-jam"):
            self.jam()
            return "jam"
        if self._take("shoe-stop"):
            self.stop()
            return "stopped"
        if self._take("not-all-dealt"):
            self.state = "HALTED"
            self.emit("NOT_ALL", stacks=self.stacks)
            return "incomplete"
        return None

    def _show_boxed_cards(self, cards: int) -> None:
        """Cards that lie face up in the stack pass the sensor as such."""
        boxed = 2 if self._take("face-up-two") else int(self._take("face-up-one"))
        for offset in range(min(boxed, cards)):
            self.boxed += 1
            self._say_draw(self.drawn + 1 + offset, "up", *self._some_card())

    async def take_stack(self) -> None:
        """The dealer takes the stack from the mouth."""
        self._need(self.stacks > 0, "no stack is out")
        self.emit("STACK_TAKEN", n=self.stacks)

    async def remainder(self) -> int:
        """The cards left are taken out; gives how many."""
        await self._work(REMAINDER_MS)
        if self._take("overdraw") and self.cards:
            self._give(1)
        left, self.cards, self.stacks = self.cards, 0, 0
        self.state = "IDLE"
        self.emit("REMOVED", cards=left if self._counts else None)
        return left

    # ---- single cards ----------------------------------------------------------------------
    async def draw(
        self, face: str = "down", rank: str | None = None, suit: str | None = None
    ) -> int:
        """One card, face up where it is exposed at once; gives how many are out since the load,
        no more than before where a fault came between.

        Raises DeviceRefused when locked or empty.
        """
        self._need(not self.locked or self._take("draw-while-locked"), "locked")
        self._need(self.state == "READY" and self.cards > 0, "no card to draw")
        await self._work(CARD_MS)
        # As with stacks: something was dealt before the deal can fail.
        if self.drawn and await self._break_off() is not None:
            return self.drawn
        if self._take("face-up-two"):
            self.arm("face-up-one", 2)
        for _ in range(min(2 if self._take("overdraw") else 1, self.cards)):
            self._draw_one(face, rank, suit)
        if not self.cards:
            self.empty()
        return self.drawn

    async def rest(self, face: str = "down") -> int:
        """The hand leaves the shoe after the last card of a round; gives how many slipped after
        it, as `overdraw` has it."""
        slipped = int(self.cards > 0 and self._take("overdraw"))
        if slipped:
            self._draw_one(face, None, None)
        return slipped

    def _draw_one(self, face: str, rank: str | None, suit: str | None) -> None:
        if self._cover_at == self.drawn:
            self._cover_at = None
            self.covers += 1
            self.emit("CUTCARD")
        self.cards -= 1
        self.drawn += 1
        self.dealt += 1
        self.out.append(self._pack.pop())
        if self._take("face-up-one"):
            self.boxed += 1
            face = "up"
        if face == "up" and self._reads and rank is None:
            rank, suit = self.out[-1]
        self._say_draw(self.drawn, face, rank, suit)

    def _say_draw(self, index: int, face: str, rank: str | None, suit: str | None) -> None:
        self.emit("DRAW", idx=index, face=face, rank=rank, suit=suit)

    def _some_card(self) -> tuple[str, str]:
        return self._chance.choice(RANKS), self._chance.choice(SUITS)

    def empty(self) -> None:
        """All cards are out."""
        self.cards = self.stacks = 0
        self.state = "IDLE"
        self.emit("EMPTY")

    # ---- trouble ---------------------------------------------------------------------------
    def jam(self, zone: str = "exit", cards: int = JAM_CARDS) -> None:
        """Cards are stuck."""
        self.state = "JAMMED"
        self.emit("JAM", zone=zone, cards=cards)

    def stop(self) -> None:
        """The motors stop."""
        self.state = "HALTED"
        self.emit("STOP")

    async def clear(self) -> None:
        """A person opens the lid, frees the path and closes it."""
        self._need(self.state in ("JAMMED", "HALTED"), "nothing to clear")
        jammed = self.state == "JAMMED"
        self.lid(True)
        await self._work(REMAINDER_MS)
        self.lid(False)
        if jammed:
            self.emit("JAM_CLR")
        self.state = "READY" if self.cards else "IDLE"

    def lid(self, is_open: bool) -> None:
        """Open or close the lid."""
        self.emit("LID", open=int(is_open))

    def _on_boot(self) -> None:
        self.state = "READY" if self.cards else "IDLE"
        # The hazard of a restart: stacks are counted from one again.
        self.stacks = 0

    def _snapshot(self) -> dict[str, object]:
        return {"cards": self.cards, "stacks": self.stacks}

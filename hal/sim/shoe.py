"""A simulated shoe: stacks or single cards out of a real number of cards, and ways to fail.

Example:
    shoe = Shoe(PtyEnd(Path("/tmp/shoe")), speed=20)
    await shoe.load(53, "A")
    assert await shoe.dispense(5) == "ok"
    left = await shoe.remainder()
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from hal.facts import Rank, Suit
from hal.sim.device import Label, SimDevice
from hal.sim.wire import End

Ending = Literal["ok", "jam", "stopped", "incomplete", "restarted"]

CARD_MS: Final = 250
REMAINDER_MS: Final = 800
LOAD_MS: Final = 500
JAM_CARDS: Final = 2
# Drawn this early, a cover card is never where the procedure puts it.
EARLY_COVER_CARDS: Final = 10
LABEL: Final = Label("Bench", "Shoe-1", "SO-0001")
RANKS: Final = tuple(rank for rank in get_args(Rank) if rank != "joker")
SUITS: Final = get_args(Suit)


class Shoe(SimDevice):
    """Gives out stacks (`dispense`) or cards (`draw`); never more than it has."""

    name = "shoe"

    def __init__(
        self, end: End, speed: float = 1.0, seed: int = 0, label: Label = LABEL, counts: bool = True
    ) -> None:
        """`counts`: it knows how many cards are loaded and left.

        `dealt` counts cards in stacks since it was made, `drawn` since the load.
        """
        super().__init__(end, label, speed, seed)
        self.cards = 0
        self.stacks = 0
        self.drawn = 0
        self.dealt = 0
        self._counts = counts
        self._cover_at: int | None = None

    async def load(
        self, cards: int, batch: str | None = None, cover_from_bottom: int | None = None
    ) -> None:
        """Put a stack in. `cover_from_bottom`: cards below the cover card, if one is in it."""
        await self._work(LOAD_MS)
        self.cards += cards
        self.stacks = self.drawn = 0
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
        """One card; gives its number since the load. Raises DeviceRefused when locked or empty."""
        self._need(not self.locked or self._take("draw-while-locked"), "locked")
        self._need(self.state == "READY" and self.cards > 0, "no card to draw")
        await self._work(CARD_MS)
        for _ in range(min(2 if self._take("overdraw") else 1, self.cards)):
            if self._cover_at == self.drawn:
                self._cover_at = None
                self.emit("CUTCARD")
            self.cards -= 1
            self.drawn += 1
            self._say_draw(self.drawn, face, rank, suit)
        if not self.cards:
            self.empty()
        return self.drawn

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

"""The simulated dealer at a shoe: the cut, the cover card, the burn, and cards one by one."""

from __future__ import annotations

import asyncio
import random

from controller.core.seats import DEALER as DEALER_PLACE
from controller.core.seats import Place
from controller.demo.dealer import BROKEN, HEARD_S_MAX, LOOK_S, SEATS, Act, Dealer, Moment
from controller.demo.hands import Hands
from controller.demo.play import ShoeGame
from controller.demo.stage import DEALER
from controller.demo.terminal import Terminals
from controller.demo.view import TableView, View
from controller.messages import Json
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler

PLAYERS = 3
# Often enough that a short demo shows a refused cut and both ways to state one.
REFUSES = 0.3
STATES_DEPTH = 0.5
# Of both games: as many cards at least on either side of a cut.
CUT_CARDS_MIN = 10
# A table that sees more than it should says so within a few ms.
NOTICED_S = 0.5


class ShoeDealer(Dealer):
    """One person at Blackjack or Minibaccarat."""

    def __init__(
        self, view: View, terminals: Terminals, hands: Hands, shuffler: Shuffler, shoe: Shoe,
        cards: tuple[int, int], seed: int, moment: Moment, game: ShoeGame,
    ) -> None:  # fmt: skip
        """`cards`: of a batch, and of them how many lie above the cover card."""
        super().__init__(view, terminals, hands, shuffler, shoe, cards, seed, moment)
        self._above_cover = cards[1]
        self._game = game
        # Apart from the seats: what players ask for must not move with how often a cut is refused.
        self._people = random.Random(seed + 1)
        self._last_batch: str | None = None
        self._covers = 0
        self._cover_is_out = False
        self._round = 0
        self._first = 0

    async def act(self, state: TableView) -> None:
        """As any dealer, with an eye on which batch lies in the shoe."""
        self._last_batch = state.batch_at("shoe") or self._last_batch
        gone = state.batch_at("removed")
        if gone is not None and gone == self._last_batch:
            # A new deck was never played: it is its turn again.
            self._last_batch = next((one for one in self._game.batches if one != gone), None)
        await super().act(state)

    def _acts(self) -> dict[str, Act]:
        return {
            **super()._acts(),
            "cut": self._offer_cut,
            "cover": self._cover_either,
            "burn": self._burn,
            "round_done": self._play,
        }

    # ---- from the shuffler to the shoe ---------------------------------------------------------
    def _batch_due(self) -> str:
        """Each of two batches is used for every second shoe."""
        return next(
            (name for name in self._game.batches if name != self._last_batch),
            self._game.batches[0],
        )

    async def _shuffle(self, state: TableView) -> None:
        if not state.occupied:
            for seat in self._people.sample(SEATS, PLAYERS):
                await self._terminals.send(DEALER, "player_arrived", seat=seat)
        await super()._shuffle(state)

    async def _close_bets(self, state: TableView) -> None:
        """Not before the shuffler is at work on the batch that is not played."""
        others = len(self._game.batches) > 1 and state.methods.shuffle == "device"
        if not (others and await self._mix()):
            await super()._close_bets(state)

    async def _offer_cut(self, state: TableView) -> None:
        """Who is asked stands in the prompt; some refuse, some cuts are told with their depth."""
        last = state.prompt.text.split()[-1]
        seat = int(last) if last.isdecimal() else None
        if seat is not None and self._people.random() < REFUSES:
            await self._terminals.send(DEALER, "cut_refused", seat=seat)
        elif self._people.random() < STATES_DEPTH:
            depth = self._people.randint(CUT_CARDS_MIN, self._batch_cards - CUT_CARDS_MIN)
            cutter = DEALER_PLACE if seat is None else seat
            await self._terminals.send(DEALER, "cut_made", cutter=cutter, from_top=depth)
        else:
            await self._hands.press("done")

    async def _cover_either(self, state: TableView) -> None:
        """Two steps are called so: a failed device is covered, and the cover card goes in."""
        if state.uncovered:
            await self._cover(state)
        else:
            await self._terminals.send(DEALER, "cover_inserted", from_bottom=self._below_cover())

    def _below_cover(self) -> int:
        return self._batch_cards - self._above_cover

    async def _load(self, state: TableView) -> None:
        await self._empty_shoe()
        await self._shoe.load(self._batch_cards, self._batch_due(), self._below_cover())
        self._covers, self._cover_is_out = self._shoe.covers, False
        await self.view.until(lambda now: now.step != "load", HEARD_S_MAX)

    async def _burn(self, state: TableView) -> None:
        """The first card, and as many more as it asks for, go to the rack."""
        shoe, game = self._shoe, self._game
        if not shoe.drawn:
            await shoe.draw(game.face)
        first = shoe.out[0][0]
        if game.exposes_first:
            await self._terminals.send(DEALER, "first_card", rank=first)
        while shoe.drawn < game.burned(first):
            await shoe.draw()
        await self._see_cover(DEALER_PLACE)
        # The shoe shuts when the table has counted them.
        await self.view.until(
            lambda now: now.device_locks.get("shoe", False) or now.step != "burn", HEARD_S_MAX
        )
        await self._terminals.send(DEALER, "burned", cards=game.burned(first))

    # ---- round ---------------------------------------------------------------------------------
    def _bonuses(self, seats: list[int]) -> dict[str, Json]:
        return {}

    async def _deal_too_early(self) -> None:
        await self._shoe.draw(self._game.face)
        await self.view.until(lambda now: now.step != "no_more_bets", HEARD_S_MAX)

    async def _play(self, state: TableView) -> None:
        """Draw card after card until the hands are complete or the table says something else."""
        if self._round != state.round.number:
            self._round, self._first = state.round.number, self._shoe.drawn
            self._game.begin(state.round.seats)
        await self._moment("deal")
        if self._shoe.state in BROKEN:
            await self._shoe.clear()
        while self._game.draws_another(self._ranks()):
            if not await self._draw_one():
                return
        await self._moment("last_card")
        if await self._shoe.rest(self._game.face):
            await self._see_surplus()
        elif await self._is_counted() and not await self._miss_cover():
            await self._hands.press("round_done")

    def _ranks(self) -> list[str]:
        """The cards of this round, as they lie on the table."""
        return [rank for rank, _ in self._shoe.out[self._first :]]

    async def _draw_one(self) -> bool:
        """One card to its place; False where the shoe gives none or the table stops the deal."""
        before = self._shoe.drawn
        await self._shoe.draw(self._game.face)
        if self._shoe.drawn == before:
            return False
        await self._see_cover(self._game.place(before - self._first))
        if self._shoe.boxed > self._boxed:
            await self._tell_boxed()
            await self._until_stopped()
        await self._moment("stack")
        return self._is_playing()

    async def _see_cover(self, where: Place) -> None:
        if self._shoe.covers > self._covers:
            self._covers, self._cover_is_out = self._shoe.covers, True
            await self._terminals.send(DEALER, "cover_card_out", where=where)

    async def _miss_cover(self) -> bool:
        """Whoever put the cover card in knows when it should have come out again, calls once, and
        waits for the floorperson before the round ends."""
        if self._cover_is_out or self._shoe.drawn <= self._above_cover:
            return False
        self._cover_is_out = True
        reason = "the cover card did not come out"
        return await self._terminals.send(DEALER, "call_floor", reason=reason)

    async def _see_surplus(self) -> None:
        """One card too many lies there; a table that cannot know it is told."""
        if not await self._until_stopped(NOTICED_S):
            exposed = self._game.face == "up"
            await self._terminals.send(DEALER, "drawn_in_error", exposed=exposed)
            await self._until_stopped()

    async def _is_counted(self) -> bool:
        """Whether the table has heard of every card and still lets play end."""
        cards = self._shoe.drawn - self._first
        await asyncio.sleep(LOOK_S)
        await self.view.until(
            lambda now: now.round.cards >= cards or now.step != "round_done", HEARD_S_MAX
        )
        return self._is_playing()

    def _is_playing(self) -> bool:
        return self.view.state is not None and self.view.state.step == "round_done"

    async def _until_stopped(self, seconds: float = HEARD_S_MAX) -> bool:
        return await self.view.until(lambda now: now.step != "round_done", seconds)

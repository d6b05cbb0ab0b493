"""The simulated dealer: reads the prompt, moves cards between the devices, presses the buttons."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from controller.demo.hands import Hands
from controller.demo.stage import DEALER
from controller.demo.terminal import Terminals
from controller.demo.view import TableView, View
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler

BATCH = "A"
BROKEN = ("JAMMED", "HALTED")
# A device's word is with the table within a few ms; a lost frame is repeated three times in 0.6 s.
HEARD_S_MAX = 2.5
# A locked device is tried again after so long.
LOCKED_S = 0.1
# The wire is emptied within this before a person looks at what came out.
LOOK_S = 0.02

Moment = Callable[[str], Awaitable[None]]


class Dealer:
    """One person at the table. `moment` is told `shuffle`, `deal` and `stack` as they come."""

    def __init__(
        self, view: View, terminals: Terminals, hands: Hands, shuffler: Shuffler, shoe: Shoe,
        cards: tuple[int, int], seed: int, moment: Moment,
    ) -> None:  # fmt: skip
        """`cards`: of the whole batch and of one hand."""
        self.view = view
        self.careless = False
        self.boxed = 0
        self._terminals = terminals
        self._hands = hands
        self._shuffler = shuffler
        self._shoe = shoe
        self._batch_cards, self._stack_cards = cards
        self._chance = random.Random(seed)
        self._moment = moment
        self._tried_panel = 0
        self._left = 0
        self._rest = 0
        self._shaker_is_out = False

    async def act(self, state: TableView) -> None:
        """Do what the prompt asks of the dealer, once. Raises NoAnswer, NoPanel, DeviceRefused."""
        acts: dict[str, Callable[[TableView], Awaitable[None]]] = {
            "inspect": self._inspect,
            "shuffle": self._shuffle,
            "load": self._load,
            "no_more_bets": self._close_bets,
            "start_position": self._find_start,
            "deal": self._deal,
            "remainder": self._take_remainder,
            "extra_card": self._place_extra,
            "stub": self._count_stub,
            "misdeal": self._count_all,
            "deck_counted": self._count_deck,
            "round_done": self._finish,
            "cover": self._cover,
        }
        confirmed = ("cut", "raises_closed", "bonuses_settled", "wagers_returned")
        if state.step in acts:
            await acts[state.step](state)
        elif state.step in confirmed:
            await self._hands.press("done")

    async def take_everything_out(self) -> None:
        """Every card comes out of both devices: the deck leaves the table, or the chamber is
        looked into."""
        await self._empty_shoe()
        if self._shuffler.state in BROKEN:
            await self._shuffler.clear()
        self._shuffler.take_out()

    async def _inspect(self, state: TableView) -> None:
        if state.dealer is None:
            await self._terminals.send(DEALER, "sign_in", dealer=DEALER)
        await self._hands.press("done")

    # ---- shuffle and load ----------------------------------------------------------------------
    async def _shuffle(self, state: TableView) -> None:
        """One step on the way from the rack to a shuffled stack."""
        if state.methods.shuffle == "manual":
            await self._hands.press("done")
            return
        await self._empty_shoe()
        device = self._shuffler
        if device.state in BROKEN:
            await device.clear()
        elif device.state == "IDLE":
            await self._moment("shuffle")
            await device.load(BATCH, self._batch_cards - device.cards)
        elif device.state == "LOADED":
            await self._run_cycle()
        elif device.state == "STORED":
            await device.eject()
            if self.careless:
                self.careless = False
                await self._shoe.load(self._batch_cards, BATCH)
        else:
            await asyncio.sleep(LOCKED_S)

    async def _run_cycle(self) -> None:
        await self._shuffler.cycle()
        # What the lamp of the table says of it is read before the cards come out.
        await self.view.until(lambda state: not state.device("shuffler").running, HEARD_S_MAX)

    async def _empty_shoe(self) -> None:
        if self._shoe.state in BROKEN:
            await self._shoe.clear()
        if self._shoe.cards:
            await self._shoe.remainder()

    async def _load(self, state: TableView) -> None:
        await self._empty_shoe()
        await self._shoe.load(self._batch_cards, BATCH)

    # ---- round ---------------------------------------------------------------------------------
    async def _close_bets(self, state: TableView) -> None:
        """By the seat buttons in one round, at the terminal with bonus wagers in the next."""
        self.boxed = self._left = 0
        seats = sorted(self._chance.sample(range(1, 7), self._chance.randint(2, 4)))
        if state.round.number % 2 and self._tried_panel != state.round.number:
            self._tried_panel = state.round.number
            for seat in seats:
                await self._hands.press(f"seat_{seat}")
            await self._hands.press("no_more_bets")
            return
        trips = [seat for seat in seats if self._chance.random() < 0.5]
        await self._terminals.send(
            DEALER, "no_more_bets", seats=[*seats], progressive=[seats[0]], trips=[*trips]
        )

    async def _find_start(self, state: TableView) -> None:
        if state.methods.start == "rng":
            await self._hands.press("rng")
            # The number comes from the generator's thread, the digit after its record.
            await self.view.until(lambda now: now.step != "start_position", HEARD_S_MAX)
            return
        if self._shaker_is_out:
            await self._terminals.send(DEALER, "shaker_reset")
        await self._terminals.send(DEALER, "shaken", times=3)
        values = [self._chance.randint(1, 6) for _ in range(3)]
        self._shaker_is_out = await self._terminals.send(DEALER, "dice", values=[*values])

    async def _deal(self, state: TableView) -> None:
        """Let the shoe give stack after stack until every hand is out or the table says stop."""
        await self._moment("deal")
        hands = len(state.round.order)
        if self._shoe.state in BROKEN:
            await self._shoe.clear()
        for _ in range(state.round.dealt, hands):
            ending = await self._dispense()
            if ending != "ok":
                break
            await self._moment("stack")
            now = self.view.state
            if now is not None and now.step != "deal":
                break
        await self.view.until(lambda now: now.step != "deal", HEARD_S_MAX)

    async def _dispense(self) -> str:
        ending = await self._shoe.dispense(self._stack_cards)
        if ending == "ok":
            await self._shoe.take_stack()
            await asyncio.sleep(LOOK_S)
            while self.boxed > self._left:
                self._left += 1
                await self._hands.press("card_up")
        return ending

    async def _take_remainder(self, state: TableView) -> None:
        self._rest = await self._shoe.remainder()

    async def _place_extra(self, state: TableView) -> None:
        await self._hands.press("done")

    async def _count_stub(self, state: TableView) -> None:
        """The cards in hand: what came out, less the extra card and each that replaced a boxed."""
        cards = self._rest - int(state.round.extra) - state.round.face_up
        await self._terminals.send(DEALER, "stub", cards=cards)

    async def _count_all(self, state: TableView) -> None:
        await self._terminals.send(DEALER, "misdeal", misdealt=True, total=self._batch_cards)

    async def _count_deck(self, state: TableView) -> None:
        await self._terminals.send(DEALER, "deck_counted", cards=self._batch_cards)

    async def _finish(self, state: TableView) -> None:
        await self._hands.press("round_done")

    async def _cover(self, state: TableView) -> None:
        for name in ("shuffler", "shoe"):
            if state.device(name).state == "uncovered":
                await self._terminals.send(DEALER, "covered", device=name, how="cover")

"""The simulated dealer: reads the prompt, moves cards between the devices, presses the buttons."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from controller.demo.hands import Hands
from controller.demo.stage import DEALER
from controller.demo.terminal import Terminals
from controller.demo.view import TableView, View
from controller.messages import Json
from hal.sim.faults import lift
from hal.sim.shoe import Shoe
from hal.sim.shuffler import Shuffler

FIRST_BATCH = "A"
BROKEN = ("JAMMED", "HALTED")
# A device's word is with the table within a few ms; a lost frame is repeated three times in 0.6 s.
HEARD_S_MAX = 2.5
# A locked device is tried again after so long.
LOCKED_S = 0.1
# The wire is emptied within this before a person looks at what came out.
LOOK_S = 0.02

SEATS = range(1, 7)

Moment = Callable[[str], Awaitable[None]]
Act = Callable[[TableView], Awaitable[None]]
CONFIRMED = ("cut", "stack", "raises_closed", "bonuses_settled", "wagers_returned")


class Dealer:
    """One person at the table. `moment` is told the moments of `controller.demo.faults` as they
    come; `careless` and `hasty` say what this person does wrong at the next opportunity."""

    def __init__(
        self, view: View, terminals: Terminals, hands: Hands, shuffler: Shuffler, shoe: Shoe,
        cards: tuple[int, int], seed: int, moment: Moment,
    ) -> None:  # fmt: skip
        """`cards`: of the whole batch and of one stack."""
        self.view = view
        self.careless = False
        self.hasty = False
        self._terminals = terminals
        self._hands = hands
        self._shuffler = shuffler
        self._shoe = shoe
        self._batch_cards, self._stack_cards = cards
        self._chance = random.Random(seed)
        self._moment = moment
        self._tried_panel = 0
        self._boxed = 0
        self._dealt_in = self._dealt = 0
        self._rest = 0
        self._shaker_is_out = False

    async def act(self, state: TableView) -> None:
        """Do what the prompt asks of the dealer, once. Raises NoAnswer, NoPanel, DeviceRefused."""
        act = self._acts().get(state.step)
        if act is not None:
            await act(state)
        elif state.step in CONFIRMED:
            await self._hands.press("done")

    def _acts(self) -> dict[str, Act]:
        """By the step that is prompted."""
        return {
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

    async def take_everything_out(self) -> None:
        """Every card comes out of both devices: the deck leaves the table, or the chamber is
        looked into."""
        await self._empty_shoe()
        if self._shuffler.state in BROKEN:
            await self._shuffler.clear()
        self._shuffler.take_out()

    def put_back(self) -> None:
        """The table's own devices are plugged in again where strangers answered."""
        for device in (self._shuffler, self._shoe):
            lift(device)
            device.greet()

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
        if await self._mix():
            return
        if self._shuffler.state != "STORED":
            await asyncio.sleep(LOCKED_S)
            return
        await self._shuffler.eject()
        if self.careless:
            self.careless = False
            await self._shoe.load(self._batch_cards, self._batch_due())

    async def _mix(self) -> bool:
        """One step of the shuffler's work; whether there was one to do."""
        device = self._shuffler
        if device.state in BROKEN:
            await device.clear()
        elif device.state == "IDLE":
            await self._moment("shuffle")
            await device.load(self._batch_due(), self._batch_cards - device.cards)
        elif device.state == "LOADED":
            await self._run_cycle()
        else:
            return False
        return True

    def _batch_due(self) -> str:
        """The batch that is shuffled and loaded next."""
        return FIRST_BATCH

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
        await self._shoe.load(self._batch_cards, self._batch_due())

    # ---- round ---------------------------------------------------------------------------------
    async def _close_bets(self, state: TableView) -> None:
        """By the seat buttons in one round, at the terminal with bonus wagers in the next."""
        await self._moment("bets")
        if self.hasty:
            self.hasty = False
            await self._deal_too_early()
            return
        self._boxed = self._shoe.boxed
        seats = sorted(self._chance.sample(SEATS, self._chance.randint(2, 4)))
        if state.round.number % 2 and self._tried_panel != state.round.number:
            self._tried_panel = state.round.number
            for seat in seats:
                await self._hands.press(f"seat_{seat}")
            await self._hands.press("no_more_bets")
            return
        await self._terminals.send(DEALER, "no_more_bets", seats=[*seats], **self._bonuses(seats))

    def _bonuses(self, seats: list[int]) -> dict[str, Json]:
        trips: list[Json] = [seat for seat in seats if self._chance.random() < 0.5]
        return {"progressive": [seats[0]], "trips": trips}

    async def _deal_too_early(self) -> None:
        """Try the shoe although it is locked, and stand aback where it gives something."""
        await self._shoe.dispense(self._stack_cards)
        await self.view.until(lambda now: now.step != "no_more_bets", HEARD_S_MAX)

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
        if self._dealt_in != state.round.number:
            self._dealt_in, self._dealt = state.round.number, 0
        # What lies on the table counts, also where a slow disk has not shown it yet.
        for _ in range(max(state.round.dealt, self._dealt), hands):
            ending = await self._dispense()
            if ending != "ok":
                break
            self._dealt += 1
            await self._moment("stack")
            now = self.view.state
            if now is not None and now.step != "deal":
                break
        await self.view.until(lambda now: now.step != "deal", HEARD_S_MAX)

    async def _dispense(self) -> str:
        ending = await self._shoe.dispense(self._stack_cards)
        if ending == "ok":
            await self._shoe.take_stack()
            await self._tell_boxed()
        return ending

    async def _tell_boxed(self) -> bool:
        """A press for each card that lies face up; whether there was one."""
        await asyncio.sleep(LOOK_S)
        found = self._shoe.boxed > self._boxed
        while self._shoe.boxed > self._boxed:
            self._boxed += 1
            await self._hands.press("card_up")
        return found

    async def _take_remainder(self, state: TableView) -> None:
        await self._moment("last_card")
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
        for name in state.uncovered:
            await self._terminals.send(DEALER, "covered", device=name, how="cover")

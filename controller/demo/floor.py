"""The simulated floorperson: opens and closes, answers what the table asks, takes the alarms."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.demo.dealer import FIRST_BATCH, Dealer
from controller.demo.hands import Hands
from controller.demo.stage import FLOOR
from controller.demo.terminal import Terminals
from controller.demo.view import Hold, TableView, View

# What a cautious floorperson picks, where nothing below says otherwise.
USUAL = ("return_to_service", "resume", "void", "reshuffle", "remove_deck", "continue", "discard")
# Where the record or a look at the table settles the question.
BY_CODE = {
    "digit": "continue",
    "shoe_lost": "continue",
    "count_mismatch": "remove_deck",
    "shoe_silent": "continue",
    "drawn_in_error": "use_next",
}
LINK_S_MAX = 8.0
# What a device missed while it was away is known this long after it came back (0.8 s of repeats).
MISSED_S = 1.0
HEARD_S_MAX = 1.0
# The daemon looks at its disk every 10 s.
RECORD_S_MAX = 12.0


class Floor:
    """One person beside the table."""

    def __init__(
        self, view: View, terminals: Terminals, hands: Hands, dealer: Dealer,
        make_room: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """`make_room`: what is deleted where the disk is full."""
        self._make_room = make_room
        self._view = view
        self._terminals = terminals
        self._hands = hands
        self._dealer = dealer

    async def act(self, state: TableView) -> bool:
        """Do what waits for the floor; False where nothing does. Raises NoAnswer, NoPanel."""
        if state.unacknowledged:
            await self._free_buttons(state)
            for alarm in state.unacknowledged:
                await self._terminals.send(FLOOR, "acknowledge", alarm=alarm, note="seen")
            await self._come(state)
            return True
        step = state.step
        if step == "decide":
            await self._decide(state)
        elif step == "confirm_void":
            await self._hands.turn_key()
        elif step == "check":
            await self._terminals.send(FLOOR, "feathered", even=True)
        elif step == "new_deck":
            await self._dealer.take_everything_out()
            batch = state.batch_at("removed") or FIRST_BATCH
            await self._terminals.send(
                FLOOR, "new_deck", batch=batch, ids=[f"deck-{state.sequence}"]
            )
        elif step == "open":
            await self._terminals.send(FLOOR, "open")
        else:
            return await self._look_after_devices(state)
        return True

    async def _free_buttons(self, state: TableView) -> None:
        """A button that stuck is named in the alarm's text; somebody lifts it."""
        for alarm in state.alarms.values():
            if alarm.code == "panel.stuck" and alarm.acknowledged_by is None:
                await self._hands.let_go(alarm.text.split()[1])

    async def _come(self, state: TableView) -> None:
        """A dealer who calls doubts the shoe: it is shuffled when the round is over. Where the
        disk is full, somebody makes room."""
        for alarm in state.alarms.values():
            if alarm.code == "storage":
                self._make_room()
            if alarm.code == "floor_called" and alarm.acknowledged_by is None:
                await self._terminals.send(FLOOR, "order_shuffle", reason=alarm.text)

    async def verify(self) -> None:
        """The dealer has inspected the cards: look at them too."""
        await self._terminals.send(FLOOR, "opening_verified")

    async def close(self) -> None:
        """The demo's day is over."""
        await self._terminals.send(FLOOR, "close")

    async def _decide(self, state: TableView) -> None:
        if any(one.code == "identity_changed" for one in state.holds):
            self._dealer.put_back()
        if any(state.device(name).link == "down" for name in ("shuffler", "shoe")):
            both = ("shuffler", "shoe")
            await self._view.until(
                lambda now: all(now.device(name).link == "up" for name in both), LINK_S_MAX
            )
            await asyncio.sleep(MISSED_S)
        # What cannot be recorded cannot be decided either.
        await self._view.until(lambda now: now.recording, RECORD_S_MAX)
        state = self._view.state or state
        if state.holds and state.recording:
            one = state.holds[0]
            choice = choice_of(one, state)
            await self._terminals.send(
                FLOOR, "decide", hold=one.id, choice=choice, reason="looked at the table"
            )

    async def _look_after_devices(self, state: TableView) -> bool:
        if state.step == "cover" and state.uncovered:
            await self._dealer.act(state)
            for name in state.uncovered:
                await self._terminals.send(FLOOR, "covered", device=name, how="cover")
            return True
        if state.round.open:
            return await self._replace_generator(state)
        if state.device("shuffler").residue and state.device("shuffler").state != "covered":
            await self._terminals.send(
                FLOOR, "declare_unusable", device="shuffler", reason="cards were left inside"
            )
            return True
        if state.device("shuffler").state == "covered":
            await self._dealer.take_everything_out()
            await self._terminals.send(
                FLOOR, "return_to_service", device="shuffler", chamber_empty=True
            )
            return True
        if state.step == "no_more_bets" and state.device("shoe").state == "fault":
            await self._terminals.send(FLOOR, "return_to_service", device="shoe")
            return True
        return await self._replace_generator(state)

    async def _replace_generator(self, state: TableView) -> bool:
        """A generator out of service is replaced by the shaker."""
        out = not state.device("rng").in_service
        waiting = state.step in ("start_position", "no_more_bets")
        if not (out and waiting and state.methods.start == "rng"):
            return False
        return await self._terminals.send(
            FLOOR, "set_method", step="start", method="shaker", reason="generator out of service"
        )


def choice_of(one: Hold, state: TableView) -> str:
    """What this floorperson answers to a hold."""
    wanted = BY_CODE.get(one.code)
    if wanted in one.choices and not _cards_went_unseen(state):
        return str(wanted)
    return next((choice for choice in USUAL if choice in one.choices), one.choices[0])


def _cards_went_unseen(state: TableView) -> bool:
    return any(one.code == "facts_missing" for one in state.holds)

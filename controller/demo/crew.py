"""Dealer and floorperson at work: look at the table, do one thing, look again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from controller.demo.dealer import Dealer
from controller.demo.floor import Floor
from controller.demo.hands import NoPanel
from controller.demo.terminal import NoAnswer
from controller.demo.view import TableView, View
from hal.errors import DeviceRefused

# A press or a frame shows within a few ms, a lost frame is repeated for 0.6 s; on a machine that
# is busy with other things all of it takes longer, and a second press would be one too many.
SHOWN_S_MAX = 2.5
AGAIN_S = 0.1
# Of real time without a step forward: a silent device takes 3 s, a new start of the source 5 s.
STUCK_S_MAX = 40.0
# What a fault must show may take its time, in rounds (the end of a shoe of five, twice) and in
# seconds (a disk is looked at every 10 s, once full and once with room again): both are given.
ROUNDS_MORE_MAX = 12
MORE_S_MAX = 25.0

# A shoe lasts several rounds: its table may close with cards in it.
CLOSING = ("shuffle", "no_more_bets")


class Stuck(Exception):
    """The people do not get on: the message says at which prompt."""


class Crew:
    """Plays until `rounds` are over and the table is closed again."""

    def __init__(
        self, view: View, dealer: Dealer, floor: Floor, progress: Callable[[int], None],
        is_down: Callable[[], bool], is_waiting: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        """`progress` is told how many rounds are over, as that changes; `is_down`: the daemon has
        ended, and nobody asked it to; `is_waiting`: something that the rounds are played for has
        not come yet, so a few more are played."""
        self._is_down = is_down
        self._is_waiting = is_waiting
        self._progress = progress
        self._view = view
        self._dealer = dealer
        self._floor = floor
        self.finished = 0
        self._over_s: float | None = None

    async def play(self, rounds: int) -> None:
        """Open, play and close. Raises Stuck."""
        loop = asyncio.get_running_loop()
        moved_s, last = loop.time(), ""
        while True:
            state = await self._look(loop.time() - moved_s)
            finished = state.round.number - int(state.round.open)
            if finished != self.finished:
                self.finished = finished
                self._progress(finished)
            round_ = state.round
            now = f"{round_.number} {round_.dealt} {round_.cards} {state.step}"
            if now != last:
                moved_s, last = loop.time(), now
            if state.phase == "closed" and self.finished >= rounds:
                return
            version = self._view.version
            try:
                await self._one_thing(state, rounds)
            except (NoAnswer, NoPanel, DeviceRefused):
                # The table is down or a device locked: a person waits and looks again.
                await asyncio.sleep(AGAIN_S)
                continue
            await self._view.changed(version, SHOWN_S_MAX)

    async def _look(self, waited_s: float) -> TableView:
        if self._is_down():
            raise Stuck("the daemon has ended by itself")
        if waited_s > STUCK_S_MAX:
            step = self._view.state.prompt.text if self._view.state else "no state is published"
            raise Stuck(f"nobody gets on: {step}")
        await self._view.until(lambda state: True, STUCK_S_MAX)
        if self._view.state is None:
            raise Stuck("the table publishes no state")
        return self._view.state

    async def _one_thing(self, state: TableView, rounds: int) -> None:
        may_close = state.is_between_rounds and state.step in CLOSING
        if may_close and self._is_enough(rounds, asyncio.get_running_loop().time()):
            await self._floor.close()
        elif not await self._floor.act(state):
            if not state.recording:
                # Everything is locked until the record can be written again.
                await asyncio.sleep(AGAIN_S)
                return
            await self._dealer.act(state)
            if state.phase == "opening":
                # That cards were inspected changes no level: nothing is shown to wait for.
                await asyncio.sleep(AGAIN_S)
                await self._floor.verify()

    def _is_enough(self, rounds: int, now_s: float) -> bool:
        if self.finished < rounds:
            return False
        self._over_s = now_s if self._over_s is None else self._over_s
        many = self.finished >= rounds + ROUNDS_MORE_MAX and now_s >= self._over_s + MORE_S_MAX
        return many or not self._is_waiting()

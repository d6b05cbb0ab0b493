"""Lets the faults of a demo strike, one a round, and remembers from which event on to look."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from controller.broker import DemoBroker
from controller.demo.audience import Audience, Envelope
from controller.demo.dealer import Dealer
from controller.demo.demands import Demand, unmet
from controller.demo.faults import FAULTS, OF_THE_BENCH, Fault
from controller.demo.stage import Stage
from controller.demo.terminal import Terminals
from controller.demo.view import View
from hal.sim import faults as menu

# Long enough that every heartbeat of a device and a reconnection fall into it.
AWAY_S = 1.5
# Nobody sees a new state meanwhile: a dealer who waits 2.5 s for one must still cause an event.
REFUSED_S = 5.0
# Between the stalls that were measured on cards (faults T02): longer than any patience of the
# people here, shorter than a command's.
SLOW_S = 3.0
BETWEEN_ROUNDS = ("shuffle", "bets")
# Real time within which a table is back after a power cut, on a slow machine.
BACK_S_MAX = 20.0


@dataclass(slots=True)
class Strike:
    """One fault of this demo; `since` the last sequence before it, `round` that it struck in."""

    name: str
    fault: Fault
    since: int | None = None
    round: int = 0
    lifted: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """What became of a fault: `missing` in words, empty where all is as demanded."""

    name: str
    shown: tuple[str, ...]
    missing: str


class Strikes:
    """Told of each moment by the dealer; a fault waits until the last one's round is over."""

    def __init__(
        self, names: list[str], stage: Stage, view: View, terminals: Terminals,
        audience: Audience, broker: DemoBroker | None, dealer: Dealer,
    ) -> None:  # fmt: skip
        """`broker` is one that may be stopped; the `dealer` overlooks what a fault needs."""
        self._strikes = [Strike(name, FAULTS[name]) for name in names]
        self._stage = stage
        self._view = view
        self._terminals = terminals
        self._audience = audience
        self._broker = broker
        self._dealer = dealer
        self.power_cuts = 0
        self._later: asyncio.Task[None] | None = None

    def at_start(self) -> None:
        """Before anything runs: what devices and panel bring along."""
        for strike in self._strikes:
            if strike.fault.moment == "start":
                strike.since = 0
                if strike.name not in OF_THE_BENCH:
                    self._apply(strike)

    async def moment(self, moment: str) -> None:
        """A moment of the dealer's work, named as in `Fault.moment`."""
        number = 0 if self._view.state is None else self._view.state.round.number
        if moment in ("shuffle", "bets"):
            self._lift(number)
        due = next((one for one in self._strikes if one.since is None), None)
        busy = any(one.since is not None and one.round == number for one in self._struck())
        # The first round is played in peace, so that the fault has something to disturb.
        if due is None or due.fault.moment != moment or busy or number < 1:
            return
        if moment not in BETWEEN_ROUNDS and number < 2:
            return
        due.since, due.round = self._audience.last, number
        await self._strike(due)

    async def _strike(self, due: Strike) -> None:
        if due.name == "power-cut":
            await self.cut_power()
        elif due.name == "broker-away":
            await self._take_broker_away()
        elif due.name == "broker-refuses":
            assert self._broker is not None, "only a broker of the demo's own is told to refuse"
            self._later = asyncio.create_task(self._refuse_for_a_while(self._broker))
        elif due.name == "disk-slow":
            self._later = asyncio.create_task(self._slow_for_a_while())
        elif due.name == "disk-full":
            self._stage.disk.fill(True)
        else:
            self._apply(due)

    def left(self) -> list[str]:
        """Faults that never struck."""
        return [one.name for one in self._strikes if one.since is None]

    def findings(self, game: str) -> list[Finding]:
        """What the events show of each fault."""
        return [self._finding(one, game) for one in self._strikes]

    def is_waiting(self, game: str) -> bool:
        """Whether a fault has something to show yet; what must not have come will not go away."""
        return any(one.since is None or self._unmet(one, game) for one in self._strikes)

    def _struck(self) -> list[Strike]:
        return [one for one in self._strikes if one.since is not None and one.round]

    def _apply(self, strike: Strike) -> None:
        for device in (self._stage.shuffler, self._stage.shoe):
            if device.name in strike.fault.devices:
                menu.apply(strike.name, device)
        if strike.name in ("sort-mode", "never-started"):
            self._dealer.careless = True
        if strike.name == "draw-while-locked":
            self._dealer.hasty = True

    def _lift(self, number: int) -> None:
        for strike in self._struck():
            if strike.fault.lasts_a_round and not strike.lifted and number > strike.round:
                strike.lifted = True
                menu.lift(self._stage.shuffler)
                menu.lift(self._stage.shoe)

    async def cut_power(self) -> None:
        """The supply fails in the middle of the deal; it comes back at once."""
        self.power_cuts += 1
        await self._stage.kill_daemon()
        self._terminals.give_up()
        self._view.forget()
        await self._stage.start_daemon()
        before = self._audience.last
        await self._view.until(lambda state: state.sequence > before, BACK_S_MAX)

    async def _take_broker_away(self) -> None:
        """The broker goes; the shoe deals on, and nobody sees it until the broker is back."""
        assert self._broker is not None, "only a broker of the demo's own is taken away"
        await self._broker.stop()
        self._later = asyncio.create_task(self._bring_back(self._broker))

    async def _bring_back(self, broker: DemoBroker) -> None:
        await asyncio.sleep(AWAY_S)
        await broker.start()

    async def _refuse_for_a_while(self, broker: DemoBroker) -> None:
        """Its administrator takes the right to write away, and gives it back."""
        broker.refuse_events(True)
        await asyncio.sleep(REFUSED_S)
        broker.refuse_events(False)

    async def _slow_for_a_while(self) -> None:
        """No write comes back for as long as a bad card takes."""
        self._stage.disk.make_slow(True)
        await asyncio.sleep(SLOW_S)
        self._stage.disk.make_slow(False)

    def _finding(self, strike: Strike, game: str) -> Finding:
        demands = strike.fault.demanded(game)
        shown = tuple(str(one) for one in demands)
        if strike.since is None:
            return Finding(strike.name, shown, "it never struck")
        first = self._unmet(strike, game)
        if first is not None:
            return Finding(strike.name, shown, f"no {first}")
        events = self._events_since(strike)
        wrong = [str(one["type"]) for one in events if one["type"] in strike.fault.forbidden]
        alone = len(self._strikes) == 1
        return Finding(strike.name, shown, f"{wrong[0]} came" if wrong and alone else "")

    def _unmet(self, strike: Strike, game: str) -> Demand | None:
        return unmet(strike.fault.demanded(game), self._events_since(strike))

    def _events_since(self, strike: Strike) -> list[Envelope]:
        since = 0 if strike.since is None else strike.since
        return [one for number, one in sorted(self._audience.events.items()) if number > since]

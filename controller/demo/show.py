"""One demo from the first heartbeat to the summary: joins stage, people, audience and faults."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from config.loader import load
from config.profiles import profile_document
from controller.broker import DemoBroker, demo_broker
from controller.broker_address import BrokerAddress
from controller.broker_port import BrokerAway
from controller.core.profile import profile_of
from controller.demo.audience import Audience
from controller.demo.crew import Crew, Stuck
from controller.demo.dealer import Dealer
from controller.demo.faults import OF_THE_BENCH
from controller.demo.floor import Floor
from controller.demo.hands import Hands
from controller.demo.latency import Latency
from controller.demo.stage import TABLE, Stage
from controller.demo.strikes import Strikes
from controller.demo.summary import Summary, check_journal, check_replay, check_seals
from controller.demo.terminal import Terminals
from controller.demo.view import View
from controller.errors import EXIT_UNREACHABLE, UserError
from controller.messages import Topics
from controller.subscriber import Seen

# A cycle of 22 s takes 0.2 s: short beside the presses, long beside a heartbeat's jitter.
SPEED = 100.0
READY_S_MAX = 20.0
# The last events are on their way when the table is closed.
TAIL_S_MAX = 5.0
# What is missing after this long was lost, and is asked for; the answer may be lost as well.
ON_THE_WAY_S = 1.0
ASKS_MAX = 5
# Some ten seconds of play.
PROGRESS_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for. `broker` None: one of the demo's own."""

    game: str
    rounds: int
    faults: tuple[str, ...]
    seed: int
    speed: float = SPEED
    broker: BrokerAddress | None = None
    keep: Path | None = None


@dataclass(slots=True)
class _Cast:
    stage: Stage
    view: View
    terminals: Terminals
    hands: Hands
    latency: Latency
    audience: Audience
    crew: Crew
    strikes: Strikes


async def perform(wish: Wish, show: Callable[[Seen], None], tell: Callable[[str], None]) -> Summary:
    """Play the demo. `show` gets each event, `tell` a line on what goes on.

    Raises NoBroker, and UserError where a broker that was named cannot be used.
    """
    loop = asyncio.get_running_loop()
    began_s = loop.time()
    async with AsyncExitStack() as stack:
        home = wish.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="demo-")))
        own: DemoBroker | None = None
        address = wish.broker
        if address is None:
            own = await stack.enter_async_context(demo_broker())
            address = own.address
            tell(f"broker: {own.kind} on {address.shown}")
        cast = _cast(wish, home, address, own, show, tell)
        summary = Summary(wish.game, wish.seed)
        trouble, code = await _play(wish, cast, tell)
        summary.checks["play"] = trouble
        # Without --keep the log goes with its directory; its last lines were told below.
        where = f"see {cast.stage.log}" if wish.keep else "--keep DIR leaves its whole log"
        summary.checks["daemon"] = "" if code == 0 else f"ended with {code}; {where}"
        if trouble or code:
            tell(_tail_of(cast.stage.log))
        await asyncio.to_thread(_judge, wish, cast, summary)
    summary.seconds = loop.time() - began_s
    return summary


def _cast(
    wish: Wish, home: Path, address: BrokerAddress, own: DemoBroker | None,
    show: Callable[[Seen], None], tell: Callable[[str], None],
) -> _Cast:  # fmt: skip
    document, _ = profile_document(wish.game)
    profile = profile_of(document)
    bench = [name for name in wish.faults if name in OF_THE_BENCH]
    stage = Stage(home, wish.game, address, wish.speed, wish.seed, bench)
    setup = load(stage.config).setup()
    view = View()
    terminals = Terminals(address, Topics("tables", TABLE), view)
    hands = Hands(stage.hand)
    latency = Latency()
    audience = Audience(address, terminals, latency, show)
    told: list[Strikes] = []

    async def moment(name: str) -> None:
        for strikes in told:
            await strikes.moment(name)

    dealer = Dealer(
        view, terminals, hands, stage.shuffler, stage.shoe,
        (setup.batch_cards, profile.deal.stack_cards.value), wish.seed, moment,
    )  # fmt: skip

    def careless() -> None:
        dealer.careless = True

    def left(octets: bytes, at_ns: int) -> None:
        frame = latency.left(octets, at_ns)
        if frame is not None and frame.type == "DRAW" and frame.fields.get("face") == "up":
            dealer.boxed += 1

    stage.shuffler.wire.watch = stage.shoe.wire.watch = left
    strikes = Strikes(list(wish.faults), stage, view, terminals, audience, own, careless)
    told.append(strikes)

    def progress(finished: int) -> None:
        if finished % PROGRESS_ROUNDS == 0:
            tell(f"{finished} of {wish.rounds} rounds are over")

    floor = Floor(view, terminals, hands, dealer)

    def unmet() -> bool:
        return any(one.missing for one in strikes.findings(wish.game))

    crew = Crew(view, dealer, floor, progress, stage.daemon_has_ended, unmet)
    return _Cast(stage, view, terminals, hands, latency, audience, crew, strikes)


async def _play(wish: Wish, cast: _Cast, tell: Callable[[str], None]) -> tuple[str, int]:
    """Everything that runs, from the first word to the last; what went wrong, and the exit code."""
    trouble = ""
    async with _running(cast, wish):
        try:
            await _settle(cast)
            tell(f"table {TABLE}: {wish.game} with {', '.join(wish.faults) or 'no fault'}")
            await cast.crew.play(wish.rounds)
            await _catch_up(cast)
        except Stuck as stuck:
            trouble = str(stuck)
        code = await cast.stage.stop_daemon()
        await _last_events(cast)
    return trouble, code


@contextlib.asynccontextmanager
async def _running(cast: _Cast, wish: Wish) -> AsyncIterator[None]:
    """Devices on, subscriber listening before the daemon speaks; all off at the end."""
    stage = cast.stage
    cast.strikes.at_start()
    jitter = random.Random(wish.seed)
    tasks = [
        asyncio.create_task(work, name=name)
        for name, work in (
            ("shuffler", stage.shuffler.run()),
            ("shoe", stage.shoe.run()),
            ("terminals", cast.terminals.run()),
            ("audience", cast.audience.subscriber.run(jitter)),
        )
    ]
    ready = asyncio.create_task(cast.audience.subscriber.ready.wait())
    try:
        await asyncio.wait(
            (ready, *tasks), timeout=READY_S_MAX, return_when=asyncio.FIRST_COMPLETED
        )
        if not ready.done():
            raise UserError(_why(tasks), EXIT_UNREACHABLE)
        await stage.start_daemon()
        yield
    finally:
        ready.cancel()
        cast.hands.close()
        await stage.stop_daemon()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, ready, return_exceptions=True)


def _why(tasks: list[asyncio.Task[None]]) -> str:
    for task in tasks:
        error = task.exception() if task.done() and not task.cancelled() else None
        if isinstance(error, BrokerAway):
            return f"broker: {error}"
    return "the broker does not take a subscription"


async def _settle(cast: _Cast) -> None:
    """Wait until the table is served and both devices are heard. Raises Stuck."""
    both = ("shuffler", "shoe")
    heard = await cast.view.until(
        lambda state: (
            all(state.device(name).link == "up" for name in both)
            and all(name in state.devices for name in both)
        ),
        READY_S_MAX,
    )
    if not heard:
        raise Stuck("the daemon does not serve the table")


async def _catch_up(cast: _Cast) -> None:
    """A broker that went away may have swallowed events: the surveillance room asks for them."""
    for _ in range(ASKS_MAX):
        shown = cast.view.state
        told = 0 if shown is None else shown.sequence
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ON_THE_WAY_S):
                await cast.audience.until(told)
                return
        await cast.audience.ask_again(told)


async def _last_events(cast: _Cast) -> None:
    """Wait for the tail of the record, which is longer than what was shown last."""
    report, _ = await asyncio.to_thread(check_journal, cast.stage.journal)
    if report is None:
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TAIL_S_MAX):
            await cast.audience.until(report.events)


def _judge(wish: Wish, cast: _Cast, summary: Summary) -> None:
    """Fill the summary from what was received and what is on record."""
    audience, counts = cast.audience, cast.audience.counts
    ledger = audience.subscriber.ledger
    report, summary.checks["journal"] = check_journal(cast.stage.journal)
    summary.checks["seals"] = check_seals(cast.stage.journal, cast.stage.public_key())
    summary.checks["replay"] = check_replay(cast.stage.journal, load(cast.stage.config).setup())
    recorded = 0 if report is None else report.events
    summary.checks["every event once"] = _received(recorded, ledger.reached(audience.journal))
    summary.checks["chain at the subscriber"] = (
        f"{ledger.problems} events do not fit" if ledger.problems else ""
    )
    summary.rounds = counts["round.completed"] + counts["round.voided"]
    if summary.rounds < wish.rounds:
        summary.checks["rounds"] = f"{wish.rounds} were asked for"
    summary.voided = counts["round.voided"]
    summary.cards = cast.stage.shoe.dealt
    summary.events = len(audience.events)
    summary.refusals, summary.alarms = counts["input.refused"], counts["alarm.raised"]
    summary.repeats, summary.asked_again = ledger.repeats, audience.asked_again
    summary.power_cuts = cast.strikes.power_cuts
    summary.frame_to_subscriber_ms = {
        "median": cast.latency.at(50), "p99": cast.latency.at(99),
    }  # fmt: skip
    summary.faults = cast.strikes.findings(wish.game)


def _received(recorded: int, received: int) -> str:
    return "" if recorded == received > 0 else f"{recorded} are on record, {received} came"


def _tail_of(log: Path) -> str:
    try:
        return "\n".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-20:])
    except OSError:
        return ""

"""One demo from the first heartbeat to the summary: joins stage, people, audience and faults."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

from config.loader import load
from controller.broker import DemoBroker, demo_broker
from controller.broker_port import BrokerAway
from controller.demo.cast import Cast, Wish, cast_of
from controller.demo.crew import Stuck
from controller.demo.stage import TABLE
from controller.demo.summary import Summary, check_journal, check_replay, check_seals
from controller.errors import EXIT_UNREACHABLE, UserError
from controller.subscriber import Seen

READY_S_MAX = 20.0
# The last events are on their way when the table is closed.
TAIL_S_MAX = 5.0
# What is missing after this long was lost, and is asked for; the answer may be lost as well.
ON_THE_WAY_S = 1.0
ASKS_MAX = 5


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
        cast = cast_of(wish, home, address, own, show, tell)
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


async def _play(wish: Wish, cast: Cast, tell: Callable[[str], None]) -> tuple[str, int]:
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
async def _running(cast: Cast, wish: Wish) -> AsyncIterator[None]:
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


async def _settle(cast: Cast) -> None:
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


async def _catch_up(cast: Cast) -> None:
    """A broker that went away may have swallowed events: the surveillance room asks for them."""
    for _ in range(ASKS_MAX):
        shown = cast.view.state
        told = 0 if shown is None else shown.sequence
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(ON_THE_WAY_S):
                await cast.audience.until(told)
                return
        await cast.audience.ask_again(told)


async def _last_events(cast: Cast) -> None:
    """Wait for the tail of the record, which is longer than what was shown last."""
    report, _ = await asyncio.to_thread(check_journal, cast.stage.journal)
    if report is None:
        return
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(TAIL_S_MAX):
            await cast.audience.until(report.events)


def _judge(wish: Wish, cast: Cast, summary: Summary) -> None:
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
    if cast.view.state is not None:
        summary.where = cast.view.state.where
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

"""A process with the real rules and a real journal under load, made to be killed.

Writes a line to standard output for each input whose receipt was given: what it says is promised.
"""

from __future__ import annotations

import asyncio
import functools
import itertools
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from config.profiles import profile_document
from controller.actuator import Actuator
from controller.clock import SystemClock
from controller.core.inputs import Open, Started
from controller.core.profile import profile_of
from controller.core.setup import DEFAULTS
from controller.core.state import TableState
from controller.engine import Engine
from controller.games import book_of
from controller.intake import Intake
from controller.journal.program import Program
from controller.journal.seal import Sealer
from controller.journal.store import Store
from controller.program import program_of
from controller.timers import Timers
from hal.facts import Button, CardDrawn, CycleStarted, Door, Noise, StackDispensed
from hal.ports import Heard

TABLE = "T-9"


def real_program() -> Program[TableState]:
    """The rules of Fortune Asia Poker as `replay` plays them."""
    document, _ = profile_document("fortune-asia-poker")
    return program_of(book_of(DEFAULTS["fortune-asia-poker"], profile_of(document)))


def _promise(number: int) -> None:
    os.write(1, b"%d\n" % number)


# Between each pair of steps of a turn: what was done when the process ends there.
STEPS = (
    "taken", "decided", "tightened", "asked_to_write", "in_transaction", "written", "adopting",
    "held", "told_outside", "adopted",
)  # fmt: skip


def kill_after(step: str, count: int, engine: Engine[TableState], store: Store) -> None:
    """Let the process die right after the `count`-th time that `step` was done."""
    left = [count]

    def done() -> None:
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def after(owner: object, name: str) -> None:
        kept: Callable[..., object] = getattr(owner, name)

        def wrapped(*args: object, **kwargs: object) -> object:
            found = kept(*args, **kwargs)
            done()
            return found

        setattr(owner, name, wrapped)

    def before(owner: object, name: str) -> None:
        kept: Callable[..., object] = getattr(owner, name)

        def wrapped(*args: object, **kwargs: object) -> object:
            done()
            return kept(*args, **kwargs)

        setattr(owner, name, wrapped)

    match step:
        case "taken":
            before(engine, "_compute")
        case "decided":
            before(engine._actuator, "tighten")
        case "tightened":
            after(engine._actuator, "tighten")
        case "asked_to_write":
            before(store, "commit")
        case "in_transaction":
            # In the journal's thread, all rows written and nothing committed.
            after(sys.modules["controller.journal.store"], "insert_snapshot")
        case "written":
            before(engine, "_adopt")
        case "adopting":
            before(engine._actuator, "hold")
        case "held":
            after(engine._actuator, "hold")
        case "told_outside":
            before(engine, "_on_committed")
        case "adopted":
            after(engine, "_adopt")
        case _:
            raise ValueError(step)


async def serve(path: Path, first: int, step: str = "", count: int = 0) -> None:
    """Offer facts without an end, numbered from `first` by what `Noise` counts."""
    clock = SystemClock()
    store = await Store.open(path, TABLE)
    intake = Intake(clock)
    sealer = Sealer.from_file(path.with_name("key"))
    engine = await Engine.restored(
        real_program(), store, intake, Actuator(None, {}, None), Timers(intake, clock),
        signer=sealer.sealed,
    )  # fmt: skip
    if step:
        kill_after(step, count, engine, store)
    await engine.boot(Started("0", "", "", store.journal))
    serving = asyncio.create_task(engine.run())
    chance = random.Random(first)
    others = (CardDrawn(1, "down"), StackDispensed(1, 5), CycleStarted(1, "shuffle"), Door(True))
    for number in itertools.count(first):
        heard = functools.partial(Heard, mono_ns=clock.mono_ns())
        intake.offer(heard("shuffler", Door(chance.random() < 0.5)))
        fact = chance.choice(others[:2])
        intake.offer(heard("shoe", fact))
        intake.offer(heard("rng", Button()))
        intake.offer_command("floorperson", "ann", Open(), f"c{number}", lambda answer: None)
        promise = functools.partial(_promise, number)
        intake.offer(heard("shoe", Noise(number, "count"), receipt=promise))
        await asyncio.sleep(chance.choice((0, 0, 0.002)))
        assert not serving.done(), serving.exception()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:4], *map(int, sys.argv[4:])))

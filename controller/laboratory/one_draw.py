"""One number from the generator that a table uses, started and stopped for it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from hal import facts
from hal.entropy import RawSource
from hal.generator import NumberGenerator
from hal.ports import Heard


class Failed(Exception):
    """The generator is out of service; `test` names the test that failed."""

    def __init__(self, test: str) -> None:
        super().__init__(test)
        self.test = test


async def draw_once(open_raw: Callable[[], RawSource]) -> tuple[int, str]:
    """The number of 1 to 7 and the source's name. Raises Failed."""
    answer: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def hear(heard: Heard) -> None:
        if answer.done():
            return
        if isinstance(heard.fact, facts.Drawn):
            answer.set_result(heard.fact.number)
        elif isinstance(heard.fact, facts.HealthFailed):
            answer.set_exception(Failed(heard.fact.test))

    generator = NumberGenerator(hear, open_raw)
    running = asyncio.create_task(generator.run())
    try:
        generator.draw(1)
        return await answer, str(generator.status()["source"])
    finally:
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running

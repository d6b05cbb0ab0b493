"""One thread that owns the database connection, so that a stalled disk never stalls the loop."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import queue
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

# The engine has one commit under way, the outbox one read, the watchdog one ping; the rest is room.
JOBS_MAX = 64


class Worker:
    """Runs jobs in the order they were given, one at a time.

    The thread is a daemon: a disk that hangs for good must not keep the process from ending.
    """

    def __init__(self, name: str) -> None:
        self._jobs: queue.Queue[Callable[[], None] | None] = queue.Queue(JOBS_MAX)
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._thread.start()

    async def do(self, job: Callable[[], T]) -> T:
        """The result of `job`, or what it raised. Raises queue.Full where JOBS_MAX wait already."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[T] = loop.create_future()

        def work() -> None:
            try:
                result = job()
            except Exception as error:  # noqa: BLE001 - it belongs to the one who waits
                _tell(loop, functools.partial(_fail, answer, error))
            else:
                _tell(loop, functools.partial(_settle, answer, result))

        self._jobs.put_nowait(work)
        return await answer

    def close(self) -> None:
        """Let the thread end after the jobs that wait; does not wait for it."""
        self._jobs.put_nowait(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            job()


def _tell(loop: asyncio.AbstractEventLoop, told: Callable[[], None]) -> None:
    # A loop that has ended meanwhile has nobody left to be told.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(told)


def _settle(answer: asyncio.Future[T], result: T) -> None:
    if not answer.done():
        answer.set_result(result)


def _fail(answer: asyncio.Future[T], error: Exception) -> None:
    if not answer.done():
        answer.set_exception(error)

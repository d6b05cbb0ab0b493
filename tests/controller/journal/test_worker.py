"""The thread's jobs run one at a time, in order, and its failures reach the one who waits."""

from __future__ import annotations

import asyncio
import functools
import queue
import threading

import pytest

from controller.journal.worker import JOBS_MAX, Worker


async def test_jobs_run_in_the_order_they_were_given() -> None:
    worker = Worker("test")
    done: list[int] = []
    await asyncio.gather(*[worker.do(functools.partial(done.append, i)) for i in range(50)])
    assert done == list(range(50))
    worker.close()


async def test_a_failure_belongs_to_the_one_who_waits() -> None:
    worker = Worker("test")
    with pytest.raises(ZeroDivisionError):
        await worker.do(lambda: 1 // 0)
    assert await worker.do(lambda: 7) == 7
    worker.close()


async def test_the_row_of_jobs_is_bounded() -> None:
    worker, go_on, begun = Worker("test"), threading.Event(), threading.Event()

    def stall() -> None:
        begun.set()
        go_on.wait()

    first = asyncio.create_task(worker.do(stall))
    await asyncio.to_thread(begun.wait)
    waiting = [asyncio.create_task(worker.do(lambda: None)) for _ in range(JOBS_MAX)]
    await asyncio.sleep(0)
    with pytest.raises(queue.Full):
        await worker.do(lambda: None)
    go_on.set()
    await asyncio.gather(first, *waiting)
    worker.close()


async def test_one_who_stopped_waiting_is_not_told() -> None:
    worker, go_on = Worker("test"), threading.Event()
    impatient = asyncio.create_task(worker.do(go_on.wait))
    await asyncio.sleep(0)
    impatient.cancel()
    go_on.set()
    assert await worker.do(lambda: "next") == "next"
    worker.close()


def test_a_loop_that_has_ended_is_not_told() -> None:
    worker, go_on, ended = Worker("test"), threading.Event(), threading.Event()

    def job() -> None:
        go_on.wait()

    async def leave() -> None:
        asyncio.create_task(worker.do(job))  # noqa: RUF006 - it is abandoned on purpose
        await asyncio.sleep(0.01)

    asyncio.run(leave())
    go_on.set()
    worker._jobs.put(ended.set)
    assert ended.wait(5)
    worker.close()

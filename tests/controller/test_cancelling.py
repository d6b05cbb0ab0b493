"""A cancelled task ends, whatever it waited for when the word came."""

from __future__ import annotations

import asyncio

import pytest

from controller.cancelling import none_swallowed


async def _swallow() -> None:
    """What Python 3.11's wait_for does when both come at once."""
    try:
        await asyncio.sleep(60)
    except asyncio.CancelledError:
        return


@pytest.mark.parametrize("guarded", [False, True])
async def test_a_swallowed_cancellation_ends_the_task_all_the_same(guarded: bool) -> None:
    went_on = asyncio.Event()

    async def work() -> None:
        if guarded:
            with none_swallowed():
                await _swallow()
        else:
            await _swallow()
        went_on.set()
        await asyncio.sleep(60)

    task = asyncio.create_task(work())
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert (task.cancelled(), went_on.is_set()) == (guarded, not guarded)
    task.cancel()
    await asyncio.wait((task,))


async def test_a_body_that_nobody_cancels_and_one_that_times_out_are_left_alone() -> None:
    with none_swallowed():
        await asyncio.sleep(0)
    with pytest.raises(TimeoutError), none_swallowed():
        async with asyncio.timeout(0):
            await asyncio.sleep(60)

"""A cancellation that a library swallowed is raised all the same."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator


@contextlib.contextmanager
def none_swallowed() -> Iterator[None]:
    """Raise at the body's end what `asyncio.wait_for` may swallow inside of it until Python 3.12.

    A cancellation that comes in the same breath as what the library waits for is lost there, and
    leaves a task that nobody can end.
    """
    task = asyncio.current_task()
    before = 0 if task is None else task.cancelling()
    yield
    if task is not None and task.cancelling() > before:
        raise asyncio.CancelledError

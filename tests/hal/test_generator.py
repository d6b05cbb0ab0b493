"""The generator: once for each draw, out of service when a test fails, never on the loop."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

import pytest

from hal import facts
from hal.entropy import KernelSource, RawSource, SourceError
from hal.generator import WAITING_MAX, NumberGenerator
from hal.ports import Heard, RandomSource
from hal.sim.entropy import SimSource


@dataclass
class Bench:
    """A running generator and what it said."""

    generator: NumberGenerator
    heard: list[Heard] = field(default_factory=list)

    def facts(self) -> list[object]:
        return [heard.fact for heard in self.heard]

    async def until(self, fact: object, seconds: float = 5) -> None:
        async with asyncio.timeout(seconds):
            while fact not in self.facts():
                await asyncio.sleep(0.001)

    def drawn(self) -> list[facts.Drawn]:
        return [fact for fact in self.facts() if isinstance(fact, facts.Drawn)]


@contextlib.asynccontextmanager
async def running(
    open_raw: Callable[[], RawSource] = KernelSource,
    refresh_s: float = 0.01,
    reopen_s: float = 0.05,
) -> AsyncIterator[Bench]:
    asyncio.get_running_loop().set_debug(True)
    heard: list[Heard] = []
    generator = NumberGenerator(heard.append, open_raw, refresh_s=refresh_s, reopen_s=reopen_s)
    bench = Bench(generator, heard)
    task = asyncio.create_task(generator.run())
    try:
        yield bench
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


def test_it_is_what_the_controller_asks_for() -> None:
    source: RandomSource = NumberGenerator(lambda _heard: None)
    assert source is not None


async def test_a_draw_is_answered_once_with_its_own_number() -> None:
    async with running() as bench:
        await bench.until(facts.Restored())
        for draw in (7, 8, 7, 8, 8, 9):
            bench.generator.draw(draw)
        await asyncio.sleep(0.1)
        bench.generator.draw(7)
        await asyncio.sleep(0.05)
        assert sorted(fact.draw for fact in bench.drawn()) == [7, 8, 9]
        assert all(1 <= fact.number <= 7 for fact in bench.drawn())
        assert {heard.source for heard in bench.heard} == {"rng"}


async def test_a_draw_during_the_start_waits_for_its_tests() -> None:
    async with running() as bench:
        bench.generator.draw(1)
        assert bench.facts() == []
        await asyncio.sleep(0.2)
        assert bench.facts()[0] == facts.Restored()
        assert [fact.draw for fact in bench.drawn()] == [1]


async def test_a_press_takes_a_number_that_is_ready_without_waiting_for_the_source() -> None:
    async with running(refresh_s=60) as bench:
        await bench.until(facts.Restored())
        await asyncio.sleep(0.05)
        before = time.perf_counter()
        bench.generator.draw(1)
        # A source takes a refresh of 60 s; a busy machine may take a process away for a moment.
        assert time.perf_counter() - before < 1
        assert len(bench.drawn()) == 1


@pytest.mark.parametrize(
    ("kind", "test"),
    [
        ("stuck", "repetition"),
        ("biased", "bit_proportion"),
        ("repeating", "repeated_block"),
        ("silent", "source"),
    ],
)
async def test_a_failed_test_takes_it_out_of_service(kind: str, test: str) -> None:
    async with running(lambda: SimSource(kind), reopen_s=60) as bench:
        await bench.until(facts.HealthFailed(test))
        assert bench.facts() == [facts.Restored(), facts.HealthFailed(test)]
        bench.generator.draw(1)
        assert bench.facts()[2:] == [facts.HealthFailed(test)]
        assert bench.generator.status() == {
            "source": f"sim:{kind}", "in_service": False, "failed": test, "draws": 0,
        }  # fmt: skip


async def test_it_is_restored_once_a_new_opening_passed_the_start() -> None:
    kinds = iter(["stuck", "good"])
    async with running(lambda: SimSource(next(kinds))) as bench:
        await bench.until(facts.HealthFailed("repetition"))
        async with asyncio.timeout(5):
            while bench.facts().count(facts.Restored()) < 2:
                await asyncio.sleep(0.001)
        bench.generator.draw(1)
        await asyncio.sleep(0.05)
        assert [fact.draw for fact in bench.drawn()] == [1]


async def test_a_draw_that_failed_may_be_asked_for_again() -> None:
    kinds = iter(["stuck", "good"])
    async with running(lambda: SimSource(next(kinds), good_octets=0)) as bench:
        bench.generator.draw(1)
        await bench.until(facts.HealthFailed("repetition"))
        assert bench.facts() == [facts.HealthFailed("repetition")]
        await bench.until(facts.Restored())
        bench.generator.draw(1)
        await asyncio.sleep(0.05)
        assert [fact.draw for fact in bench.drawn()] == [1]


async def test_a_failure_that_goes_on_is_told_once() -> None:
    async with running(lambda: SimSource("stuck", good_octets=0), reopen_s=0.005) as bench:
        await asyncio.sleep(0.3)
        assert bench.facts() == [facts.HealthFailed("repetition")]


async def test_a_source_that_cannot_be_opened_is_a_failure_of_the_source() -> None:
    def absent() -> RawSource:
        raise SourceError("hwrng:/dev/hwrng: No such file or directory")

    async with running(absent) as bench:
        await bench.until(facts.HealthFailed("source"))


async def test_more_waiting_draws_than_the_bound_are_refused() -> None:
    async with running() as bench:
        for draw in range(WAITING_MAX):
            bench.generator.draw(draw)
        assert bench.facts() == []
        bench.generator.draw(WAITING_MAX)
        assert bench.facts() == [facts.HealthFailed("too_many_draws")]


class SlowSource(KernelSource):
    """A source that takes its time, and says in which thread."""

    def __init__(self, threads: set[int]) -> None:
        self._threads = threads

    def fill(self, buffer: bytearray) -> None:
        self._threads.add(threading.get_ident())
        threading.Event().wait(0.02)
        super().fill(buffer)


async def test_the_source_is_read_in_one_thread_that_is_not_the_loops() -> None:
    threads: set[int] = set()
    async with running(lambda: SlowSource(threads)) as bench:
        bench.generator.draw(1)
        async with asyncio.timeout(10):
            while not bench.drawn():
                await asyncio.sleep(0.005)
        assert [fact.draw for fact in bench.drawn()] == [1]
    assert len(threads) == 1
    assert threading.get_ident() not in threads


async def test_a_source_that_hangs_does_not_keep_the_daemon_from_stopping() -> None:
    stopped = threading.Event()

    class Hanging(KernelSource):
        def fill(self, buffer: bytearray) -> None:
            stopped.wait(10)
            raise SourceError("stopped")

        def stop(self) -> None:
            stopped.set()

    async with running(Hanging):
        await asyncio.sleep(0.05)
        before = time.perf_counter()
    assert time.perf_counter() - before < 0.5
    assert stopped.is_set()


async def test_no_number_is_kept_after_it_was_drawn() -> None:
    async with running(refresh_s=60) as bench:
        await bench.until(facts.Restored())
        await asyncio.sleep(0.05)
        block = bench.generator._ready
        assert block is not None
        assert bytes(block) != bytes(64)
        bench.generator.draw(1)
        assert bytes(block) == bytes(64)
        last = bench.generator._ready
    gc.collect()
    assert last is None or bytes(last) == bytes(64)


async def test_a_few_hundred_draws_give_every_number() -> None:
    async with running() as bench:
        await bench.until(facts.Restored())
        for draw in range(300):
            bench.generator.draw(draw)
            while len(bench.drawn()) <= draw:
                await asyncio.sleep(0)
        counts = Counter(fact.number for fact in bench.drawn())
        # One number missing in 300 fair draws: once in 10^19.
        assert set(counts) == set(range(1, 8))


async def test_numbers_that_are_not_even_put_it_out_of_service_for_good() -> None:
    """The raw source passes its tests; the history says that 4 is all that ever came."""
    heard: list[Heard] = []
    generator = NumberGenerator(
        heard.append, KernelSource, refresh_s=0.01, reopen_s=0.01, history=[4] * 6_000
    )
    bench, task = Bench(generator, heard), asyncio.create_task(generator.run())
    try:
        await bench.until(facts.Restored())
        generator.draw(1)
        await bench.until(facts.HealthFailed(test="self_check"))
        # The number that was drawn stands; nothing is opened anew, and nothing is drawn any more.
        await asyncio.sleep(0.1)
        generator.draw(2)
        assert len(bench.drawn()) == 1
        assert bench.facts().count(facts.Restored()) == 1
        assert bench.facts()[-1] == facts.HealthFailed(test="self_check")
        assert generator.status()["failed"] == "self_check"
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def test_fair_numbers_of_the_past_are_no_hindrance() -> None:
    heard: list[Heard] = []
    generator = NumberGenerator(
        heard.append, KernelSource, refresh_s=0.01, history=list(range(1, 8)) * 1_000
    )
    bench, task = Bench(generator, heard), asyncio.create_task(generator.run())
    try:
        await bench.until(facts.Restored())
        for draw in range(1, 4):
            generator.draw(draw)
            async with asyncio.timeout(5):
                while len(bench.drawn()) < draw:
                    await asyncio.sleep(0.001)
        assert generator.status()["in_service"]
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

"""The generator of the 1-7 number: a tested source in the background, sampled by a press.

The source runs and is tested all the time, in a thread of its own; a press takes one number from
the block that is ready, and the block is wiped. A failed test takes the generator out of service
until the source was opened anew and has passed its start-up tests.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from hal import facts
from hal.draw import number_in
from hal.entropy import Conditioner, RawSource, SourceError, open_source, wipe
from hal.health import Health
from hal.ports import Heard, Sink

# 512 raw bits a block: as many as the conditioner's output, and one window part for the tests.
BLOCK_OCTETS = 64
# A fresh block each second between draws: no number is older than that, and the tests go on.
REFRESH_S = 1.0
# A source that failed is opened again after this long, twice as long after each failure.
REOPEN_S_MIN = 5.0
REOPEN_S_MAX = 600.0
# One draw a round; more that wait at once are a fault of the asker.
WAITING_MAX = 8
# Draws are numbered for the life of a journal; a repeated request is always a recent one.
ANSWERED_MAX = 1_024


class OutOfService(Exception):
    """A test of the raw source failed; `test` names it."""

    def __init__(self, test: str) -> None:
        super().__init__(test)
        self.test = test


class _Session:
    """One opening of the source; methods block and belong to the worker thread, but for `stop`."""

    def __init__(self, open_raw: Callable[[], RawSource]) -> None:
        self._open_raw = open_raw
        self._raw: RawSource | None = None
        self._health = Health()
        self._conditioner = Conditioner()
        self._buffer = bytearray(BLOCK_OCTETS)

    def start(self) -> str:
        """Open, and feed the start-up tests until satisfied; gives the source's name.

        Raises OutOfService.
        """
        try:
            self._raw = self._open_raw()
        except SourceError:
            raise OutOfService("source") from None
        while not self._health.started:
            self._read(self._raw)
        wipe(self._buffer)
        return self._raw.name

    def stop(self) -> None:
        """From any thread: end a read that waits."""
        if self._raw is not None:
            self._raw.stop()

    def close(self) -> None:
        """Give the source back."""
        if self._raw is not None:
            self._raw.close()

    def block(self) -> bytearray:
        """One tested and conditioned block. Raises OutOfService."""
        assert self._raw is not None, "a block before the start-up tests"
        self._read(self._raw)
        given = self._conditioner.block(self._buffer)
        wipe(self._buffer)
        return given

    def _read(self, raw: RawSource) -> None:
        try:
            raw.fill(self._buffer)
        except SourceError:
            raise OutOfService("source") from None
        if (failed := self._health.feed(self._buffer)) is not None:
            wipe(self._buffer)
            raise OutOfService(failed)


class NumberGenerator:
    """Implements `hal.ports.RandomSource`. Facts arrive at `sink` on the loop, source `rng`.

    `open_raw` opens the raw source and may raise SourceError; it is called in the worker thread.
    `Restored` is told whenever the start-up tests have passed, at the first start too.
    """

    def __init__(
        self,
        sink: Sink,
        open_raw: Callable[[], RawSource] = lambda: open_source("auto"),
        *,
        refresh_s: float = REFRESH_S,
        reopen_s: float = REOPEN_S_MIN,
    ) -> None:
        self._sink = sink
        self._open_raw = open_raw
        self._refresh_s = refresh_s
        self._reopen_s = reopen_s
        self._ready: bytearray | None = None
        self._waiting: deque[int] = deque()
        self._answered: deque[int] = deque(maxlen=ANSWERED_MAX)
        self._failed: str | None = None
        self._taken = asyncio.Event()
        self._draws = 0
        self._name = ""

    async def run(self) -> None:
        """Open, test, refresh and sample until cancelled; opens again after a failure."""
        wait_s = self._reopen_s
        while True:
            try:
                await self._serve()
            except OutOfService as out:
                self._fail(out.test)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, REOPEN_S_MAX)

    def draw(self, number: int) -> None:
        """Draw once for draw `number`: `Drawn(number=1..7, draw=number)`, or `HealthFailed`.

        A number that was answered with `Drawn`, or that waits, is not drawn again. During the
        start-up tests the answer waits for them.
        """
        if number in self._answered or number in self._waiting:
            return
        if self._failed is not None or len(self._waiting) >= WAITING_MAX:
            self._hear(facts.HealthFailed(test=self._failed or "too_many_draws"))
            return
        self._waiting.append(number)
        self._answer()

    def status(self) -> dict[str, object]:
        """For health and doctor: the source's name, in service or not, draws since the start."""
        return {
            "source": self._name,
            "in_service": self._failed is None and bool(self._name),
            "failed": self._failed or "",
            "draws": self._draws,
        }

    async def _serve(self) -> None:
        """One opening of the source, in one worker thread, until a test fails or the end."""
        loop = asyncio.get_running_loop()
        # Not the loop's own pool: a source that hangs must not take the journal's threads.
        worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="entropy")
        session = _Session(self._open_raw)
        try:
            self._name = await loop.run_in_executor(worker, session.start)
            self._failed = None
            self._hear(facts.Restored())
            while True:
                self._taken.clear()
                block = await loop.run_in_executor(worker, session.block)
                self._discard()
                self._ready = block
                self._answer()
                await self._refresh_due()
        finally:
            self._discard()
            session.stop()
            worker.submit(session.close)
            worker.shutdown(wait=False)

    async def _refresh_due(self) -> None:
        """Return when the ready block was used up, or has become old."""
        try:
            async with asyncio.timeout(self._refresh_s):
                await self._taken.wait()
        except TimeoutError:
            return

    def _answer(self) -> None:
        """Give the first draw that waits the number of the ready block, which is then gone."""
        if self._ready is None or not self._waiting:
            return
        number = number_in(self._ready)
        self._discard()
        self._taken.set()
        # All 64 octets rejected happens once in 10^115 blocks; the draw waits for the next one.
        if number is not None:
            draw = self._waiting.popleft()
            self._answered.append(draw)
            self._draws += 1
            self._hear(facts.Drawn(number=number, draw=draw))

    def _fail(self, test: str) -> None:
        """Out of service: told once, and to each draw that waits."""
        news = 1 if self._failed is None else 0
        self._failed = test
        answers = max(news, len(self._waiting))
        self._waiting.clear()
        for _ in range(answers):
            self._hear(facts.HealthFailed(test=test))

    def _discard(self) -> None:
        if self._ready is not None:
            wipe(self._ready)
            self._ready = None

    def _hear(self, fact: object) -> None:
        self._sink(Heard("rng", fact, time.monotonic_ns()))

"""The generator of the 1-7 number: a tested source in the background, sampled by a press.

The source runs and is tested all the time, in a thread of its own; a press takes one number from
the block that is ready, and the block is wiped. A failed test takes the generator out of service
until the source was opened anew and has passed its start-up tests. Numbers that in the long run
are not even (`hal.self_check`) take it out of service until the daemon is started again.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from hal import facts
from hal.draw import number_in
from hal.entropy import RawSource, open_source, wipe
from hal.ports import Heard, Sink
from hal.self_check import SELF_CHECK, SelfCheck
from hal.supply import OutOfService, Supply

# A fresh block each second between draws: no number is older than that, and the tests go on.
REFRESH_S = 1.0
# A source that failed is opened again after this long, twice as long after each failure.
REOPEN_S_MIN = 5.0
REOPEN_S_MAX = 600.0
# One draw a round; more that wait at once are a fault of the asker.
WAITING_MAX = 8
# Draws are numbered for the life of a journal; a repeated request is always a recent one.
ANSWERED_MAX = 1_024


class NumberGenerator:
    """Implements `hal.ports.RandomSource`. Facts arrive at `sink` on the loop, source `rng`.

    `open_raw` opens the raw source and may raise SourceError; it is called in the worker thread.
    `Restored` is told whenever the start-up tests have passed, at the first start too. `history`
    are numbers that were given out before a restart, oldest first, for the rolling self-check.
    """

    def __init__(
        self,
        sink: Sink,
        open_raw: Callable[[], RawSource] = lambda: open_source("auto"),
        *,
        refresh_s: float = REFRESH_S,
        reopen_s: float = REOPEN_S_MIN,
        history: Iterable[int] = (),
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
        self._check = SelfCheck(history)
        self._is_doubted = False

    async def run(self) -> None:
        """Open, test, refresh and sample until cancelled; opens again after a failure."""
        wait_s = self._reopen_s
        while True:
            try:
                await self._serve()
            except OutOfService as out:
                self._fail(out.test)
            if self._is_doubted:
                # Opening the source anew mends no fault that lies behind it: a person must look.
                await asyncio.get_running_loop().create_future()
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
        session = Supply(self._open_raw)
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
                if self._is_doubted:
                    raise OutOfService(SELF_CHECK)
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
            # The number stands: to draw again because it does not please would be the bias itself.
            self._is_doubted = not self._check.feed(number)

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

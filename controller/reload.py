"""Takes up a changed table's file without a stop of the service: whole or not, between rounds.

On the signal the file is judged by a process of its own while the table goes on as before. A file
with a mistake changes nothing. A good one waits until no round, hold, cut or shuffle would notice,
then the daemon ends in order and begins again with it, which is the one way in which settings
are ever taken up.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import logging
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from config.apart import LoaderDied, settings_told
from config.settings import Settings
from controller.core.state import Phase, TableState
from controller.errors import UserError
from controller.messages import Json

log = logging.getLogger(__name__)

# How soon after a round's end a waiting file is taken up; nobody waits for it at the table.
LOOK_EVERY_S = 0.2
# Judging a file takes a second on a board; a disk that stalls is seen to take seven (faults T02).
JUDGE_S_MAX = 30
# What the child may answer: settings of the largest file, or all of its mistakes.
ANSWER_OCTETS_MAX = 4 * 1024 * 1024
# A journal holds one game of one table under one key: these begin a new record, by a new start.
FIXED = ("table.id", "game.name", "journal.path", "journal.key", "bench")
# The rules read these at the opening of a table; under an open one they would change its law.
OPENING = ("table", "game", "shuffler", "shoe", "lines")
# Nothing lies between the shuffler and the layout in these phases, and nobody is counting.
QUIET = frozenset((Phase.CLOSED, Phase.BETS, Phase.IDLE))

Judge = Callable[[Path], Awaitable[Settings]]


async def judged(file: Path) -> Settings:
    """The settings of `file`, read by a process of its own.

    Raises ConfigError, UnreadableConfig, LoaderDied, TimeoutError.
    """
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "config.apart", str(file),
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE,
        limit=ANSWER_OCTETS_MAX,
    )  # fmt: skip
    try:
        async with asyncio.timeout(JUDGE_S_MAX):
            told, _ = await child.communicate()
    finally:
        if child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                child.kill()
            await child.wait()
    return settings_told(told, file, child.returncode or 0)


def changed(old: Settings, new: Settings) -> tuple[str, ...]:
    """The sections that differ; before them each key that only a new record may change."""
    found = [
        field.name
        for field in dataclasses.fields(Settings)
        if getattr(old, field.name) != getattr(new, field.name)
    ]
    fixed = [name for name in FIXED if _at(old, name) != _at(new, name)]
    return (*fixed, *found)


def _at(settings: Settings, name: str) -> object:
    value: object = settings
    for part in name.split("."):
        value = getattr(value, part)
    return value


def may_change(state: TableState, sections: tuple[str, ...]) -> bool:
    """Whether the table would not notice that these sections change now."""
    if any(name in OPENING for name in sections):
        return state.phase is Phase.CLOSED
    busy = state.in_round or state.holds or state.void is not None or state.cycle.running
    return state.phase in QUIET and not busy


class Reload:
    """One daemon's wish for another file. `settled` is set once `next` holds what to begin with."""

    def __init__(self, file: Path, settings: Settings, judge: Judge = judged) -> None:
        """`settings` are those that the daemon runs with."""
        self._file = file
        self._settings = settings
        self._judge = judge
        self._asked = asyncio.Event()
        self._refused: str | None = None
        self._waiting: tuple[str, ...] = ()
        self.next: Settings | None = None
        self.settled = asyncio.Event()

    def ask(self) -> None:
        """The signal came: read the file again. Asking again while one waits reads it anew."""
        self._asked.set()

    def refuse(self, why: str) -> None:
        """Say in `health` what became of the last file: it could not be begun with."""
        self._refused = why

    def status(self) -> dict[str, Json]:
        """For `health`: sections that wait to be taken up, and why the last file was refused."""
        return {"waiting": list(self._waiting), "refused": self._refused}

    async def run(self, state: Callable[[], TableState]) -> None:
        """Serve the signal until a good file may be taken up; then `settled` is set."""
        await self._asked.wait()
        while True:
            self._asked.clear()
            new = await self._read()
            if new is not None and await self._quiet(state):
                self.next = new
                self.settled.set()
                return
            await self._asked.wait()

    async def _read(self) -> Settings | None:
        """The file's settings, if they may be taken up at all and differ."""
        self._waiting, self._refused = (), None
        try:
            new = await self._judge(self._file)
        except (UserError, LoaderDied, OSError) as error:
            # TimeoutError is an OSError; a mistake is told as `tablectl check` would.
            self._keep(str(error) or f"{self._file}: not read within {JUDGE_S_MAX} s")
            return None
        sections = changed(self._settings, new)
        fixed = [name for name in sections if name in FIXED]
        if fixed:
            self._keep(
                f"{self._file}: {', '.join(fixed)} cannot change under way, since a journal holds "
                "one game of one table; stop the service, set it up anew, start it"
            )
            return None
        if not sections:
            log.info("%s: nothing in it has changed", self._file)
            return None
        self._waiting = sections
        log.info("%s: %s will be taken up between rounds", self._file, ", ".join(sections))
        return new

    def _keep(self, why: str) -> None:
        self._refused = why
        log.error("the table's file is not taken up, the one of before stays: %s", why)

    async def _quiet(self, state: Callable[[], TableState]) -> bool:
        """Wait until the table would not notice; False where the file is to be read anew."""
        while not may_change(state(), self._waiting):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_EVERY_S):
                    await self._asked.wait()
                    return False
        return True

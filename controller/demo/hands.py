"""Fingers on the panel of the daemon's process: presses, the key, and a look at the digit."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

# Well above the panel's 30 ms of rest that make a press, well below a person's tenth of a second.
HELD_MS = 60
# A finger that comes back sooner has not been away, as far as a contact that rests can tell.
AWAY_S = 0.06
ANSWER_S_MAX = 5.0
AGAIN_S = 0.05
TRIES_MAX = 40


class NoPanel(Exception):
    """There is no panel to act on: the daemon is down."""


class Hands:
    """Acts through the daemon's socket of `[bench] hand`; finds it again after a restart."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._last = ""
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def press(self, name: str) -> None:
        """Press a button and let it go. Raises NoPanel."""
        if name == self._last:
            await asyncio.sleep(AWAY_S)
        self._last = name
        await self._ask({"do": "press", "name": name, "held_ms": HELD_MS})

    async def let_go(self, name: str) -> None:
        """Free a button that stuck. Raises NoPanel."""
        await self._ask({"do": "let_go", "name": name})

    async def turn_key(self) -> None:
        """Turn the floorperson's key and turn it back. Raises NoPanel."""
        await self._ask({"do": "key", "on": True})
        await asyncio.sleep(HELD_MS / 1000)
        await self._ask({"do": "key", "on": False})

    async def cover(self, device: str, on: bool) -> None:
        """Put a device's cover on, or take it off. Raises NoPanel."""
        await self._ask({"do": "cover", "name": device, "on": on})

    async def digit(self) -> str:
        """What an eye sees on the digit. Raises NoPanel."""
        return str((await self._ask({"do": "look"})).get("digit"))

    def close(self) -> None:
        """Take the hands away."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _ask(self, act: dict[str, object]) -> dict[str, object]:
        reader, writer = await self._reach()
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                writer.write(json.dumps(act).encode() + b"\n")
                answer = json.loads(await reader.readline())
        except (OSError, ValueError, TimeoutError) as error:
            self.close()
            raise NoPanel(f"the panel is gone: {error}") from None
        assert isinstance(answer, dict), "the hand answers with objects"
        return answer

    async def _reach(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        for _ in range(TRIES_MAX):
            if self._streams is not None:
                return self._streams
            with contextlib.suppress(OSError):
                self._streams = await asyncio.open_unix_connection(self._path)
                continue
            await asyncio.sleep(AGAIN_S)
        raise NoPanel("the daemon's panel cannot be reached")

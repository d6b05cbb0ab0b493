"""A simulated person's hand for another process: acts and looks at the panel over a socket file.

One JSON object a line in, one a line out. `{"do": "press", "name": "done"}` is answered when the
finger is away again; `{"do": "look"}` gives what an eye sees.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Collection
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from hal.errors import ScriptError
from hal.gpio import Board
from hal.pins import PanelSettings
from hal.sim.panel import PANEL_FAULTS, SimPanel

LINE_OCTETS_MAX: Final = 1_000
HELD_MS_MAX: Final = 10_000
# One for each person of a demo, and one to spare for a curious one.
VISITORS_MAX: Final = 8
ACTS: Final = ("press", "hold", "let_go", "glitch", "key", "cover", "case", "look")

Values = dict[str, object]


class HandServer:
    """Serves one `SimPanel`; give its `board` to the real panel, then `run` it beside."""

    def __init__(
        self, path: Path, settings: PanelSettings, faults: Collection[str] = (), seed: int = 1
    ) -> None:
        """Nothing listens before `run`. `faults` that are not of a panel are passed over."""
        self._path = path
        self._person = SimPanel(settings, seed, [name for name in faults if name in PANEL_FAULTS])
        self._visitors: set[asyncio.StreamWriter] = set()

    @property
    def board(self) -> Board:
        """The mock pins."""
        return self._person.board

    def ready(self) -> None:
        """The panel has claimed its lines: case closed, no finger anywhere."""
        self._person.ready()

    async def run(self) -> None:
        """Serve visitors until cancelled."""
        self._path.unlink(missing_ok=True)
        server = await asyncio.start_unix_server(self._serve, self._path, limit=LINE_OCTETS_MAX)
        try:
            # Not serve_forever: from Python 3.12 on its own end waits for every visitor, and a
            # demo's people stay until the daemon is gone.
            await asyncio.get_running_loop().create_future()
        finally:
            server.close()
            for writer in self._visitors:
                writer.transport.abort()
            self._path.unlink(missing_ok=True)
            self._person.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._visitors) >= VISITORS_MAX:
            writer.close()
            return
        self._visitors.add(writer)
        try:
            while line := await reader.readline():
                answer = await self._answer(line)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        except (OSError, ValueError):
            return  # gone, or a line beyond the limit: the visitor's loss
        finally:
            self._visitors.discard(writer)
            writer.close()

    async def _answer(self, line: bytes) -> Values:
        try:
            asked = json.loads(line)
            if not isinstance(asked, dict):
                raise ScriptError("expected an object")
            if asked.get("do") == "look":
                return self._look()
            act = self._act(str(asked.get("do")), asked)
        except (ValueError, ScriptError, RecursionError) as error:
            return {"error": str(error)}
        except KeyError as error:
            return {"error": f"the panel has no {error.args[0]}"}
        try:
            await asyncio.wrap_future(act)
        except KeyError as error:
            return {"error": f"the panel has no {error.args[0]}"}
        return {"done": True}

    def _act(self, do: str, asked: Values) -> Future[None]:
        person, name, on = self._person, str(asked.get("name", "")), bool(asked.get("on"))
        if do == "press":
            held_ms = asked.get("held_ms", 100)
            if type(held_ms) is not int or not 0 <= held_ms <= HELD_MS_MAX:
                raise ScriptError(f"held_ms: expected 0 to {HELD_MS_MAX}")
            return person.press(name, held_ms)
        if do == "hold":
            return person.hold(name)
        if do == "let_go":
            return person.let_go(name)
        if do == "glitch":
            return person.glitch(name)
        if do == "key":
            return person.key(on)
        if do == "cover":
            return person.cover(name, on)
        if do == "case":
            return person.case(on)
        raise ScriptError(f"do: expected one of {' '.join(ACTS)}")

    def _look(self) -> Values:
        person = self._person
        return {"digit": person.digit(), "lamps": person.lamps(), "sounds": person.sounds()}
